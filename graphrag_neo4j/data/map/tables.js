"use strict";
/* Unpacks the data of the page, and links each record to the records around it. */

const KINDS = {
  documents: "title source",
  chunks: "ref document start text line parts part_starts",
  entities: "ref name aliases type properties description degree community chunks",
  relationships: "ref source target weight predicate description chunks",
  claims: "ref description status since until chunk start end entities",
  communities: "ref parent level size title summary rating why origin findings",
};

async function unpack() {
  const data = document.getElementById("data");
  const packed = atob(data ? data.textContent : await (await fetched("api/map")).text());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const text = await new Response(inflated).text();
  return linked(JSON.parse(text.replace(CONTROLS, "\uFFFD")));
}

function linked(tables) {
  const world = { documents: rows(tables, "documents") };
  for (const kind of Object.keys(KINDS).slice(1)) {
    world[kind] = new Map(rows(tables, kind).map((row) => [row.ref, row]));
  }
  for (const entity of world.entities.values()) Object.assign(entity, { related: [], claims: [] });
  for (const pair of world.relationships.values()) {
    world.entities.get(pair.source).related.push(pair);
    world.entities.get(pair.target).related.push(pair);
  }
  for (const claim of world.claims.values()) {
    for (const ref of claim.entities) world.entities.get(ref).claims.push(claim);
  }
  number(world);
  world.root = tree(world);
  return world;
}

/* Invisible characters, and those that change the direction of the text after them. Each is replaced
   by one visible character, so that places in a text stay right. */
const CONTROLS = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/* Numbers the chunks of each document that has several: `part` is 1 for the first. */
function number(world) {
  const parts = Map.groupBy(world.chunks.values(), (chunk) => chunk.document);
  for (const chunks of parts.values()) {
    if (chunks.length > 1) chunks.sort((a, b) => a.start - b.start).forEach((chunk, n) => (chunk.part = n + 1));
  }
}

/* Makes the columns of a table into rows, and runs of pieces into texts. */
function rows(tables, kind) {
  const names = KINDS[kind].split(" ");
  const pieces = tables.pieces[0];
  const read = {
    text: (runs) => written(pieces, runs),
    description: (runs) => folding(pieces, runs),
    summary: (runs) => folding(pieces, runs),
    findings: (found) => found.map(([title, runs]) => [title, folding(pieces, runs)]),
  };
  const columns = tables[kind].map((column, i) => (read[names[i]] ? column.map(read[names[i]]) : column));
  return (columns[0] ?? []).map((_, n) => Object.fromEntries(names.map((name, i) => [name, columns[i][n]])));
}

/* Makes runs of pieces into a text. For each run, `runs` holds the distance from the end of the last
   run, and the length. Between two pieces is a space, unless the first one ends with white space. */
function written(pieces, runs, as = (piece) => piece) {
  let text = "", gap = "", at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    at += runs[i];
    for (const end = at + runs[i + 1]; at < end; at++) {
      const piece = as(pieces[at]);
      text += (piece === "\n" ? "" : gap) + piece;
      gap = /[ \n\t\r]$/.test(piece) ? "" : " ";
    }
  }
  return text;
}

function folding(pieces, runs) {
  return written(pieces, runs, (piece) => (piece === "\n" ? piece : piece.replace(/\s+/g, " ").trim()));
}

/* Links the communities. `parts` holds communities, `members` entities; the root holds level 0. */
function tree(world) {
  const root = { ref: 0, title: "All communities", parts: [], members: [], level: -1 };
  for (const one of world.communities.values()) Object.assign(one, { parts: [], members: [] });
  for (const one of world.communities.values()) {
    one.inside = world.communities.get(one.parent) ?? root;
    one.inside.parts.push(one);
  }
  for (const entity of world.entities.values()) {
    entity.inside = world.communities.get(entity.community) ?? null;
    entity.inside?.members.push(entity);
  }
  for (const one of world.communities.values()) one.title ||= membersNamed(one);
  root.size = world.entities.size;
  root.parts.forEach((one, n) => (one.hue = (210 + n * 137.508) % 360));
  world.types = [...Map.groupBy([...world.entities.values()].filter((it) => it.type), (it) => it.type)].sort((a, b) => b[1].length - a[1].length).map(([type]) => type);
  return root;
}

/* The title of a community without a report: the names of the members with the highest degrees. */
function membersNamed(community) {
  const best = [...membersOf(community)].sort((a, b) => b.degree - a.degree).slice(0, 3);
  return best.map((it) => it.name).join(", ") || `Community ${community.ref}`;
}

/* The name of a cited record; undefined if it is no longer in the graph. */
function nameOf(world, kind, ref) {
  const named = (end) => world.entities.get(end)?.name;
  switch (kind) {
    case "Entities":
      return named(ref);
    case "Relationships": {
      const pair = world.relationships.get(ref);
      return pair && `${named(pair.source)} – ${named(pair.target)}`;
    }
    case "Claims":
      return world.claims.get(ref)?.description;
    case "Reports":
      return world.communities.get(ref)?.title;
    default: {
      const chunk = world.chunks.get(ref);
      return chunk && `${world.documents[chunk.document].title}${chunk.part ? `, part ${chunk.part}` : ""}`;
    }
  }
}

function* membersOf(community) {
  yield* community.members;
  for (const part of community.parts) yield* membersOf(part);
}

/* The communities from the root to this one. */
function trail(community) {
  return community?.inside ? [...trail(community.inside), community] : community ? [community] : [];
}

/* The passages that a citation leads to, as [{chunk, start, text, length}]; `start` is the place in
   the document. Of a chunk it is the sentence nearest to `said`, the text before the citation. The
   text is empty if no sentence of the chunk is near enough. */
function wordsOf(world, kind, ref, said = "") {
  switch (kind) {
    case "Claims": {
      const claim = world.claims.get(ref);
      if (!claim) return [];
      if (claim.start === null) return saying(world, [claim.chunk], [], claim.description);
      return [quote(world.chunks.get(claim.chunk), claim.start, claim.end)];
    }
    case "Sources":
      if (!world.chunks.has(ref)) return [];
      return said.trim() ? saying(world, [ref], [], said) : [quote(world.chunks.get(ref), 0, 600)];
    case "Entities": {
      const entity = world.entities.get(ref);
      // A report that lists its members says "name: description".
      return entity ? saying(world, entity.chunks, [entity.name], without(`${entity.name}: `, said)) : [];
    }
    case "Relationships": {
      const pair = world.relationships.get(ref);
      const ends = pair ? [pair.source, pair.target] : [];
      return saying(world, pair?.chunks, ends.map((end) => world.entities.get(end).name), said);
    }
    default:
      return [];
  }
}

/* Part of a chunk. Places count characters as Python does; JavaScript counts some characters as two. */
function quote(chunk, start, end) {
  const characters = [...chunk.text];
  const from = start ?? 0;
  const text = characters.slice(from, end ?? from + 600).join("");
  const cut = end === null || end > characters.length ? text.length < chunk.text.length : false;
  return { chunk, start: chunk.start + from, text: text + (cut ? " …" : ""), length: [...text].length };
}

/* A passage of each chunk. If some chunks hold `said` word for word, they alone are taken. Otherwise
   it is the sentence that shares enough words with `said` or, if that is empty, has the most of the
   names. Without such a sentence, only the place of the chunk is given. */
function saying(world, refs, names, said) {
  const chunks = (refs ?? []).map((ref) => world.chunks.get(ref));
  const verbatim = said.trim() ? new RegExp(said.trim().split(/\s+/).map(plain).join("\\s+"), "u") : null;
  const whole = verbatim ? chunks.map((chunk) => [chunk, chunk.text.match(verbatim)]).filter(([, found]) => found) : [];
  if (whole.length) return whole.map(([chunk, found]) => passage(chunk, found.index, found[0]));
  const worth = said.trim() ? sharing(said, names) : naming(names);
  return chunks.map((chunk) => {
    let best = null, most = 0;
    for (const sentence of sentences(chunk.text)) {
      const n = worth(folded(sentence[1]), sentence[1]);
      if (n > most) [best, most] = [sentence, n];
    }
    return best ? passage(chunk, ...best) : { chunk, start: chunk.start, text: "", length: [...chunk.text].length };
  });
}

function passage(chunk, index, text) {
  const from = [...chunk.text.slice(0, index)].length;
  return quote(chunk, from, from + [...text].length);
}

function without(beginning, text) {
  const trimmed = text.trim();
  return trimmed.startsWith(beginning) ? trimmed.slice(beginning.length) : trimmed;
}

/* Returns a function that counts the words that a sentence shares with `said`. It gives 0 for less than
   three words, for less than two fifths of the words of the shorter text, for words of the names
   alone, and for a heading in capitals. */
function sharing(said, names) {
  const words = [...wordsIn(folded(said))], named = wordsIn(folded(names.join(" ")));
  return (sentence, text) => {
    if (text === text.toUpperCase() && text !== text.toLowerCase()) return 0;
    const own = wordsIn(sentence), shared = words.filter((word) => own.has(word));
    const needed = Math.max(Math.min(3, words.length), 0.4 * Math.min(words.length, own.size));
    const nameAlone = shared.every((word) => named.has(word)) && !words.every((word) => named.has(word));
    return nameAlone || shared.length < needed ? 0 : shared.length;
  };
}

/* Returns a function that counts the names in a sentence. A name that is a separate word counts more
   than one inside another word. */
function naming(names) {
  const wanted = names.map(folded).map((name) => [name, wordly(name)]);
  return (sentence) => wanted.reduce((n, [name, word]) => n + (word.test(sentence) ? 10 : sentence.includes(name) ? 1 : 0), 0);
}

/* The words of at least four letters and, in scripts without spaces, the pairs of characters. */
function wordsIn(text) {
  const spaced = text.match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  const pairs = [...text.matchAll(/(?=([\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{2}))/gu)].map((found) => found[1]);
  return new Set([...spaced, ...pairs]);
}

/* Sentences end as in nlp/sentences.py. They do not end after an abbreviation or an initial. They end
   at a line break only after a line that is too short to have been wrapped. */
const ABBREVIATION = "(?<!(?<![\\p{L}\\p{N}])(?:\\p{Lu}|Dr|Mr|Mrs|Ms|St|Prof|Jr|Sr|vs|No|Nr|ca|etc|e\\.g|i\\.e|z\\.B|bzw|Abs|Hr|Fr|Inc|Ltd|Co|Corp|Gen|Sen|Rep|Gov|Capt|Lt|Col|Mt|Ft|\\p{N}{1,2}))";
const CLOSED = "[\"'”’»)\\]）」』】》]*";
const END = new RegExp(`${ABBREVIATION}[.!?…]+${CLOSED}(?=\\s+[^\\p{Ll}\\s]|\\s*$)|[!?…]+${CLOSED}(?=\\s)|[。！？｡．؟۔।॥]+${CLOSED}|\\n[ \\t]*\\n`, "gu");
const SPEAKER = /^\s*(?:\p{Lu}[\p{Lu}\p{M} .’'-]{1,40}:\s+)?/u;
const WRAPPED = 45; // characters; a longer line without a full stop may go on in the next one

/* The sentences of a text as [index, text], without the name of a speaker before them. */
function sentences(text) {
  const ends = [...text.matchAll(END)].map((found) => found.index + found[0].length);
  let line = 0;
  for (const found of text.matchAll(/\n/g)) {
    const next = text.slice(found.index + 1, found.index + 60).trimStart();
    const wrapped = text.slice(line, found.index).trim().length >= WRAPPED || /^\p{Ll}/u.test(next);
    line = found.index + 1;
    if (!wrapped || SPEAKER.exec(next)[0].trim()) ends.push(line);
  }
  const found = [];
  let start = 0;
  for (const end of [...ends, text.length].sort((a, b) => a - b)) {
    const spoken = text.slice(start, end), from = start + SPEAKER.exec(spoken)[0].length;
    if (from < end) found.push([from, text.slice(from, end).trimEnd()]);
    start = end;
  }
  return found.filter(([, sentence]) => /[\p{L}\p{N}]/u.test(sentence));
}

function wordly(name) {
  return new RegExp(`(?<![\\p{L}\\p{N}])${plain(name)}(?![\\p{L}\\p{N}])`, "u");
}

function plain(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ");
}
