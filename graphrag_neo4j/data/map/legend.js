"use strict";
/* Says what is drawn, and what its colours mean. */

// For the most frequent types of entities; all other types have the last colour.
const PAINTS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#97a1ab"];

function paint(world, type) {
  const n = type ? world.types.indexOf(type) : Infinity;
  return PAINTS[Math.min(n, PAINTS.length - 1)];
}

function legend(picture) {
  const { graph, world } = picture;
  if (picture.mode === "graph") return [saidOf(graph), "Colours are types of entities:", ...typesIn(world, graph)];
  const single = picture.packed.children.filter(isSingle).length;
  return ["Colours are communities.", single ? [pale(), `The ring: ${counted(single, "single entity", "single entities")}.`] : null].filter(Boolean);
}

/* Says which entities a graph shows, and how many it leaves out. */
function saidOf({ of, nodes, left }) {
  const n = nodes.length - (of.parts ? 0 : 1);
  const more = left ? `, and ${left.toLocaleString("en")} more` : "";
  if (of.parts) return left ? `The ${n} best connected entities${more}.` : counted(n, "entity.", "entities.");
  return left ? `The ${n} strongest neighbours of ${of.name}${more}.` : `${of.name} has ${counted(n, "neighbour", "neighbours")}.`;
}

/* The types in a graph as [colour, name], the most frequent in the whole map first. */
function typesIn(world, { nodes }) {
  const there = new Set(nodes.map((node) => node.entity.type)), last = PAINTS.at(-1);
  const named = world.types.filter((type) => there.has(type) && paint(world, type) !== last);
  const others = [...there].some((type) => paint(world, type) === last);
  return [...named.map((type) => [paint(world, type), type]), ...(others ? [[last, named.length ? "other or none" : "none"]] : [])];
}

function showLegend(element, picture) {
  element.replaceChildren(...legend(picture).map((one) => {
    if (typeof one === "string") return make("span", {}, one);
    const swatch = make("i");
    swatch.style.background = one[0];
    return make("span", {}, swatch, one[1]);
  }));
}
