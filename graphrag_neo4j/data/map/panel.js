"use strict";
/* The text beside the picture. Texts of documents and models are inserted as text, never as HTML. */

const FIRST = 40; // items of a list that are shown at first
const QUOTED = 3; // passages of an entity that are quoted
const ORIGINS = {
  model: "written by a model",
  extractive: "made of sentences of the documents",
  elements: "listed from its entities, without a model",
  import: "imported",
};

function link(text, act) {
  return make("button", { type: "button", class: "link", textContent: text, onclick: act });
}

function counted(n, one, many) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

class Panel {
  constructor(element, world, open) {
    Object.assign(this, { element, world, open });
  }

  show(thing) {
    const parts = thing === this.world.root ? this.ofRoot() : thing.parts ? this.ofCommunity(thing) : this.ofEntity(thing);
    this.element.replaceChildren(...parts.flat().filter(Boolean));
    this.element.scrollTop = 0;
  }

  heading(text) {
    return make("h2", { textContent: text, tabIndex: -1 });
  }

  ofRoot() {
    const { world } = this;
    const kinds = [
      [world.documents.length, "document", "documents"], [world.entities.size, "entity", "entities"],
      [world.relationships.size, "relationship", "relationships"], [world.claims.size, "claim", "claims"],
      [world.communities.size, "community", "communities"],
    ];
    return [
      this.heading(world.root.title),
      make("p", { class: "facts" }, kinds.map((kind) => counted(...kind)).join(" · ")),
      ...world.communities.size ? [
        make("p", {}, "A circle is a community, and the circles in it are its parts. Open one to read its report. Its entities are dots, which you see when they are large enough."),
        this.parts(world.root, "The largest communities"),
        views.contradictions && make("p", {}, make("a", { href: "#contradictions" }, "What documents say differently")),
        this.timeline([...world.claims.values()]),
      ] : [make("p", {}, "There are no communities yet: they come with the first documents.")],
    ];
  }

  ofCommunity(one) {
    const facts = [`Community ${one.ref}`, `level ${one.level}`, counted(one.size, "entity", "entities")];
    if (one.rating !== null) facts.push(`rating ${one.rating}`);
    if (one.origin) facts.push(Object.hasOwn(ORIGINS, one.origin) ? ORIGINS[one.origin] : one.origin);
    return [
      this.heading(one.title),
      make("p", { class: "facts" }, facts.join(" · ")),
      one.why && make("p", { class: "facts" }, one.why),
      one.summary ? this.prose(one.summary).shown : make("p", {}, "There is no report on this community yet."),
      one.findings.map(([summary, explanation]) => {
        const title = this.prose(summary, make("h3")), text = this.prose(explanation);
        return [title.shown, text.shown, this.basis(once([...title.cites, ...text.cites]))];
      }).flat(),
      this.timeline([...new Set([...membersOf(one)].flatMap((it) => it.claims))]),
      one.parts.length ? this.parts(one, "Communities inside") : null,
      this.members(one),
    ].flat();
  }

  ofEntity(one) {
    const pairs = [...one.related].sort((a, b) => b.weight - a.weight);
    const far = (pair) => this.world.entities.get(pair.source === one.ref ? pair.target : pair.source);
    return [
      this.heading(one.name),
      make("p", { class: "facts" }, [one.type, `entity ${one.ref}`, counted(one.degree, "relationship", "relationships")].filter(Boolean).join(" · ")),
      one.aliases && make("p", { class: "facts" }, `Also called ${one.aliases.join(", ")}`),
      views.names && make("p", { class: "facts" }, make("a", { href: `#names-${one.ref}` }, "Join names, or tell them apart")),
      one.properties && make("p", { class: "facts" }, one.properties.join(" · ")),
      one.description && make("p", {}, one.description),
      make("h3", { class: "part" }, "Communities"),
      this.list(trail(one.inside).slice(1), (it) => [link(it.title, () => this.open(it)), make("small", {}, ` level ${it.level}`)]),
      make("h3", { class: "part" }, "What the documents say"),
      ...quotes(this.world, wordsOf(this.world, "Entities", one.ref).slice(0, QUOTED)),
      ...views.source ? [make("h3", { class: "part" }, "Documents"), this.list(this.documents(one), ({ title, chunk }) => make("a", { href: `#source-${chunk.ref}` }, title))] : [],
      this.timeline(one.claims),
      pairs.length ? make("h3", { class: "part" }, `Related to (${pairs.length})`) : null,
      pairs.length ? this.list(pairs, (it) => {
        const acts = it.source === one.ref, verb = it.predicate;
        const before = verb && acts ? `${one.name} ${verb} ` : verb ? "" : acts ? "to " : "from ";
        const after = [verb && !acts && `${verb} ${one.name}`, it.description].filter(Boolean).map((said) => `${said} `);
        const text = make("span", {}, make("small", {}, before), link(far(it).name, () => this.open(far(it))), make("small", {}, ` ${after.join("· ")}`));
        return this.quoted(text, "Relationships", it.ref);
      }) : null,
    ];
  }

  /* The documents that mention an entity, each with the first of these passages. */
  documents(one) {
    const there = Map.groupBy(one.chunks.map((ref) => this.world.chunks.get(ref)), (chunk) => chunk.document);
    return [...there].map(([document, chunks]) => ({ title: this.world.documents[document].title, chunk: chunks.reduce((a, b) => (a.start < b.start ? a : b)) }));
  }

  parts(one, title) {
    const parts = [...one.parts].sort((a, b) => b.size - a.size);
    const row = (it) => [
      link(it.title, () => this.open(it)),
      make("small", {}, ` ${counted(it.size, "entity", "entities")}${it.rating === null ? "" : `, rating ${it.rating}`}`),
    ];
    return make("section", {}, make("h3", { class: "part" }, `${title} (${parts.length})`), this.list(parts, row));
  }

  members(one) {
    const members = [...membersOf(one)].sort((a, b) => b.degree - a.degree);
    const row = (it) => [link(it.name, () => this.open(it)), make("small", {}, it.type ? ` ${it.type}` : "")];
    return make("section", {}, make("h3", { class: "part" }, `Entities (${members.length})`), this.list(members, row));
  }

  /* Claims on a line of time, the earliest first and those without a date last. */
  timeline(claims) {
    if (!claims.length) return null;
    const row = (it) => [
      make("time", { class: (it.status ?? "").toLowerCase() }, [...new Set([it.since, it.until])].filter(Boolean).join(" – ") || "no date"),
      this.quoted(make("span", {}, [it.status === "TRUE" ? null : it.status, it.description].filter(Boolean).join(" · "), " "), "Claims", it.ref),
    ];
    return make("section", { class: "timeline" }, make("h3", { class: "part" }, `Time line of claims (${claims.length})`), this.list(byDate(claims), row));
  }

  list(things, row) {
    const list = make("ul", { class: "list" });
    const add = (some) => list.append(...some.map((thing) => make("li", {}, row(thing))));
    add(things.slice(0, FIRST));
    if (things.length <= FIRST) return list;
    const more = make("button", { type: "button", class: "more", textContent: `Show all ${things.length}` });
    more.onclick = () => {
      more.remove();
      add(things.slice(FIRST));
      list.children[FIRST].querySelector("button")?.focus();
    };
    return make("div", {}, list, more);
  }

  /* A text in Markdown, with one button for the citations of each sentence. Returns what to show, and the
     citations as [kind, ref, the words that it is for]. A text without `place` is in blocks. */
  prose(text, place = null) {
    const marks = [], markdown = new Markdown((bracket, said, since) => {
      marks.push({ button: make("span"), since, cites: citations(bracket).map((record) => [...record, said]) });
      return [marks.at(-1).button];
    }, { heading: 4 });
    const shown = place ? markdown.line(text, place) : make("div", { class: "prose" }, markdown.blocks(text));
    for (const group of bySentence(marks)) {
      const last = group.pop();
      group.forEach(({ button }) => button.remove());
      last.button.replaceWith(" ", ...this.mark(once([...group, last].flatMap(({ cites }) => cites))));
    }
    return { shown, cites: once(marks.flatMap(({ cites }) => cites)) };
  }

  /* The button for the citations of a sentence; without a citation there is none. */
  mark(cites) {
    if (cites.length < 2) return cites.map((cite) => this.cite(...cite));
    const [[kind, ref]] = cites, first = nameOf(this.world, kind, ref) ?? numbered(kind, ref);
    const button = make("button", { type: "button", class: "cite", title: "Show all that this sentence cites" }, make("span", {}, first), ` +${cites.length - 1}`);
    return [this.opening(button, () => this.named(cites))];
  }

  /* What some citations name, and the passages that they lead to. */
  named(cites) {
    const words = this.words(cites);
    return make("div", { class: "evidence" }, this.cited(cites), words.length ? quotes(this.world, words) : null);
  }

  cited(cites) {
    const { communities, entities, relationships } = this.world;
    return make("ul", { class: "cited" }, cites.map(([kind, ref]) => {
      const name = nameOf(this.world, kind, ref), number = numbered(kind, ref);
      if (!name) return make("li", {}, `${number} (no longer in the graph)`);
      const thing = { Reports: communities, Entities: entities }[kind]?.get(ref);
      return make("li", { title: `${name} (${number})` }, thing ? link(name, () => this.open(thing)) : kind === "Relationships" ? this.ends(relationships.get(ref)) : name);
    }));
  }

  ends({ source, target, predicate }) {
    const [from, to] = [source, target].map((ref) => this.world.entities.get(ref));
    return [link(from.name, () => this.open(from)), predicate ? ` ${predicate} → ` : " → ", link(to.name, () => this.open(to))];
  }

  /* The passages that citations lead to. Where some say it, places of entities and relationships that
     do not say it are left out. */
  words(cites) {
    const all = cites.filter(([kind]) => kind !== "Reports").flatMap(([kind, ref, said]) => wordsOf(this.world, kind, ref, said).map((one) => [kind, one]));
    const saying = all.filter(([kind, { text }]) => text || kind === "Sources");
    return (saying.length ? saying : all).map(([, one]) => one);
  }

  /* The passages of all citations of a finding. */
  basis(found) {
    const cites = found.filter(([kind]) => kind !== "Reports");
    if (!cites.length) return null;
    const all = make("details", {}, make("summary", {}, `Evidence (${cites.length})`));
    all.ontoggle = () => {
      if (all.children.length === 1) all.append(this.named(cites));
    };
    return all;
  }

  quoted(text, kind, ref) {
    // The button needs no name, because the text before it has the name.
    text.append(this.cite(kind, ref, "", "quotation"));
    return text;
  }

  cite(kind, ref, said, as) {
    const number = numbered(kind, ref), name = nameOf(this.world, kind, ref);
    const button = make("button", { type: "button", class: "cite" }, make("span", {}, as ?? name ?? number));
    if (kind === "Reports" && name) {
      button.title = `${name} (${number})`;
      button.onclick = () => this.open(this.world.communities.get(ref));
      return button;
    }
    button.title = name ? `${name} (${number}): show the passages that support this` : `The ${number} is no longer in the graph`;
    return this.opening(button, () => this.evidence(kind, ref, said));
  }

  /* Lets a button show and hide what `shown` makes. */
  opening(button, shown) {
    let made = null;
    button.ariaExpanded = "false";
    button.onclick = () => {
      const opened = (made ??= shown());
      button.ariaExpanded = String(!opened.isConnected);
      if (opened.isConnected) opened.remove();
      else showBelow(button, opened);
    };
    return button;
  }

  evidence(kind, ref, said) {
    const { entities, relationships, claims } = this.world;
    const pair = kind === "Relationships" ? relationships.get(ref) : null;
    const ends = kind === "Entities" ? [ref] : kind === "Claims" ? claims.get(ref)?.entities ?? [] : [];
    const names = pair ? this.ends(pair) : ends.map((end) => entities.get(end)).filter(Boolean).flatMap((it) => [" ", link(it.name, () => this.open(it))]);
    return make("div", { class: "evidence" }, names.length ? make("p", {}, names) : null, quotes(this.world, wordsOf(this.world, kind, ref, said)));
  }
}

/* The marks of a text in one list for each sentence, from what is written `since` the mark before. A
   mark after the full stop belongs to the sentence before it. */
function bySentence(marks) {
  const groups = [];
  let closed = false;
  for (const mark of marks) {
    const { since } = mark, ends = [...since.matchAll(END), ...since.matchAll(/\n/g)];
    const next = ends.some((end) => LETTER.test(since.slice(end.index + end[0].length))) || (closed && LETTER.test(since));
    if (next || !groups.length) groups.push([]);
    groups.at(-1).push(mark);
    closed = LETTER.test(since) ? ends.length > 0 : closed;
  }
  return groups;
}

/* Citations, each record once. */
function once(cites) {
  const found = new Map();
  for (const cite of cites) if (!found.has(`${cite[0]} ${cite[1]}`)) found.set(`${cite[0]} ${cite[1]}`, cite);
  return [...found.values()];
}

/* Claims in the order of their dates, those without one last. */
function byDate(claims) {
  return [...claims].sort((a, b) => (a.since ? b.since ? a.since.localeCompare(b.since) : -1 : b.since ? 1 : 0));
}

function numbered(kind, ref) {
  return `${{ Entities: "entity", Relationships: "relationship", Claims: "claim", Reports: "report", Sources: "source" }[kind]} ${ref}`;
}

/* Where a person finds a character of a document: its name, then a page or heading, and a line. */
function whereabouts(name, { start, text, line, parts, part_starts }, at) {
  const before = [...text].slice(0, at - start), part = parts[part_starts.findLastIndex((begin) => begin <= at)];
  const row = line && line + before.filter((one) => one === "\n").length;
  return [name, part, row && `line ${row.toLocaleString("en")}`].filter(Boolean).join(", ");
}

/* Passages of documents, each text of a place once. */
function quotes(world, words) {
  if (!words.length) return [make("p", { class: "facts" }, "This is no longer in the graph.")];
  const each = new Map(words.map((one) => [`${one.chunk.document} ${one.start} ${one.text}`, one]));
  return [...each.values()].map(({ chunk, start, text, length }) => {
    const { title, source } = world.documents[chunk.document];
    const place = whereabouts(title, chunk, start);
    const there = views.source ? make("a", { href: `#source-${chunk.ref}-${start}-${start + length}` }, place) : place;
    return make("blockquote", { title: source }, text ? make("div", {}, text) : null, make("footer", {}, there));
  });
}
