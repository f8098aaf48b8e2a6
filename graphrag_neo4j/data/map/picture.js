"use strict";
/* The picture: nested circles of communities, or the entity graph of one of them. */

const DRAWN = 120; // entities in an entity graph
const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");

class Picture {
  constructor(canvas, world, open) {
    Object.assign(this, { canvas, world, open, mode: "circles", view: [500, 500, 1010] });
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

  /* Shows a community, or the entity graph of it, with one thing in it chosen. */
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
  }

  /* What is under a point of the canvas. */
  at(x, y) {
    if (this.mode === "graph") {
      return this.graph.nodes.findLast((node) => inside(this.place(node), x, y))?.entity;
    }
    let node = this.packed, found = null;
    while (node) {
      found = node;
      node = node.children?.find((child) => {
        const place = this.place(child);
        return place[2] > 4 && inside(place, x, y);
      });
    }
    return found === this.packed && !inside(this.place(found), x, y) ? null : found.data;
  }
}

function inside([cx, cy, r], x, y) {
  return (x - cx) ** 2 + (y - cy) ** 2 <= Math.max(r, 5) ** 2;
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
  const { context } = picture, labels = [], rings = [];
  const note = (node, place) => {
    if (node.data === picture.chosen || node.data === picture.hovered) rings.push([node, place]);
    if (labelled(picture, node, place[2])) labels.push([node.data.title ?? node.data.name, ...place, !node.children]);
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
  labels.forEach((label) => write(context, ...label));
}

/* The entities of a community as one path: thousands of single ones would be slow. */
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

/* What stands in the focus, and single entities where there is room. */
function labelled(picture, node, r) {
  if (!node.children) return r > 17 || node.data === picture.chosen;
  return r > 24 && node.parent === picture.focus;
}

/* A title in the middle of a circle, or `under` a point, in at most three lines, shortened. */
function write(context, text, x, y, r, small, under) {
  const size = small ? 11 : Math.max(11, Math.min(16, r / 5));
  context.font = `${small ? 400 : 600} ${size}px system-ui, sans-serif`;
  const room = Math.max(r * 1.7, small ? 60 : 0), lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (context.measureText(longer).width <= room || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const most = r > 40 && !under ? 3 : r > 28 ? 2 : 1;
  if (lines.length > most) lines[most - 1] += " …";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = dark.matches ? "rgb(20 24 29 / .85)" : "rgb(255 255 255 / .85)";
  context.fillStyle = dark.matches ? "#f2f5f8" : "#171d24";
  lines.slice(0, most).forEach((line, i, all) => {
    while (line.length > 2 && context.measureText(line).width > room) line = `${line.slice(0, -2).trimEnd()}…`;
    const height = y + (under ? i : i - (all.length - 1) / 2) * size * 1.2;
    context.strokeText(line, x, height);
    context.fillText(line, x, height);
  });
}

/* The best connected members of a community, placed by their relationships. */
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
  const wanted = (node) => (node.entity === picture.chosen ? 2 : near.has(node) ? 1 : 0);
  const written = [];
  for (const node of [...graph.nodes].sort((a, b) => wanted(b) - wanted(a) || b.r - a.r)) {
    const [x, y, r] = picture.place(node), at = [x, y + r + 9];
    // A name that would stand on another one is left to the tip and the list beside.
    if (written.some(([left, top]) => Math.abs(left - at[0]) < 74 && Math.abs(top - at[1]) < 28)) continue;
    written.push(at);
    write(context, node.entity.name, ...at, 42, true, true);
  }
}

/* Pointer and wheel; the keyboard's way is the text beside. */
function listen(picture) {
  const { canvas } = picture;
  let from = null, moved = false;
  const point = (event) => [event.offsetX, event.offsetY];
  canvas.addEventListener("pointerdown", (event) => {
    [from, moved] = [point(event), false];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = point(event);
    if (from && (moved || Math.hypot(x - from[0], y - from[1]) > 4)) {
      moved = true;
      picture.flight?.stop();
      const [cx, cy, w] = picture.view;
      picture.view = [cx - (x - from[0]) / picture.scale, cy - (y - from[1]) / picture.scale, w];
      from = [x, y];
      return picture.draw();
    }
    hover(picture, picture.at(x, y), x, y);
  });
  canvas.addEventListener("pointerleave", () => hover(picture, null));
  canvas.addEventListener("pointerup", (event) => {
    from = null;
    if (!moved) picture.open(picture.at(...point(event)));
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    picture.flight?.stop();
    const [x, y] = point(event), by = Math.exp(event.deltaY * 0.0015), k = picture.scale;
    const [cx, cy, w] = picture.view, dx = (x - picture.width / 2) / k, dy = (y - picture.height / 2) / k;
    const wide = Math.min(6000, Math.max(2, w * by)), real = wide / w;
    picture.view = [cx + dx * (1 - real), cy + dy * (1 - real), wide];
    picture.draw();
  }, { passive: false });
}

function hover(picture, found, x, y) {
  const tip = document.getElementById("tip");
  const shown = found && found !== picture.world.root ? found : null;
  tip.hidden = !shown;
  if (shown) {
    tip.textContent = shown.parts ? `${shown.title} · ${counted(shown.size, "entity", "entities")}` : `${shown.name} · ${counted(shown.degree, "relationship", "relationships")}`;
    tip.style.left = `${Math.max(4, Math.min(x + 14, picture.width - tip.offsetWidth - 6))}px`;
    tip.style.top = `${picture.canvas.offsetTop + y + 16}px`;
  }
  if (picture.hovered !== shown) {
    picture.hovered = shown;
    picture.draw();
  }
}
