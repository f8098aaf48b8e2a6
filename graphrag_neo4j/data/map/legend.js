"use strict";
/* Says what is drawn, and what its colours mean. */

// By type, as in style.grass. The other types of a map have the looks that are left over, the most
// frequent types first, and then the last one. Each colour has a contrast of at least 3 to the ground, and
// they differ for the colour-blind, too.
const PAINTS = { person: "#9f1801", organization: "#a16d5e", place: "#096062", event: "#521824", concept: "#042a52", product: "#d47200", work: "#b55af4" };
const [MORE, LAST] = ["#0c00d4", "#7d8792"];
const PAINTS_AT_NIGHT = ["#ffa393", "#ffda4d", "#057a56", "#d9597d", "#79f7ff", "#a5a01a", "#942ae7", "#b47aff", "#97a1ab"];
// In the same order, what tells them apart without colours: the number of corners, by how many turns the
// first one stands beside the top, and how near the middle the outline comes between them.
const SHAPES = [[0], [4, 1 / 8], [3, 0], [5, 0, 0.5], [4, 0], [3, 1 / 2], [4, 1 / 8, 0.4], [3, 1 / 4], [6, 0]];
const OTHER = SHAPES.length - 1;

/* How a type looks: a place in these lists. */
function lookOf(world, type) {
  return (world.looks ??= looksOf(world.types)).get(type) ?? OTHER;
}

/* The looks of types, which come in the order of their frequency. */
function looksOf(types) {
  const known = Object.keys(PAINTS), left = [known.length, ...known.keys()].filter((look) => !types.includes(known[look]));
  return new Map(types.map((type) => [type, known.includes(type) ? known.indexOf(type) : left.shift()]));
}

function paint(look) {
  return dark.matches ? PAINTS_AT_NIGHT[look] : [...Object.values(PAINTS), MORE, LAST][look];
}

/* The corners of a look, around a middle; none for a circle. With few corners they are farther from the
   middle, so that all looks seem equally large. */
function cornersOf(look) {
  const [n, turn, between] = SHAPES[look], all = between ? 2 * n : n;
  const far = n && (between ? 1.25 : Math.sqrt(Math.sqrt((2 * Math.PI) / n / Math.sin((2 * Math.PI) / n))));
  return Array.from({ length: all }, (_, i) => {
    const angle = 2 * Math.PI * (turn + i / all), r = far * (i % 2 && between ? between : 1);
    return [r * Math.sin(angle), -r * Math.cos(angle)];
  });
}

function legend(picture) {
  const { graph, world } = picture;
  if (picture.mode === "graph") return [saidOf(graph), "Colours and shapes are types of entities:", ...typesIn(world, graph)];
  const single = picture.packed.children.filter(isSingle).length;
  return ["Colours are communities.", single ? [faint(), `The ring: ${counted(single, "single entity", "single entities")}.`] : null].filter(Boolean);
}

/* Says which entities a graph shows, and how many it leaves out. */
function saidOf({ of, nodes, left }) {
  const n = nodes.length - (of.parts ? 0 : 1);
  const more = left ? `, and ${left.toLocaleString("en")} more` : "";
  if (of.parts) return left ? `The ${n} best connected entities${more}.` : counted(n, "entity.", "entities.");
  return left ? `The ${n} strongest neighbours of ${of.name}${more}.` : `${of.name} has ${counted(n, "neighbour", "neighbours")}.`;
}

/* The types in a graph as [colour, name, corners], the most frequent in the whole map first. */
function typesIn(world, { nodes }) {
  const there = new Set(nodes.map((node) => node.entity.type));
  const named = world.types.filter((type) => there.has(type) && lookOf(world, type) !== OTHER);
  const others = [...there].some((type) => lookOf(world, type) === OTHER);
  const rows = [...named.map((type) => [lookOf(world, type), type]), ...(others ? [[OTHER, named.length ? "other or none" : "none"]] : [])];
  return rows.map(([look, name]) => [paint(look), name, cornersOf(look)]);
}

function showLegend(element, picture) {
  element.replaceChildren(...legend(picture).map((one) => {
    if (typeof one === "string") return make("span", {}, one);
    const swatch = make("i");
    swatch.style.background = one[0];
    if (one[2]?.length) swatch.style.clipPath = `polygon(${one[2].map(([x, y]) => `${50 + 40 * x}% ${50 + 40 * y}%`)})`;
    return make("span", {}, swatch, one[1]);
  }));
}
