"use strict";
/* Places things: communities as circles in circles, and entities of a graph by forces. */

const [ROOM, MOST_ROOM] = [0.26, 2.2]; // what a circle is wider, for a name: in its radii, and at most
const GAP = 0.12; // between circles, in radii of an entity
const RING = 1.05; // radius of the ring of single entities, in radii of all other communities
const SINGLE = 0.75; // largest radius of a single entity, in radii of any other one
const DRAWN = 80; // largest number of entities in the graph of a community
const STRONGEST = 40; // largest number of neighbours in the graph of an entity

/* A tree of nodes {data, children, x, y, r}: circles inside the circle around (500, 500) with the
   radius 500. A circle has room for a name above its parts. The root has the radius of the `ring`. */
function pack(root) {
  const tree = d3.hierarchy(root, (one) => one.parts && [...one.parts, ...one.members]);
  tree.children ??= []; // of an empty graph
  tree.sum((one) => (one.parts ? 0 : 1)).sort((a, b) => b.value - a.value);
  tree.eachAfter((node) => (node.children ? arrange(node) : Object.assign(node, { x: 0, y: 0, r: 1 })));
  const scale = 500 / tree.r;
  Object.assign(tree, { x: 0, y: 0, ring: tree.ring * scale });
  tree.eachBefore((node) => {
    const { x, y } = node.parent ?? { x: 500, y: 500 };
    Object.assign(node, { x: x + node.x * scale, y: y + node.y * scale, r: node.r * scale });
  });
  return tree;
}

/* Places the children of a node around its middle. */
function arrange(node) {
  const { true: single = [], false: packed = [] } = Object.groupBy(node.children, (child) => !node.depth && child.value === 1);
  for (const child of packed) child.r += GAP;
  d3.packSiblings(packed);
  const around = packed.length ? d3.packEnclose(packed) : { x: 0, y: 0, r: 1 };
  node.r = around.r + (node.depth && node.value > 1 ? Math.min(MOST_ROOM, ROOM * around.r) : 0);
  for (const child of packed) Object.assign(child, { x: child.x - around.x, y: child.y - around.y + node.r - around.r, r: child.r - GAP });
  if (single.length) ringed(node, single);
}

/* Places communities of one as a ring around all others. */
function ringed(node, single) {
  const radius = node.r * RING + SINGLE, r = Math.min(SINGLE, (2 * radius) / single.length);
  single.forEach((one, n) => {
    const angle = (2 * Math.PI * n) / single.length;
    Object.assign(one, { x: radius * Math.sin(angle), y: -radius * Math.cos(angle), r });
    one.each((inner) => { if (inner !== one) Object.assign(inner, { x: 0, y: 0, r }); });
  });
  Object.assign(node, { ring: radius, r: radius + SINGLE });
}

/* The graph of a community, or of an entity with its strongest neighbours. `left` counts those that
   are not drawn. */
function relate(world, of) {
  const all = of.parts ? [...membersOf(of)].sort((a, b) => b.degree - a.degree) : neighboursOf(world, of);
  const drawn = all.slice(0, of.parts ? DRAWN : STRONGEST);
  const nodes = [...(of.parts ? [] : [of]), ...drawn].map((entity) => ({ entity, r: 6 + Math.min(24, Math.sqrt(entity.degree) * 2.2) }));
  const known = new Map(nodes.map((node) => [node.entity.ref, node]));
  const pairs = new Set(nodes.flatMap((node) => node.entity.related));
  const links = [...pairs]
    .filter((pair) => pair.source !== pair.target && known.has(pair.source) && known.has(pair.target))
    .map((pair) => ({ source: known.get(pair.source), target: known.get(pair.target), pair }));
  const forces = d3.forceSimulation(nodes).force("apart", d3.forceCollide((node) => node.r + 9));
  (of.parts ? gathered : surrounded)(forces, nodes, links);
  forces.stop().tick(260);
  return { of, nodes, links, left: all.length - drawn.length, view: viewOf(nodes) };
}

/* The neighbours of an entity, those of the weightiest relationships first. */
function neighboursOf(world, entity) {
  const pairs = entity.related.filter((pair) => pair.source !== pair.target).sort((a, b) => b.weight - a.weight);
  return pairs.map((pair) => world.entities.get(pair.source === entity.ref ? pair.target : pair.source));
}

function gathered(forces, nodes, links) {
  forces.force("link", d3.forceLink(links).distance((link) => 70 + link.source.r + link.target.r))
    .force("charge", d3.forceManyBody().strength(-320))
    .force("x", d3.forceX().strength(0.07))
    .force("y", d3.forceY().strength(0.09));
}

/* The first node stands in the middle, and the others on rings around it, the strongest inside. */
function surrounded(forces, nodes, links) {
  Object.assign(nodes[0], { fx: 0, fy: 0 });
  forces.force("link", d3.forceLink(links).strength((link) => (link.source === nodes[0] || link.target === nodes[0] ? 0 : 0.02)))
    .force("charge", d3.forceManyBody().strength(-200))
    .force("ring", d3.forceRadial((node) => 130 + 80 * Math.floor(node.index / 14)).strength(0.7));
}

/* The middle and the width of the square around all nodes. */
function viewOf(nodes) {
  const [left, right] = reach(nodes, "x"), [top, bottom] = reach(nodes, "y");
  return [(left + right) / 2, (top + bottom) / 2, Math.max(right - left, bottom - top, 200)];
}

function reach(nodes, name) {
  return [Math.min(...nodes.map((node) => node[name] - node.r - 40)), Math.max(...nodes.map((node) => node[name] + node.r + 40))];
}
