"use strict";
/* The page's data: unpacked, and linked so that each thing knows its neighbours. */

const KINDS = {
  documents: "title source",
  chunks: "ref document start text",
  entities: "ref name type description degree community chunks",
  relationships: "ref source target weight description chunks",
  claims: "ref description status since until chunk start end entities",
  communities: "ref parent level size title summary rating why origin findings",
};

async function unpack() {
  const packed = atob(document.getElementById("data").textContent);
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

/* Characters that turn the direction of the text after them, or that nobody sees. One visible
   character stands for each, so that places in a text stay right. */
const CONTROLS = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/* Gives the chunks of a document numbers, `part` from 1, where it has more than one. */
function number(world) {
  const parts = Map.groupBy(world.chunks.values(), (chunk) => chunk.document);
  for (const chunks of parts.values()) {
    if (chunks.length > 1) chunks.sort((a, b) => a.start - b.start).forEach((chunk, n) => (chunk.part = n + 1));
  }
}

/* From columns to rows; texts are runs of pieces. */
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

/* Runs are [steps from the end of the run before, length], one after the other; pieces stand one
   space apart, unless one brings its own gap. */
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

/* Communities hold `parts` (communities) and `members` (entities); the root holds level 0. */
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
  return root;
}

/* Where there is no report yet: the names of the best connected members. */
function membersNamed(community) {
  const best = [...membersOf(community)].sort((a, b) => b.degree - a.degree).slice(0, 3);
  return best.map((it) => it.name).join(", ") || `Community ${community.ref}`;
}

/* What a citation leads to, by name; undefined where it is no longer in the graph. */
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

/* From the root down to a community. */
function trail(community) {
  return community?.inside ? [...trail(community.inside), community] : community ? [community] : [];
}

function hueOf(community) {
  return trail(community)[1]?.hue;
}

/* The words that a citation leads to, nearest to what is said with it: [{chunk, start, text,
   length}], start in the document. */
function wordsOf(world, kind, ref, said = "") {
  switch (kind) {
    case "Claims": {
      const claim = world.claims.get(ref);
      return claim ? [quote(world.chunks.get(claim.chunk), claim.start, claim.end)] : [];
    }
    case "Sources":
      if (!world.chunks.has(ref)) return [];
      return said.trim() ? saying(world, [ref], [], said) : [quote(world.chunks.get(ref), 0, 600)];
    case "Entities": {
      const entity = world.entities.get(ref);
      return entity ? saying(world, entity.chunks, [entity.name], said) : [];
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

/* Offsets count characters, as Python does; JavaScript counts some characters as two. */
function quote(chunk, start, end) {
  const characters = [...chunk.text];
  const from = start ?? 0;
  const text = characters.slice(from, end ?? from + 600).join("");
  const cut = end === null || end > characters.length ? text.length < chunk.text.length : false;
  return { chunk, start: chunk.start + from, text: text + (cut ? " …" : ""), length: [...text].length };
}

/* In each chunk what is said, else the sentence with most of the names and of its words, the first
   of equals; a name as a word of its own counts for more than one within another word. */
function saying(world, chunks, names, said) {
  const wanted = [...names, ...(said.match(/[\p{L}\p{N}]{4,}/gu) ?? [])].map(folded).map((name, n) => [name, wordly(name), n < names.length ? 10 : 1]);
  const verbatim = said.trim() ? new RegExp(said.trim().split(/\s+/).map(plain).join("\\s+"), "u") : null;
  return (chunks ?? []).map((ref) => {
    const chunk = world.chunks.get(ref);
    const whole = verbatim && chunk.text.match(verbatim);
    let best = whole, most = whole ? Infinity : -1;
    for (const found of chunk.text.matchAll(/[^.!?。！？\n]+[.!?。！？]*\s*/gu)) {
      const sentence = folded(found[0]);
      const worth = ([name, word, weight]) => (word.test(sentence) ? weight : sentence.includes(name) ? weight / 10 : 0);
      const n = wanted.map(worth).reduce((a, b) => a + b, 0);
      if (n > most) [best, most] = [found, n];
    }
    const from = best ? [...chunk.text.slice(0, best.index)].length : 0;
    return quote(chunk, from, best ? from + [...best[0].trimEnd()].length : null);
  });
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
