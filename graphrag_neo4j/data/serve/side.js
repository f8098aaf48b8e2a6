"use strict";
/* What stands beside the conversation: passages, documents, and what of the map an answer rests on. */

let cited = null; // the citations whose things light up, also of an answer that is there before the map

function light(citations) {
  cited = citations?.length ? citations : null;
  if (!atlas) return;
  const { world, picture } = atlas, lit = new Set();
  for (const { kind, ref } of cited ?? []) {
    const pair = kind === "Relationships" ? world.relationships.get(ref) : null;
    if (kind === "Reports") lit.add(world.communities.get(ref));
    if (kind === "Entities") lit.add(world.entities.get(ref));
    if (pair) lit.add(world.entities.get(pair.source)).add(world.entities.get(pair.target));
    if (kind === "Claims") world.claims.get(ref)?.entities.forEach((one) => lit.add(world.entities.get(one)));
    if (kind === "Sources") for (const entity of world.entities.values()) if (entity.chunks.includes(ref)) lit.add(entity);
  }
  lit.delete(undefined);
  picture.light(lit.size ? lit : null);
}

whenDrawn.push(() => light(cited));
document.querySelector(".doors").onclick = () => { origin = null; };

Object.assign(doorOf, { document: "documents", source: "documents", names: "" });

/* The name of a document without its escapes; as it is where a "%" begins none. */
function readable(source) {
  try {
    return decodeURIComponent(source);
  } catch {
    return source;
  }
}

/* The name of a file, whose lines may break between its words. */
function breakable(name) {
  return name.split(/(?<=[_./])(?=[^_./])/).flatMap((part, n) => (n ? [make("wbr"), part] : [part]));
}

/* A passage in its document, with the sentence marked that was cited. */
views.source = async (address) => {
  const [ref, from, to] = address.split("-").map(Number), found = await read(`api/sources/${ref}${from ? `?at=${from}` : ""}`);
  const characters = [...found.text], start = from || found.start, end = to || found.end;
  const slice = (a, b) => characters.slice(Math.max(0, a - found.text_start), Math.max(0, b - found.text_start)).join("");
  const mark = make("mark", {}, slice(start, end));
  const text = make("div", { class: "document", dir: "auto", tabIndex: 0, role: "region", ariaLabel: "Text" },
    found.before ? "… " : "", slice(found.text_start, start), mark, slice(end, found.text_start + characters.length), found.after ? " …" : "");
  setTimeout(() => { text.scrollTop = mark.offsetTop - text.clientHeight / 3; }); // once it is in the panel
  return [
    make("h2", { tabIndex: -1, dir: "auto" }, make("a", { href: documentAddress(found.document, start, end) }, breakable(found.title))),
    make("p", { class: "facts", title: readable(found.document), dir: "auto" }, breakable(found.place)),
    text,
    make("h3", {}, "This passage mentions"),
    make("ul", { class: "cited" }, found.entities.map((one) => make("li", {}, make("a", { href: `#entity-${one.ref}` }, one.name)))),
  ];
};

const ORDERS = { name: "Name", date: "Newest first", size: "Largest first", state: "Failures first" };

/* All documents, and what became of them. Where the server writes, files can be dropped here. */
views.documents = async () => {
  const { write, running } = await read("api/state"), list = make("ul", { class: "list documents" }), told = make("p", { class: "facts", role: "status" });
  const sort = make("select", { id: "sort" }, Object.entries(ORDERS).map(([value, name]) => make("option", { value }, name)));
  const find = make("input", { id: "find", type: "search", autocomplete: "off" });
  const none = make("p", { role: "status" }), button = make("button", { type: "button", class: "more", textContent: "Show more" });
  const row = (one) => {
    const name = one.chunks ? make("a", { href: documentAddress(one.source) }, breakable(one.name)) : breakable(one.name);
    const facts = [one.title !== one.name ? one.title : "", ...factsOf(one), one.state === "read" ? "" : one.state, ...one.reasons].filter(Boolean);
    const item = make("li", {}, make("span", { dir: "auto" }, name), " ", make("small", { dir: "auto" }, facts.join(" · ")));
    if (write) item.append(" ", make("button", { type: "button", class: "link", ariaLabel: `Delete ${one.name}`, onclick: () => remove(one, item) }, one.source.includes("#") ? "Delete the file" : "Delete"));
    return item;
  };
  const bar = make("progress", { hidden: true, ariaLabel: "Progress of the run" });
  const stop = make("button", { type: "button", class: "more", hidden: true, onclick: () => fetched("api/run", { method: "DELETE" }).catch((error) => { told.textContent = error.message; }) }, "Stop reading");
  let asked = 0; // lists; only the last one that was asked for is shown
  const more = async (after) => {
    const number = ++asked, sought = new URLSearchParams({ after, sort: sort.value, find: find.value.trim() });
    const rows = await read(`api/documents?${sought}`);
    if (number !== asked) return;
    found = rows;
    if (!after) list.replaceChildren();
    list.append(...found.map(row));
    button.hidden = found.length < 200;
    none.textContent = list.children.length ? "" : find.value.trim() ? "No name or title has this." : "There are no documents yet.";
  };
  const remove = (one, item) => confirm(`Delete ${one.source.includes("#") ? `all rows of the file of ${one.name}` : one.name} from the graph?`) && change(async () => {
    await fetched(`api/documents?source=${encodeURIComponent(one.source)}`, { method: "DELETE" });
    item.remove();
  });
  let last = Promise.resolve(), flaws = [], telling = false, again = false;
  /* Changes documents, one change after the other. */
  const change = (act) => { last = last.then(act).catch((error) => flaws.push(error.message)).then(() => { tell(); }); };
  /* Tells what a run does until it ends, and what was wrong with the changes before. */
  const tell = async () => {
    again = true;
    if (telling) return;
    telling = true;
    while (again) {
      again = false;
      try {
        let ended = "";
        for await (const [, run] of events(await fetched("api/run"))) {
          const cost = run.cost ? ` · $${run.cost.toFixed(4)}` : "", busy = run.running && !run.waiting;
          [bar.hidden, stop.hidden] = [!busy, !(busy && write)];
          if (run.total) [bar.max, bar.value] = [run.total, Math.min(run.done, run.total)];
          else bar.removeAttribute("value");
          if (run.running) told.textContent = run.waiting ? [...flaws, run.waiting].join(" ") : `Reading… ${run.stage ? doing(run) : ""}${cost}`;
          else ended = [...flaws, ...run.problems].join(" ") || `Everything is read${cost}.`;
        }
        await more("");
        conversation.refresh();
        await atlas?.renew();
        told.textContent = ended;
      } catch (error) {
        told.textContent = error.message;
      }
    }
    [telling, flaws] = [false, []];
  };
  const send = (files) => change(async () => {
    for (const file of files) {
      told.textContent = `Sending ${file.name}…`;
      await fetched(`api/documents/${encodeURIComponent(file.name)}`, { method: "PUT", body: file }).catch((error) => flaws.push(error.message));
    }
  });
  let found = [];
  await more("");
  button.onclick = () => more(found.at(-1).key);
  sort.onchange = find.oninput = () => more("").catch((error) => { none.textContent = error.message; });
  const chosen = make("input", { type: "file", multiple: true, id: "files", onchange: () => { send([...chosen.files]); chosen.value = ""; } });
  const place = make("div", { class: "drop" }, make("label", { htmlFor: "files" }, "Drop files here, or choose some"), chosen);
  place.ondragover = (event) => event.preventDefault();
  place.ondrop = (event) => { event.preventDefault(); send([...event.dataTransfer.files]); };
  if (running) tell();
  const sought = make("div", { class: "sought" }, make("label", {}, "Name or title ", find), make("label", {}, "Order ", sort));
  return [make("h2", { tabIndex: -1 }, "Documents"), write ? place : null, told, bar, stop, sought, none, list, button].filter(Boolean);
};
