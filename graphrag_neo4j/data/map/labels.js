"use strict";
/* Shows the names in the picture, as elements above the canvas. No name covers another name or a dot,
   or leaves the picture. A name without room is not shown. */

const TRIED = 150; // names for which room is looked for; the most important come first
const APART = 3; // smallest distance of two names in pixels
const NARROW = 0.6; // share of its room that a name is tried in, if it has no place in all of it
const LOOSE = 0.8; // share of the radius by which a name may move to stay in the picture
const AWAY = 3; // pixels between a dot and its name
// The sides of a dot.
const SIDES = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const [RIGHT, LEFT, BELOW, ABOVE] = SIDES;
// Where a name is tried in its circle, in radii to the right of the middle and below it.
const BESIDE = [
  [0, 0], [0, 0.4], [0, -0.4], [0.4, 0], [-0.4, 0], [0.4, 0.4], [-0.4, 0.4], [0.4, -0.4], [-0.4, -0.4], [0, 0.7], [0, -0.7], [0.7, 0], [-0.7, 0],
];
// Where a name is tried on its way, as a share of it: first away from where several ways may begin.
const ALONG = [0.6, 0.75, 0.45, 0.9];
const LEAST = 8; // smallest number of characters of a name that is cut
const WORD = 110; // pixels that a word may take even if the room is smaller
// These scripts have no spaces: a line may end after any of their characters.
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const WORDS = new RegExp(`[${UNSPACED}]|[^\\s${UNSPACED}]+|\\s+`, "gu");

class Labels {
  constructor(layer) {
    Object.assign(this, { layer, elements: new Map(), boxes: new Map() });
    this.context = document.createElement("canvas").getContext("2d");
    this.family = getComputedStyle(layer).fontFamily;
  }

  /* Shows the names that have room; earlier names take their room first. A name is {thing, text, x,
     y, r, room, lines, size, bold, said, way, sides}: its text takes at most `lines` lines of `room`
     pixels. It stands in the circle around (x, y) with the radius r, or beside it; if there are
     `sides`, on the first side with room; if there is a `way`, which leads from (x, y) by these pixels
     to the right and down, beside this line. Names cover none of the `dots`, and names beside a circle
     none of the `circles`, both given as [x, y, r]. */
  show(names, { dots, circles }, width, height) {
    const taken = [];
    const before = this.elements;
    this.elements = new Map();
    for (const name of names.slice(0, TRIED)) {
      const found = this.fit(name, taken, dots, circles, width, height);
      if (!found) continue;
      taken.push(found);
      const element = before.get(name.thing) ?? this.layer.appendChild(document.createElement("span"));
      before.delete(name.thing);
      this.elements.set(name.thing, element);
      set(element, name, found);
    }
    for (const element of before.values()) element.remove();
  }

  /* The place of a name, or null. It is tried with all its lines, then narrower, then with fewer
     lines; each time at all places that `triedFor` gives. */
  fit(name, taken, dots, circles, width, height) {
    const reach = name.r + 2 * name.room + WORD + Math.hypot(...(name.way ?? []));
    const near = (all) => all.filter(([x, y, r]) => Math.abs(x - name.x) < reach + r && Math.abs(y - name.y) < reach + r);
    const [inside, beside] = [near(dots), near([...dots, ...circles])];
    for (let n = 0; n < 2 * name.lines; n++) {
      const room = Math.min(name.room * (n % 2 ? NARROW : 1), width - 24);
      const box = this.box(name, room, name.lines - (n >> 1));
      if (!box) continue;
      for (const [right, down, out] of triedFor(name, box)) {
        const place = placed(box, name, right, down, width, height);
        if (place && !taken.some((other) => meet(place, other)) && !(out ? beside : inside).some((dot) => covers(place, dot))) return place;
      }
    }
    return null;
  }

  box({ text, size, bold }, room, lines) {
    // The room is rounded to steps. Otherwise zooming would measure all names again for each pixel.
    const step = Math.ceil(room / 12) * 12, key = `${step} ${size} ${bold} ${lines} ${text}`;
    if (!this.boxes.has(key)) {
      if (this.boxes.size > 4000) this.boxes.clear();
      this.context.font = `${bold ? 600 : 400} ${size}px ${this.family}`;
      const written = wrapped(text, lines, step, (line) => this.context.measureText(line).width);
      const longest = Math.max(...written.map((line) => this.context.measureText(line).width));
      const all = { text: written.join("\n"), width: Math.ceil(longest) + 8, height: written.length * tall(size) };
      this.boxes.set(key, all.text.endsWith("…") && all.text.length < LEAST ? null : all);
    }
    return this.boxes.get(key);
  }
}

function tall(size) {
  return Math.round(size * 1.25);
}

/* Where the middle of a name is tried, in pixels to the right of the middle of its circle and below
   it, and whether it is outside: of a dot beside it; of a community as high as it fits, then at the
   places of BESIDE, then beside it. */
function triedFor({ r, sides, way }, { width, height }) {
  const out = (sides ?? SIDES).map(([right, down]) => [right * (r + AWAY + width / 2), down * (r + AWAY + height / 2), true]);
  if (way) return ALONG.flatMap((at) => out.map(([right, down]) => [right + at * way[0], down + at * way[1], true]));
  if (sides) return out;
  const top = width < 1.9 * r ? [[0, height / 2 + 1 - Math.sqrt(r ** 2 - (width / 2) ** 2)]] : [];
  return [...top, ...BESIDE.map(([right, down]) => [right * r, down * r]), ...out];
}

function covers({ left, top, right, bottom }, [x, y, r]) {
  return Math.hypot(x - Math.max(left, Math.min(x, right)), y - Math.max(top, Math.min(y, bottom))) < r;
}

function placed(box, { x, y, r, sides }, right, down, width, height) {
  const left = within(x + right - box.width / 2, width - box.width);
  const top = within(y + down - box.height / 2, height - box.height);
  const moved = Math.hypot(left + box.width / 2 - x - right, top + box.height / 2 - y - down);
  if (left + box.width > width || top + box.height > height) return null;
  return moved <= (sides ? 16 : r * LOOSE) ? { left, top, right: left + box.width, bottom: top + box.height, text: box.text } : null;
}

/* The coordinate nearest to the wanted one at which a name is inside the picture. */
function within(wanted, most) {
  return Math.max(2, Math.min(wanted, most - 2));
}

function meet(one, other) {
  return one.left < other.right + APART && other.left < one.right + APART && one.top < other.bottom + APART && other.top < one.bottom + APART;
}

function set(element, { size, bold, said }, { text, left, top, right, bottom }) {
  element.className = said ? "said" : "";
  if (element.textContent !== text) element.textContent = text;
  Object.assign(element.style, {
    fontSize: `${size}px`, lineHeight: `${tall(size)}px`, fontWeight: bold ? 600 : 400,
    width: `${right - left}px`, height: `${bottom - top}px`, transform: `translate(${left}px, ${top}px)`,
  });
}

/* Divides a text into at most `most` lines. If it is longer, the last line ends with "…". */
function wrapped(text, most, wanted, measure) {
  const lines = [""], words = text.trim().match(WORDS) ?? [""];
  const room = Math.max(wanted, Math.min(WORD, Math.max(...words.map(measure)) + measure("…")));
  for (const word of words) {
    const longer = lines.at(-1) + word;
    if (!lines.at(-1) || measure(longer.trimEnd()) <= room) lines[lines.length - 1] = longer.trimStart();
    else lines.push(word.trimStart());
  }
  const all = lines.map((line) => line.trimEnd()).filter(Boolean);
  const shown = all.slice(0, most);
  return shown.map((line, n) => cutTo(line, room, measure, n === most - 1 && all.length > most));
}

/* Cuts a line that is too long after a word or, if its first word is too long, after a character. */
function cutTo(line, room, measure, more) {
  if (!more && measure(line) <= room) return line;
  const fits = (parts) => measure(ended(parts)) <= room;
  const words = line.match(WORDS), characters = [...line];
  while (words.length > 1 && !fits(words)) words.pop();
  while (characters.length > 1 && !fits(characters)) characters.pop();
  return ended(fits(words) ? words : characters);
}

function ended(parts) {
  return `${parts.join("").replace(/[\s,;:.–-]+$/, "")}…`;
}
