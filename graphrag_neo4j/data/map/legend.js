"use strict";
/* Says what is drawn, and what its colours mean. */

// By type, as in style.grass. The other types of a map have the colours that are left over, the most
// frequent types first, and then the last colour.
const PAINTS = { person: "#f28e2b", organization: "#9c755f", place: "#59a14f", event: "#e15759", concept: "#76b7b2", product: "#edc948", work: "#b07aa1" };
const [MORE, LAST] = ["#4e79a7", "#97a1ab"];

function paint(world, type) {
  return (world.paints ??= paintsOf(world.types)).get(type) ?? LAST;
}

/* The colours of types, which come in the order of their frequency. */
function paintsOf(types) {
  const left = [MORE, ...Object.keys(PAINTS).filter((type) => !types.includes(type)).map((type) => PAINTS[type])];
  return new Map(types.map((type) => [type, Object.hasOwn(PAINTS, type) ? PAINTS[type] : left.shift()]));
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
  const there = new Set(nodes.map((node) => node.entity.type));
  const named = world.types.filter((type) => there.has(type) && paint(world, type) !== LAST);
  const others = [...there].some((type) => paint(world, type) === LAST);
  return [...named.map((type) => [paint(world, type), type]), ...(others ? [[LAST, named.length ? "other or none" : "none"]] : [])];
}

function showLegend(element, picture) {
  element.replaceChildren(...legend(picture).map((one) => {
    if (typeof one === "string") return make("span", {}, one);
    const swatch = make("i");
    swatch.style.background = one[0];
    return make("span", {}, swatch, one[1]);
  }));
}
