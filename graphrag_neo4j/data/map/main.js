"use strict";
/* Opens communities and entities. The address names the opened one, so the browser can go back. Behind
   it stand what is drawn and where the picture was moved to, "#entity-7?view=graph&at=10,20,300". So who
   gets a copy of the address sees the same. */

const coarse = matchMedia("(pointer: coarse)");
const HINTS = {
  mouse: "Click to open, drag to move, wheel to zoom, Esc for the level above, / to search.",
  touch: "Tap to open, two fingers to move and zoom, tap outside for the level above.",
};

// A page with more than the map adds other views of the panel, by the first word of their address, and
// what is to do once the map is there.
const views = Object.create(null), whenDrawn = [];
const doorOf = Object.create(null); // the view whose link leads to another one
let atlas = null;
let origin = null; // the link that led to what the panel shows: {mark, hash}, with the address before

function addressOf(thing) {
  if (thing.address) return thing.address;
  return thing.parts ? (thing.ref ? `#community-${thing.ref}` : "#") : `#entity-${thing.ref}`;
}

/* What the address says: what is opened, and the mode and the view of the picture if it names them. */
function addressed() {
  const [address, said] = location.hash.split("?"), query = new URLSearchParams(said);
  const mode = ["circles", "graph"].find((one) => one === query.get("view"));
  const at = query.get("at")?.split(",").map(Number) ?? [];
  return { address, mode, view: at.length === 3 && at.every(Number.isFinite) && at[2] >= NARROWEST && at[2] <= WIDEST ? at : undefined };
}

/* What an address names; undefined if it is not in the map. */
function thingAt(world, address) {
  const [, kind, ref] = address.match(/^#(community|entity)-(\d+)$/) ?? [];
  if (!kind) return world.root;
  return (kind === "entity" ? world.entities : world.communities).get(Number(ref));
}

/* The documents, each with its first passage, for a page that can show passages. */
function documentsOf(world) {
  const first = new Map();
  for (const chunk of world.chunks.values()) if (!(first.get(chunk.document)?.start <= chunk.start)) first.set(chunk.document, chunk);
  return [...first].map(([document, chunk]) => ({ name: world.documents[document].title, type: "document", address: `#source-${chunk.ref}` }));
}

/* What can be found, as [the name in lower case, the thing, its weight]. */
function namesIn(world) {
  return [...world.entities.values()].flatMap((it) => [it.name, ...it.aliases ?? []].map((name) => [folded(name), it, it.degree]))
    .concat([...world.communities.values()].filter((it) => it.size > 1).map((it) => [folded(it.title), it, it.size]))
    .concat(views.source ? documentsOf(world).map((it) => [folded(it.name), it, 0]) : []);
}

function search(open) {
  const input = document.getElementById("search"), list = document.getElementById("found");
  let found = [], chosen = -1;
  const close = () => {
    [list.hidden, input.ariaExpanded, chosen] = [true, "false", -1];
    input.removeAttribute("aria-activedescendant");
  };
  const take = (thing) => {
    close();
    input.value = "";
    open(thing);
  };
  const mark = (n) => {
    chosen = (n + found.length) % found.length;
    [...list.children].forEach((item, i) => (item.ariaSelected = String(i === chosen)));
    input.setAttribute("aria-activedescendant", `found-${chosen}`);
    list.children[chosen].scrollIntoView({ block: "nearest" });
  };
  input.oninput = () => {
    const wanted = folded(input.value.trim());
    const rank = ([text]) => (text === wanted ? 0 : text.startsWith(wanted) ? 1 : 2);
    const hits = (atlas.world.names ??= namesIn(atlas.world)).filter(([text]) => wanted && text.includes(wanted)).sort((a, b) => rank(a) - rank(b) || b[2] - a[2]);
    found = [...new Set(hits.map(([, it]) => it))].slice(0, 25);
    const none = wanted && !found.length ? [make("li", { role: "option", ariaSelected: "false", ariaDisabled: "true" }, "Nothing has this name.")] : [];
    list.replaceChildren(...none, ...found.map((it, i) => {
      const kind = it.parts ? `community of ${it.size}` : it.type || "entity";
      const other = it.aliases?.find((name) => !folded(it.name).includes(wanted) && folded(name).includes(wanted));
      const item = make("li", { id: `found-${i}`, role: "option", ariaSelected: "false", onpointerdown: () => take(it) });
      item.append(it.title ?? it.name, " ", make("small", {}, other ? `${kind} · ${other}` : kind));
      return item;
    }));
    [list.hidden, input.ariaExpanded, chosen] = [!wanted, String(Boolean(wanted)), -1];
    if (found.length) mark(0);
  };
  input.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") close();
    if (!found.length || list.hidden) return;
    if (step) mark(chosen + step);
    if (event.key === "Enter") take(found[chosen]);
    if (step || event.key === "Enter") event.preventDefault();
  };
  input.onblur = close;
}

/* Moves the focus to a heading. The page scrolls only to a heading above the window, so that a heading
   below the picture does not move the picture out of sight; beside a conversation, also to one below. */
function turnTo(heading) {
  const { top } = heading.getBoundingClientRect();
  heading.focus({ preventScroll: true });
  if (top < 0 || (top > innerHeight && document.getElementById("ask"))) heading.scrollIntoView();
}

/* Returns from the panel to the link that led there. */
function comeBack() {
  origin.mark.scrollIntoView({ block: "center" });
  origin.mark.focus({ preventScroll: true });
  origin = null;
}

/* Tells the page which view it shows, and marks the link that leads to it. */
function showPlace(kind) {
  const door = `#${doorOf[kind] ?? kind}`;
  document.body.dataset.view = kind || "map";
  for (const link of document.querySelectorAll(".doors a")) link.ariaCurrent = link.getAttribute("href") === door ? "page" : null;
}

async function start() {
  let world = await unpack();
  const get = (id) => document.getElementById(id);
  const open = (thing) => {
    if (!thing) return;
    if (addressOf(thing) !== (addressed().address || "#")) location.hash = addressOf(thing);
    else show({ whole: true });
  };
  const panel = new Panel(get("panel"), world, open);
  const picture = new Picture(get("canvas"), world, (thing) => open(thing ?? above()));
  let mode = "circles", before = null, thing = world.root, noting = 0;

  /* What is above the picture: of the graph of an entity its community, else the community around. */
  function above() {
    const shown = picture.focus.data;
    return (mode === "graph" && !picture.chosen.parts ? shown : shown.inside) ?? world.root;
  }

  /* Adds to the address what is drawn, and where the picture was moved to. */
  function note() {
    const { address } = addressed(), said = [mode === "graph" ? "view=graph" : "", picture.pulled ? `at=${picture.pulled.map((one) => one.toFixed(1))}` : ""];
    const hash = [address || "#", said.filter(Boolean).join("&")].filter(Boolean).join("?");
    // The mode also stays with the entry in the history, so going back brings it back.
    if (!views[address.match(/[a-z]+/)?.[0]]) history.replaceState({ mode }, "", hash);
  }

  /* Shows what the address names, at the view that it names unless the `whole` is wanted. A view of the
     panel alone leaves the picture as it is. */
  async function show({ whole = false } = {}) {
    clearTimeout(noting);
    const hash = location.hash, { address, view: at, ...said } = addressed(), [, kind, rest] = address.match(/^#([a-z]+)-?(.*)$/) ?? [];
    if (!whole) mode = said.mode ?? history.state?.mode ?? mode;
    let view = views[kind], found = thingAt(world, address);
    if (!found && !get("data")) {
      await take();
      found = thingAt(world, address);
    }
    if (!found) view = () => Promise.reject(new Error("This is not in the graph, or no longer."));
    else if (!view) thing = found;
    const community = thing.parts ? thing : thing.inside ?? world.root;
    const way = trail(community);
    get("trail").replaceChildren(...way.map((it, i) => make("span", {}, i ? make("span", { ariaHidden: "true" }, "› ") : null, link(it.title, () => open(it)))));
    get("trail").querySelectorAll("button").forEach((button) => button.title = button.textContent);
    for (const id of ["circles", "graph"]) get(id).ariaPressed = String(id === mode);
    get("hint").textContent = HINTS[coarse.matches ? "touch" : "mouse"];
    const viewed = view && await view(rest).catch((error) => [make("h2", { tabIndex: -1 }, error.message)]);
    if (hash !== location.hash) return; // the next address is being shown
    // First the panel, since a long one may narrow the picture by a scroll bar.
    if (view) get("panel").replaceChildren(...viewed);
    else panel.show(thing);
    if (origin && origin.hash !== hash) get("panel").prepend(make("p", { class: "back" }, link("Back to the answer", comeBack)));
    picture.show(community, thing, mode, whole ? undefined : view ? picture.pulled : at);
    note();
    const heading = get("panel").querySelector("h2");
    document.title = `${view ? heading.textContent : thing === world.root ? "Map of communities" : thing.title ?? thing.name} – ${document.querySelector("h1").textContent}`;
    showPlace(view ? kind : "");
    if (origin?.hash === hash) comeBack();
    else if (before) turnTo(heading);
    before = mode;
  }

  /* Reads the map anew, after documents have changed. */
  async function take() {
    atlas.world = panel.world = world = await unpack();
    picture.hold(world);
    thing = thingAt(world, addressOf(thing)) ?? world.root;
    whenDrawn.forEach((act) => act());
  }

  /* Shows a changed graph in the picture. The panel stays, unless it shows the whole or what is gone. */
  async function renew() {
    await take();
    picture.show(thing.parts ? thing : thing.inside ?? world.root, thing, mode);
    if (addressed().address.length < 2) panel.show(world.root);
    else if (!thingAt(world, addressed().address)) await show();
  }

  for (const id of ["circles", "graph"]) get(id).onclick = () => { mode = id; show({ whole: true }); get(id).focus(); };
  search(open);
  addEventListener("hashchange", () => show());
  get("canvas").addEventListener("pulled", () => {
    clearTimeout(noting);
    noting = setTimeout(note, 200); // browsers refuse many changes of the address in a short time
  });
  addEventListener("keydown", (event) => {
    const writes = event.isComposing || event.target.matches("input, textarea, select");
    if (event.key === "Escape" && !writes) open(thingAt(world, addressed().address)?.inside ?? world.root);
    if (event.key !== "/" || writes || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    get("search").focus();
  });
  atlas = { world, picture, renew };
  show();
  whenDrawn.forEach((act) => act());
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  const why = error.name === "Error" ? error.message : `use a newer browser (${error}).`;
  document.getElementById("panel").replaceChildren(make("p", {}, `The map can't be opened: ${why}`));
});
