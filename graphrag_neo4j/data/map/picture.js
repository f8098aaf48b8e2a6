"use strict";
/* The picture: nested circles of communities, or the entity graph of one community. */

const DRAWN = 120; // largest number of entities in an entity graph
const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");

class Picture {
  constructor(canvas, world, open) {
    Object.assign(this, { canvas, world, open, mode: "circles", view: [500, 500, 1010] });
    this.labels = new Labels(document.getElementById("labels"));
    this.context = canvas.getContext("2d");
    this.nodes = new Map();
    this.packed = pack(world.root);
    this.packed.each((node) => this.nodes.set(node.data, node));
    this.focus = this.packed;
    new ResizeObserver(() => this.resize()).observe(canvas);
    dark.addEventListener("change", () => this.draw());
    listen(this);
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

  /* Shows a community as circles or as its entity graph, and marks the chosen community or entity. */
  show(community, chosen, mode) {
    this.chosen = chosen;
    const other = community !== this.focus.data || mode !== this.mode;
    this.mode = mode;
    this.focus = this.nodes.get(community);
    if (mode === "graph") {
      if (other || !this.graph) this.graph = relate(this.world, community, chosen);
      this.fly(this.graph.view, true);
    } else {
      const node = this.focus;
      this.fly([node.x, node.y, node.r * 2.06], this.was !== mode);
    }
    this.was = mode;
    // The bar above the picture may have become taller; the observer would tell this a frame later.
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
    this.view = [0, 0, Math.min(6000, Math.max(2, wide * by))];
    this.view[0] = cx + (x - this.width / 2) / k - (x2 - this.width / 2) / this.scale;
    this.view[1] = cy + (y - this.height / 2) / k - (y2 - this.height / 2) / this.scale;
    this.draw();
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
    const whole = this.mode === "graph" ? this.graph.view[2] : this.focus.r * 2.06;
    document.getElementById("zoom").textContent = `${Math.round((100 * whole) / this.view[2])} %`;
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
    // A touch between the largest circles hits the nearest one, however small it is.
    if (found === this.packed && reach) found = this.near(found.children, x, y, reach) ?? found;
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

function pack(root) {
  const nodes = d3.hierarchy(root, (one) => one.parts && [...one.parts, ...one.members]);
  nodes.sum((one) => (one.parts ? 0 : 1)).sort((a, b) => b.value - a.value);
  return d3.pack().size([1000, 1000]).padding((node) => (node.depth ? 1.2 : 3))(nodes);
}

function colour(hue, depth) {
  if (hue === undefined) return dark.matches ? "hsl(210 8% 40%)" : "hsl(210 8% 70%)";
  const light = dark.matches ? 18 + Math.min(depth, 6) * 4 : 92 - Math.min(depth, 6) * 4;
  return `hsl(${hue} ${dark.matches ? 32 : 58}% ${light}%)`;
}

function dot(hue) {
  return `hsl(${hue ?? 210} ${hue === undefined ? 8 : 52}% ${dark.matches ? 66 : 52}%)`;
}

function drawCircles(picture) {
  const { context } = picture, rings = [];
  const note = (node, place) => {
    if (node.data === picture.chosen || node.data === picture.hovered) rings.push([node, place]);
  };
  const visit = (node, hue) => {
    const place = picture.place(node), [x, y, r] = place;
    if (r < 0.9 || !picture.seen(place)) return;
    if (node.depth) {
      context.beginPath();
      context.arc(x, y, r, 0, 2 * Math.PI);
      context.fillStyle = colour(hue, node.depth);
      context.fill();
      note(node, place);
    }
    if (r < 3 || !node.children) return;
    drawDots(picture, node, hue, note);
    for (const child of node.children) if (child.children) visit(child, hue ?? child.data.hue);
  };
  visit(picture.packed);
  for (const [node, [x, y, r]] of rings) ring(context, x, y, r, node.data === picture.chosen);
  picture.labels.show(circleNames(picture), picture.width, picture.height);
}

/* Draws the entities of a community as one path, because thousands of paths are slow. */
function drawDots(picture, node, hue, note) {
  const { context } = picture;
  context.beginPath();
  for (const child of node.children) {
    const place = child.children ? null : picture.place(child);
    if (!place || place[2] < 0.7 || !picture.seen(place)) continue;
    context.moveTo(place[0] + place[2], place[1]);
    context.arc(...place, 0, 2 * Math.PI);
    note(child, place);
  }
  context.fillStyle = dot(hue);
  context.fill();
}

function ring(context, x, y, r, chosen) {
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.lineWidth = chosen ? 3 : 1.5;
  context.strokeStyle = dark.matches ? "#fff" : "#14181d";
  context.stroke();
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
  const nodes = at.children.filter((node) => picture.seen(picture.place(node)));
  if (chosen && !chosen.children && !nodes.includes(chosen) && picture.seen(picture.place(chosen))) nodes.push(chosen);
  return nodes.sort((a, b) => rank(b) - rank(a)).map((node) => circleName(picture, node, node === chosen)).filter(Boolean);
}

function circleName(picture, node, chosen) {
  const [x, y, r] = picture.place(node), name = { thing: node.data, x, y, r };
  if (!node.children) return r > 13 || chosen ? { ...name, text: node.data.name, room: Math.max(r * 1.8, 80), lines: 2, size: Math.round(Math.max(11, Math.min(14, r / 5))), bold: chosen } : null;
  const size = Math.round(Math.max(11, Math.min(16, r / 6)));
  return r > 22 ? { ...name, text: node.data.title, room: Math.max(r * 1.6, 96), lines: 3, size, bold: true } : null;
}

/* Places the members with the highest degrees by a simulation of forces between them. */
function relate(world, community, chosen) {
  const members = [...membersOf(community)].sort((a, b) => b.degree - a.degree).slice(0, DRAWN);
  if (chosen?.related && !members.includes(chosen)) members[Math.min(members.length, DRAWN - 1)] = chosen;
  const nodes = members.map((entity) => ({ entity, r: 6 + Math.sqrt(entity.degree) * 2.2 }));
  const known = new Map(nodes.map((node) => [node.entity.ref, node]));
  const links = [...new Set(members.flatMap((one) => one.related))]
    .filter((pair) => pair.source !== pair.target && known.has(pair.source) && known.has(pair.target))
    .map((pair) => ({ source: known.get(pair.source), target: known.get(pair.target), pair }));
  d3.forceSimulation(nodes)
    .force("link", d3.forceLink(links).distance((link) => 70 + link.source.r + link.target.r))
    .force("charge", d3.forceManyBody().strength(-260))
    .force("apart", d3.forceCollide((node) => node.r + 8))
    .force("x", d3.forceX().strength(0.06))
    .force("y", d3.forceY().strength(0.06))
    .stop()
    .tick(260);
  const reach = (name) => nodes.flatMap((node) => [node[name] - node.r - 40, node[name] + node.r + 40]);
  const [left, right] = [Math.min(...reach("x")), Math.max(...reach("x"))];
  const [top, bottom] = [Math.min(...reach("y")), Math.max(...reach("y"))];
  const view = [(left + right) / 2, (top + bottom) / 2, Math.max(right - left, bottom - top, 200)];
  return { nodes, links, view };
}

function drawGraph(picture) {
  const { context, graph } = picture, near = new Set();
  for (const link of graph.links) {
    const on = [link.source, link.target].some((end) => [picture.chosen, picture.hovered].includes(end.entity));
    if (on) near.add(link.source).add(link.target);
    const [x, y] = picture.place(link.source), [x2, y2] = picture.place(link.target);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x2, y2);
    context.lineWidth = Math.min(5, 0.6 + Math.sqrt(link.pair.weight) * 0.5);
    context.strokeStyle = on ? (dark.matches ? "#8cbcf5" : "#1f5fae") : dark.matches ? "rgb(160 175 190 / .22)" : "rgb(80 95 110 / .2)";
    context.stroke();
  }
  graph.nodes.forEach((node) => {
    const [x, y, r] = picture.place(node);
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
    context.fillStyle = dot(hueOf(node.entity.inside));
    context.fill();
    if (node.entity === picture.chosen || node.entity === picture.hovered) ring(context, x, y, r, true);
  });
  picture.labels.show(graphNames(picture, near), picture.width, picture.height);
}

/* The names in order: the chosen entity, its neighbours, then entities by degree. */
function graphNames(picture, near) {
  const wanted = (node) => (node.entity === picture.chosen ? 2 : near.has(node) ? 1 : 0);
  const order = [...picture.graph.nodes].sort((a, b) => wanted(b) - wanted(a) || b.r - a.r);
  return order.map((node) => [node, picture.place(node)]).filter(([, place]) => picture.seen(place)).map(([node, [x, y, r]]) => ({
    thing: node.entity, text: node.entity.name, x, y: y + r + 1, room: 104, lines: 2, size: 11,
    bold: wanted(node) === 2, under: true, r: r + 16,
  }));
}
