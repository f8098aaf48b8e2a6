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

/* The name of a document without its escapes; as it is where a "%" begins none. */
function readable(source) {
  try {
    return decodeURIComponent(source);
  } catch {
    return source;
  }
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
    make("h2", { textContent: found.title, tabIndex: -1, dir: "auto" }),
    make("p", { class: "facts", title: readable(found.document), dir: "auto", textContent: found.place }),
    text,
    make("h3", {}, "This passage mentions"),
    make("ul", { class: "cited" }, found.entities.map((one) => make("li", {}, make("a", { href: `#entity-${one.ref}` }, one.name)))),
  ];
};

/* All documents, and what became of them. Where the server writes, files can be dropped here. */
views.documents = async () => {
  const { write, running } = await read("api/state"), list = make("ul", { class: "list" }), told = make("p", { class: "facts", role: "status" });
  const row = (one) => {
    const item = make("li", {}, make("span", { dir: "auto" }, one.title), " ", make("small", {}, [one.state, counted(one.chunks, "chunk", "chunks"), ...one.reasons].join(" · ")));
    if (write) item.append(" ", make("button", { type: "button", class: "link", ariaLabel: `Delete ${one.title}`, onclick: () => remove(one, item) }, one.source.includes("#") ? "Delete the file" : "Delete"));
    return item;
  };
  const more = async (after) => {
    const found = await read(`api/documents?after=${encodeURIComponent(after)}`);
    list.append(...found.map(row));
    return found;
  };
  const remove = (one, item) => confirm(`Delete ${one.source.includes("#") ? `all rows of the file of ${one.title}` : one.title} from the graph?`) && change(async () => {
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
          const cost = run.cost ? ` · $${run.cost.toFixed(4)}` : "", of = run.total ? ` ${run.done.toLocaleString("en")} of ${run.total.toLocaleString("en")}` : "";
          if (run.running) told.textContent = run.waiting ? [...flaws, run.waiting].join(" ") : `Reading… ${run.stage}${of}${cost}`;
          else ended = [...flaws, ...run.problems].join(" ") || `Everything is read${cost}.`;
        }
        list.replaceChildren();
        found = await more("");
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
  let found = await more("");
  const button = make("button", { type: "button", class: "more", hidden: found.length < 200, textContent: "Show more" });
  button.onclick = async () => {
    found = await more(found.at(-1).source);
    button.hidden = found.length < 200;
  };
  const chosen = make("input", { type: "file", multiple: true, id: "files", onchange: () => { send([...chosen.files]); chosen.value = ""; } });
  const place = make("div", { class: "drop" }, make("label", { htmlFor: "files" }, "Drop files here, or choose some"), chosen);
  place.ondragover = (event) => event.preventDefault();
  place.ondrop = (event) => { event.preventDefault(); send([...event.dataTransfer.files]); };
  if (running) tell();
  return [make("h2", { tabIndex: -1 }, "Documents"), write ? place : null, told, list, button].filter(Boolean);
};
