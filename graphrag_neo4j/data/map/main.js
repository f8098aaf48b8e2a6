"use strict";
/* Opens communities and entities. The address names the opened one, so the browser can go back. */

const coarse = matchMedia("(pointer: coarse)");
const HINTS = {
  mouse: "Click to open, drag to move, wheel to zoom, Esc for the level above.",
  touch: "Tap to open, two fingers to move and zoom, tap outside for the level above.",
};

// A page with more than the map adds other views of the panel, by the first word of their address, and
// what is to do once the map is there.
const views = {}, whenDrawn = [];
let atlas = null;

function addressOf(thing) {
  if (thing.address) return thing.address;
  return thing.parts ? (thing.ref ? `#community-${thing.ref}` : "#") : `#entity-${thing.ref}`;
}

function thingAt(world, address) {
  const [, kind, ref] = address.match(/^#(community|entity)-(\d+)$/) ?? [];
  const found = kind === "entity" ? world.entities.get(Number(ref)) : world.communities.get(Number(ref));
  return found ?? world.root;
}

/* The documents, each with its first passage, for a page that can show passages. */
function documentsOf(world) {
  const first = new Map();
  for (const chunk of world.chunks.values()) if (!(first.get(chunk.document)?.start <= chunk.start)) first.set(chunk.document, chunk);
  return [...first].map(([document, chunk]) => ({ name: world.documents[document].title, type: "document", address: `#source-${chunk.ref}` }));
}

function search(world, open) {
  const input = document.getElementById("search"), list = document.getElementById("found");
  const all = [...world.entities.values()].map((it) => [folded(it.name), it, it.degree])
    .concat([...world.communities.values()].filter((it) => it.size > 1).map((it) => [folded(it.title), it, it.size]))
    .concat(views.source ? documentsOf(world).map((it) => [folded(it.name), it, 0]) : []);
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
    found = wanted ? all.filter(([text]) => text.includes(wanted)).sort((a, b) => rank(a) - rank(b) || b[2] - a[2]).slice(0, 25) : [];
    list.replaceChildren(...found.map(([, it], i) => {
      const kind = it.parts ? `community of ${it.size}` : it.type || "entity";
      const item = make("li", { id: `found-${i}`, role: "option", ariaSelected: "false", onpointerdown: () => take(it) });
      item.append(it.title ?? it.name, " ", make("small", {}, kind));
      return item;
    }));
    [list.hidden, input.ariaExpanded, chosen] = [!found.length, String(found.length > 0), -1];
    if (found.length) mark(0);
  };
  input.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") close();
    if (!found.length || list.hidden) return;
    if (step) mark(chosen + step);
    if (event.key === "Enter") take(found[chosen][1]);
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

async function start() {
  const world = await unpack();
  const get = (id) => document.getElementById(id);
  const corpus = document.querySelector("h1").textContent;
  const open = (thing) => {
    if (!thing) return;
    if (addressOf(thing) === (location.hash || "#")) show();
    else location.hash = addressOf(thing);
  };
  const panel = new Panel(get("panel"), world, open);
  const picture = new Picture(get("canvas"), world, (thing) => open(thing ?? above()));
  let mode = "circles", before = null, thing = world.root;

  /* What is above the picture: of the graph of an entity its community, else the community around. */
  function above() {
    const shown = picture.focus.data;
    return (mode === "graph" && !picture.chosen.parts ? shown : shown.inside) ?? world.root;
  }

  /* Shows what the address names. A view of the panel alone leaves the picture as it is. */
  async function show() {
    const [, kind, rest] = location.hash.match(/^#([a-z]+)-?(.*)$/) ?? [], view = views[kind];
    if (!view) thing = thingAt(world, location.hash);
    const community = thing.parts ? thing : thing.inside ?? world.root;
    const way = trail(community);
    get("trail").replaceChildren(...way.map((it, i) => make("span", {}, i ? make("span", { ariaHidden: "true" }, "› ") : null, link(it.title, () => open(it)))));
    get("trail").querySelectorAll("button").forEach((button) => button.title = button.textContent);
    for (const id of ["circles", "graph"]) get(id).ariaPressed = String(id === mode);
    get("hint").textContent = HINTS[coarse.matches ? "touch" : "mouse"];
    // First the panel, since a long one may narrow the picture by a scroll bar.
    if (view) get("panel").replaceChildren(...await view(rest).catch((error) => [make("h2", { tabIndex: -1 }, error.message)]));
    else panel.show(thing);
    picture.show(community, thing, mode);
    const heading = get("panel").querySelector("h2");
    document.title = `${view ? heading.textContent : thing === world.root ? "Map of communities" : thing.title ?? thing.name} – ${corpus}`;
    if (before) turnTo(heading);
    before = mode;
  }

  for (const id of ["circles", "graph"]) get(id).onclick = () => { mode = id; show(); get(id).focus(); };
  search(world, open);
  addEventListener("hashchange", show);
  addEventListener("keydown", (event) => {
    const writes = event.isComposing || event.target.matches("input, textarea, select");
    if (event.key === "Escape" && !writes) open(thingAt(world, location.hash).inside ?? world.root);
  });
  show();
  atlas = { world, picture };
  whenDrawn.forEach((act) => act());
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  document.getElementById("panel").replaceChildren(make("p", {}, `The map can't be opened (${error}): use a newer browser.`));
});
