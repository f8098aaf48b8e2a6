"use strict";
/* The picture: nested circles of communities, or the entity graph of one community. */

const SMALLEST = 4; // pixels; entities whose places have a smaller radius are not drawn
const TINY = 2.5; // pixels; the smallest radius of an entity that stands out
const [NARROWEST, WIDEST] = [2, 6000]; // the width of a view, in the units of the layout
const NAMED = 13; // pixels; entities whose places have a smaller radius have no name
const ARROWS = "→↘↓↙←↖↑↗";
const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");

class Picture {
  constructor(canvas, world, open) {
    Object.assign(this, { canvas, open, mode: "circles", view: [500, 500, 1010] });
    this.labels = new Labels(document.getElementById("labels"));
    this.context = canvas.getContext("2d");
    this.hold(world);
    new ResizeObserver(() => this.resize()).observe(canvas);
    dark.addEventListener("change", () => this.draw());
    listen(this);
  }

  /* Draws this world from now on. */
  hold(world) {
    Object.assign(this, { world, nodes: new Map(), packed: pack(world.root), lit: null, marked: [], hovered: null });
    this.packed.each((node) => this.nodes.set(node.data, node));
    this.focus = this.packed;
  }

  /* Lets these communities and entities stand out, and all that holds them; the rest fades. Null: none. */
  light(things) {
    this.marked = [...things ?? []].filter((thing) => !thing.parts && this.nodes.has(thing));
    this.lit = things && new Set([...things].flatMap((thing) => this.nodes.get(thing)?.ancestors().map((node) => node.data) ?? []));
    this.draw();
  }

  fades(thing) {
    return Boolean(this.lit) && !this.lit.has(thing);
  }

  resize() {
    const scale = devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.draw();
  }

  /* Shows a community as circles, or the graph of the chosen community or entity, and marks the chosen
     one; at a `view` that was `pulled`, or as a whole. */
  show(community, chosen, mode, view) {
    this.chosen = chosen;
    this.mode = mode;
    this.focus = this.nodes.get(community);
    const of = chosen.parts ? community : chosen, { x, y, r } = this.focus;
    if (mode === "graph" && this.graph?.of !== of) this.graph = relate(this.world, of);
    showLegend(document.getElementById("legend"), this);
    this.whole = mode === "graph" ? this.graph.view : [x, y, r * 2.06];
    this.pulled = view;
    this.fly(view ?? this.whole, Boolean(view) || mode === "graph" || this.was !== mode);
    this.was = mode;
    // The bars around the picture may have become taller; the observer would tell this a frame later.
    if (this.width !== this.canvas.clientWidth || this.height !== this.canvas.clientHeight) this.resize();
  }

  fly(goal, at_once) {
    this.flight?.stop();
    if (at_once || still.matches) {
      this.view = goal;
      return this.draw();
    }
    const way = d3.interpolateZoom(this.view, goal);
    const time = Math.min(900, Math.max(250, way.duration));
    this.flight = d3.timer((elapsed) => {
      const t = Math.min(1, elapsed / time);
      this.view = way(t * t * (3 - 2 * t));
      this.draw();
      if (t === 1) this.flight.stop();
    });
  }

  /* Moves a point of the picture from (x, y) to (x2, y2), and makes the view `by` times as wide. */
  pull([x, y], [x2, y2], by) {
    this.flight?.stop();
    const [cx, cy, wide] = this.view, k = this.scale;
    this.view = [0, 0, Math.min(WIDEST, Math.max(NARROWEST, wide * by))];
    this.view[0] = cx + (x - this.width / 2) / k - (x2 - this.width / 2) / this.scale;
    this.view[1] = cy + (y - this.height / 2) / k - (y2 - this.height / 2) / this.scale;
    this.pulled = this.view;
    this.draw();
    this.canvas.dispatchEvent(new Event("pulled"));
  }

  get scale() {
    return Math.min(this.width, this.height) / this.view[2];
  }

  place(node) {
    const k = this.scale, [x, y] = this.view;
    return [(node.x - x) * k + this.width / 2, (node.y - y) * k + this.height / 2, node.r * k];
  }

  seen([x, y, r]) {
    return x + r > 0 && y + r > 0 && x - r < this.width && y - r < this.height;
  }

  draw() {
    if (!this.width) return;
    this.context.clearRect(0, 0, this.width, this.height);
    if (this.mode === "graph") drawGraph(this);
    else drawCircles(this);
    document.getElementById("zoom").textContent = `${Math.round((100 * (this.whole ?? this.view)[2]) / this.view[2])} %`;
  }

  /* The community or entity at a point of the canvas. `reach` is the radius of a touch in pixels, and
     circles smaller than that can't be hit. */
  at(x, y, reach = 0) {
    if (this.mode === "graph") return this.near(this.graph.nodes, x, y, reach)?.entity;
    let node = this.packed, found = null;
    while (node) {
      found = node;
      node = node.children?.find((child) => {
        const place = this.place(child);
        return place[2] > Math.max(4, reach) && inside(place, x, y);
      });
    }
    // Between the largest circles, the nearest one is hit, however small it is, also one of the ring.
    if (found === this.packed) found = this.near(found.children, x, y, reach) ?? found;
    return found === this.packed && !inside(this.place(found), x, y) ? null : found.data;
  }

  near(nodes, x, y, reach) {
    const away = (node) => {
      const [cx, cy, r] = this.place(node);
      return Math.hypot(cx - x, cy - y) - Math.max(r, 5);
    };
    const hit = nodes.map((node) => [away(node), node]).filter(([far]) => far <= reach);
    return hit.sort((a, b) => a[0] - b[0])[0]?.[1];
  }
}

function inside([cx, cy, r], x, y) {
  return (x - cx) ** 2 + (y - cy) ** 2 <= r ** 2;
}

/* The ground of a community: the deeper, the stronger. */
function ground(hue, depth, fades) {
  const light = dark.matches ? 18 + Math.min(depth, 6) * 4 : 93 - Math.min(depth, 6) * 5;
  return `hsl(${hue} ${fades ? 4 : dark.matches ? 32 : 58}% ${light}%)`;
}

function dot(hue) {
  return `hsl(${hue} 48% ${dark.matches ? 84 : 30}%)`;
}

/* The outline of a community that is named, so that it can be told from the ground. */
function outline(hue) {
  return `hsl(${hue} 45% ${dark.matches ? 60 : 36}%)`;
}

function accent() {
  return dark.matches ? "#8cbcf5" : "#1f5fae";
}

function pale() {
  return dark.matches ? "hsl(210 10% 32%)" : "hsl(210 14% 80%)";
}

/* The single entities and their ring. */
function faint() {
  return dark.matches ? "hsl(210 10% 42%)" : "hsl(210 14% 55%)";
}

/* The dot of an entity in its place. A larger place leaves more room for the name below the dot. */
function dotIn([x, y, r]) {
  const size = Math.min(0.84 * r, 6 + 0.1 * r, 14);
  return [x, y - Math.min(12, 0.3 * (r - size)), size];
}

function drawCircles(picture) {
  const { context, packed } = picture, rings = [], dots = [];
  const note = (node, place) => {
    if (node.data === picture.chosen || node.data === picture.hovered) rings.push([node, place]);
  };
  const visit = (node, hue) => {
    const place = picture.place(node), [x, y, r] = place;
    if (r < 0.9 || !picture.seen(place)) return;
    if (node.depth) disc(context, x, y, r, ground(hue, node.depth, picture.fades(node.data)));
    if (node.depth) note(node, place);
    if (r < SMALLEST) return;
    const own = node.children.filter((child) => !child.children), pales = (child) => picture.fades(child.data);
    dots.push(...drawDots(picture, own.filter(pales), pale(), note));
    dots.push(...drawDots(picture, own.filter((child) => !pales(child)), dot(hue), note));
    for (const child of node.children) if (child.children && !isSingle(child)) visit(child, hue ?? child.data.hue);
  };
  drawRing(picture, note);
  visit(packed);
  for (const thing of picture.marked) mark(picture, thing);
  const parts = standing(picture).children.filter((node) => node.children), circles = parts.map((node) => picture.place(node));
  parts.forEach((node, n) => {
    const drawn = !isSingle(node) && circles[n][2] > SMALLEST && picture.seen(circles[n]);
    if (drawn) ring(context, ...circles[n], 1, picture.fades(node.data) ? pale() : outline(hueOf(node)));
  });
  for (const [node, place] of rings) ring(context, ...place, node.data === picture.chosen ? 2 : 1.5);
  picture.labels.show(circleNames(picture), { dots, circles }, picture.width, picture.height);
}

/* Marks an entity that stands out, also where it is too small to be seen. */
function mark(picture, thing) {
  const [x, y, r] = dotIn(picture.place(picture.nodes.get(thing)));
  disc(picture.context, x, y, Math.max(r, TINY), accent());
}

function isSingle(node) {
  return node.depth === 1 && node.value === 1;
}

/* Draws the single entities in one pale colour, on a line that shows the ring where they are tiny. */
function drawRing(picture, note) {
  const { context, packed } = picture, single = packed.children.filter(isSingle);
  if (!single.length) return;
  const [x, y] = picture.place(packed);
  context.beginPath();
  context.arc(x, y, packed.ring * picture.scale, 0, 2 * Math.PI);
  context.lineWidth = 1;
  context.strokeStyle = faint();
  context.stroke();
  drawDots(picture, single, faint(), note, 0.7);
}

/* Draws entities as one path, because thousands of paths are slow, and returns their dots. */
function drawDots(picture, nodes, fill, note, smallest = SMALLEST) {
  const { context } = picture, dots = [];
  context.beginPath();
  for (const node of nodes) {
    const place = picture.place(node);
    if (place[2] < smallest || !picture.seen(place)) continue;
    const [x, y, r] = dotIn(place);
    context.moveTo(x + r, y);
    context.arc(x, y, r, 0, 2 * Math.PI);
    note(node, [x, y, r]);
    dots.push([x, y, r]);
  }
  context.fillStyle = fill;
  context.fill();
  return dots;
}

function disc(context, x, y, r, fill) {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
}

/* Draws a shape of these corners; without any, a disc. */
function shape(context, x, y, r, fill, corners) {
  if (!corners.length) return disc(context, x, y, r, fill);
  context.beginPath();
  for (const [right, below] of corners) context.lineTo(x + r * right, y + r * below);
  context.fillStyle = fill;
  context.fill();
}

function ring(context, x, y, r, width, colour = dark.matches ? "#fff" : "#14181d") {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}

function hueOf(node) {
  return node.ancestors().at(-2).data.hue;
}

/* The community whose parts get names: the opened one, or one that fills the picture after zooming. */
function standing(picture) {
  const opened = new Set(picture.focus.ancestors()), [x, y] = picture.view;
  const wide = Math.min(picture.width, picture.height);
  const fills = (node) => {
    const r = picture.place(node)[2];
    return node.children && 2 * r > wide * (opened.has(node) ? 0.5 : 1.05) && inside([node.x, node.y, node.r], x, y);
  };
  let node = picture.packed;
  for (let next = node; next; next = node.children.find(fills)) node = next;
  return node;
}

/* The names in order: the chosen one, then communities by size, then entities by degree. */
function circleNames(picture) {
  const at = standing(picture), chosen = picture.nodes.get(picture.chosen);
  const rank = (node) => (node === chosen ? Infinity : node.children ? 1e9 + node.value : node.data.degree);
  const nodes = at.children.filter((node) => !isSingle(node) && picture.seen(picture.place(node)));
  if (chosen && !chosen.children && !nodes.includes(chosen) && picture.seen(picture.place(chosen))) nodes.push(chosen);
  return nodes.sort((a, b) => rank(b) - rank(a)).map((node) => circleName(picture, node, node === chosen)).filter(Boolean);
}

function circleName(picture, node, chosen) {
  const place = picture.place(node), r = place[2], name = { thing: node.data, bold: chosen };
  if (node.children) {
    const size = Math.round(Math.max(11, Math.min(15, r / 8)));
    return r > 22 ? { ...name, ...spot(place), text: node.data.title, room: Math.max(r * 1.6, 96), lines: r > 4 * tall(size) ? 4 : 3, size, bold: true } : null;
  }
  const size = Math.round(Math.max(11, Math.min(14, r / 5)));
  return r > NAMED || chosen ? { ...name, ...spot(dotIn(place)), text: node.data.name, room: Math.max(r * 1.8, 80), lines: 2, size, sides: [BELOW, RIGHT, LEFT, ABOVE] } : null;
}

function spot([x, y, r]) {
  return { x, y, r };
}

function drawGraph(picture) {
  const { context, graph } = picture, near = new Set();
  for (const link of graph.links) {
    const has = (entity) => link.source.entity === entity || link.target.entity === entity;
    if (has(picture.hovered)) near.add(link.source).add(link.target);
    const [x, y] = picture.place(link.source), [x2, y2] = picture.place(link.target);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x2, y2);
    context.lineWidth = Math.min(5, 0.6 + Math.sqrt(link.pair.weight) * 0.5);
    context.strokeStyle = lineColour(has(picture.hovered), has(graph.of), graph.of.parts);
    context.stroke();
  }
  const dots = graph.nodes.map((node) => picture.place(node));
  graph.nodes.forEach((node, n) => {
    const look = lookOf(picture.world, node.entity.type);
    shape(context, ...dots[n], picture.fades(node.entity) ? pale() : paint(look), cornersOf(look));
    if (node.entity === picture.chosen || node.entity === picture.hovered) ring(context, ...dots[n], 2);
  });
  const names = [...graphNames(picture, near, dots), ...predicates(picture)].sort((a, b) => b.rank - a.rank);
  picture.labels.show(names, { dots, circles: [] }, picture.width, picture.height);
}

/* Lines between two neighbours of an entity are the faintest. */
function lineColour(hovered, own, ofCommunity) {
  if (hovered) return accent();
  const strength = own ? 0.45 : ofCommunity ? 0.22 : 0.1;
  return dark.matches ? `rgb(160 175 190 / ${strength})` : `rgb(80 95 110 / ${strength})`;
}

/* The names, with the most wanted of the highest rank: the chosen entity, then those beside the hovered
   one. */
function graphNames(picture, near, dots) {
  const wanted = (node) => (node.entity === picture.chosen ? 3 : near.has(node) ? 2 : 0);
  const [middle] = picture.view;
  return picture.graph.nodes.map((node, n) => ({ node, dot: dots[n], rank: wanted(node) })).filter(({ dot }) => picture.seen(dot)).map(({ node, dot, rank }) => ({
    thing: node.entity, text: node.entity.name, rank, ...spot(dot), room: 104, lines: 2, size: rank === 3 ? 13 : 11, bold: rank === 3,
    sides: node.x < middle ? [LEFT, BELOW, ABOVE, RIGHT] : [RIGHT, BELOW, ABOVE, LEFT],
  }));
}

/* The predicates at the lines of the hovered entity, else of the chosen one, after arrows to whom they
   lead. Those of all lines would be too many to read. */
function predicates(picture) {
  const { graph, hovered, chosen } = picture, of = hovered ?? chosen;
  return graph.links.filter(({ source, target, pair }) => pair.predicate && (source.entity === of || target.entity === of)).map(({ source, target, pair }) => {
    const leads = source.entity === of, ends = leads ? [source, target] : [target, source];
    const [[x, y, r], [x2, y2, r2]] = ends.map((node) => picture.place(node)), length = Math.hypot(x2 - x, y2 - y);
    const [right, down] = [(x2 - x) / length, (y2 - y) / length], free = length - r - r2;
    const arrow = ARROWS[Math.round((4 * Math.atan2(down, right)) / Math.PI + (leads ? 8 : 12)) % 8];
    return {
      thing: pair, text: `${arrow} ${pair.predicate}`, rank: hovered ? 1 : -1, said: true, x: x + right * r, y: y + down * r, r: 0, way: [right * free, down * free],
      // Beside the line: a corner of the text touches it.
      room: 104, lines: 2, size: 11, sides: right * down > 0 ? [[1, -1], [-1, 1]] : [[1, 1], [-1, -1]],
    };
  });
}
