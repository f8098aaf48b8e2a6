"use strict";
/* A document to read: its text in parts, as headings, lists and tables, with what was cited marked. The
   graph holds the words of a rendered page, not its Markdown; the form of its blocks is that of lines. */

const ITEM = /^( *)(?:-|(\d+)\.) /;
const CELLS = " | ";

/* The address of a document, perhaps with a place in it: characters from start to end. */
function documentAddress(source, start, end) {
  return `#document-${encodeURIComponent(source)}${end ? `@${start}-${end}` : ""}`;
}

/* The places of the last answer in a document and one more, in order and apart, as [start, end]. */
function placesIn(source, place) {
  const sources = (cited ?? []).flatMap((one) => one.sources).filter((one) => one.document === source);
  const found = sources.map((one) => one.quote ?? [one.start, one.end]).concat(place ? [place] : []).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return found.reduce((apart, [start, end]) => {
    const from = Math.max(start, apart.at(-1)?.[1] ?? 0);
    return from < end ? [...apart, [from, end]] : apart;
  }, []);
}

/* Makes blocks of a text that begins at a character `at` of its document. */
class Blocks {
  constructor({ text, text_start: at, parts, title, keeps_lines: lines }, places) {
    Object.assign(this, { text, at, title, lines, places, parts: new Map(parts.map((one) => [one.start, one.label])) });
  }

  make() {
    return this.pieces(this.text, /(\n\n+)/, this.at).flatMap(([text, at]) => (/^\s*$/.test(text) ? [] : this.block(text, at)));
  }

  /* What a separator divides, each with the character of the document where it begins. */
  pieces(text, separator, at) {
    return text.split(separator).map((piece) => {
      const begins = at;
      at += [...piece].length;
      return [piece, begins];
    }).filter((_, n) => n % 2 === 0);
  }

  block(text, at) {
    const label = this.parts.get(at), rows = this.pieces(text, /(\n)/, at), words = flat(text);
    if (label !== undefined && ([this.title, label].includes(words) || [" › ", ", "].some((before) => label.endsWith(before + words)))) {
      return [make(`h${Math.min(6, 3 + label.split(" › ").slice(1).length)}`, {}, this.marked(text, at))];
    }
    const page = label && !this.lines ? [make("p", { class: "facts" }, label)] : [];
    if (this.lines) return [...page, make("p", { class: "lines" }, this.marked(text, at))];
    if (ITEM.test(text)) return [...page, this.list(rows)];
    if (rows.length > 1 && rows.every(([row]) => row.includes(CELLS))) return [...page, this.table(rows)];
    return [...page, make(rows.every(([row]) => row.startsWith("\u00a0")) ? "pre" : "p", {}, this.marked(text, at))];
  }

  list(rows) {
    const lists = []; // the open ones, the innermost last, as [indent, element]
    let last = null;
    for (const [row, at] of rows) {
      const [whole, indent, number] = row.match(ITEM) ?? [];
      if (whole === undefined) {
        last.append("\n", ...this.marked(row, at));
        continue;
      }
      while (lists.length > 1 && indent.length < lists.at(-1)[0]) lists.pop();
      if (!lists.length || indent.length > lists.at(-1)[0]) {
        const list = make(number ? "ol" : "ul", number ? { start: Number(number) } : {});
        last?.append(list);
        lists.push([indent.length, list]);
      }
      last = make("li", {}, this.marked(row.slice(whole.length), at + whole.length));
      lists.at(-1)[1].append(last);
    }
    return lists[0][1];
  }

  table(rows) {
    const row = ([text, at]) => make("tr", {}, this.pieces(text, /( \| )/, at).map((cell) => make("td", {}, this.marked(...cell))));
    return make("table", {}, make("tbody", {}, rows.map(row)));
  }

  /* A text with marks where places are; each has the number of its place. */
  marked(text, at) {
    const characters = [...text], end = at + characters.length, nodes = [];
    let done = at;
    const upTo = (to) => {
      const words = characters.slice(done - at, to - at).join("");
      done = to;
      return words;
    };
    this.places.forEach(([from, to], n) => {
      if (to <= at || from >= end) return;
      nodes.push(upTo(Math.max(from, at)));
      nodes.push(make("mark", { tabIndex: -1, className: `place-${n}` }, upTo(Math.min(to, end))));
    });
    return [...nodes, upTo(end)].filter((node) => node !== "");
  }
}

/* The facts of a document, as people say them. */
function factsOf({ folder, date, characters }) {
  return [folder, date, characters ? counted(characters, "character", "characters") : ""].filter(Boolean);
}

/* A document, whose text is read as far as the reader comes. */
views.document = async (address) => {
  const [, encoded, from, to] = address.match(/^(.*?)(?:@(\d+)-(\d+))?$/), place = to ? [Number(from), Number(to)] : null;
  const at = (start) => read(`api/text?source=${encodeURIComponent(readable(encoded))}&at=${start}`);
  const first = await at(0), places = placesIn(first.source, place);
  const text = make("div", { class: "reading prose", dir: "auto" });
  const rest = make("button", { type: "button", class: "more", textContent: "Read on" });
  let reading = null;
  const show = (part) => {
    text.append(...new Blocks(part, places).make());
    Object.assign(rest, { hidden: part.next === null, value: part.next });
  };
  const on = () => (reading ??= at(rest.value).then(show).finally(() => { reading = null; }));
  const fail = (error) => { told.textContent = error.message; };
  rest.onclick = () => on().catch(fail);
  show(first);
  new IntersectionObserver(([seen]) => { if (seen.isIntersecting && !rest.hidden) on().catch(fail); }, { rootMargin: "600px" }).observe(rest);

  const told = make("span", { role: "status" }, counted(places.length, "place", "places"));
  let shown = place ? places.findLastIndex(([start]) => start <= place[0]) - 1 : -1;
  const step = async (by, focus = true) => {
    shown = (shown + by + places.length) % places.length;
    while (!rest.hidden && Number(rest.value) <= places[shown][0]) await on();
    const mark = text.querySelector(`.place-${shown}`);
    mark?.scrollIntoView({ block: "center" });
    if (focus) mark?.focus({ preventScroll: true });
    told.textContent = `Place ${shown + 1} of ${places.length}`;
  };
  const button = (name, by) => make("button", { type: "button", class: "more", onclick: () => step(by).catch(fail) }, name);
  if (place) setTimeout(() => step(1, false).catch(fail)); // once it is in the panel
  const said = Object.entries(first.metadata).filter(([field]) => field !== "date").map(([field, value]) => [make("dt", {}, field), make("dd", {}, [value].flat().join(", "))]);
  return [
    make("h2", { tabIndex: -1, dir: "auto" }, breakable(first.name)),
    first.title !== first.name ? make("p", { dir: "auto" }, first.title) : null,
    make("p", { class: "facts", dir: "auto" }, factsOf(first).join(" · ")),
    said.length ? make("details", {}, make("summary", {}, "What else is known"), make("dl", {}, said)) : null,
    places.length ? make("div", { class: "steps", role: "group", ariaLabel: "Places that the answer cites" }, button("Previous", -1), button("Next", 1), told) : null,
    first.text ? text : make("p", {}, "It holds no text."),
    rest,
  ].filter(Boolean);
};
