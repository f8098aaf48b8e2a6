"use strict";
/* The names in the picture. They are elements over the canvas, so that they can be measured: none
   stands on another, and none leaves the picture. What has no room is left out until there is some. */

const TRIED = 150; // names that are tried for one picture, the most important first
const APART = 3; // pixels between two names
const NARROW = 0.6; // of its room: what a name has where all of it is taken
const LOOSE = 0.8; // of its circle's radius: how far a name moves to stay in the picture
// Of the radius, to the right and down: where a name is tried in its circle.
const BESIDE = [[0, 0], [0, 0.4], [0, -0.4], [0.4, 0], [-0.4, 0], [0.4, 0.4], [-0.4, 0.4], [0.4, -0.4], [-0.4, -0.4]];
const LEAST = 8; // characters: a name that is cut to fewer says nothing
const WORD = 110; // pixels that a word may have, however small the room
// Between the characters of these scripts a line may end without a space.
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const WORDS = new RegExp(`[${UNSPACED}]|[^\\s${UNSPACED}]+|\\s+`, "gu");

class Labels {
  constructor(layer) {
    Object.assign(this, { layer, elements: new Map(), boxes: new Map() });
    this.context = document.createElement("canvas").getContext("2d");
    this.family = getComputedStyle(layer).fontFamily;
  }

  /* Shows those of the names that have room, in their order. Each is {thing, text, x, y, r, room,
     lines, size, bold, under}: its text in at most so many lines of `room` pixels, in the circle
     around x, y with the radius r, or `under` that point. */
  show(names, width, height) {
    const taken = [];
    const before = this.elements;
    this.elements = new Map();
    for (const name of names.slice(0, TRIED)) {
      const found = this.fit(name, taken, width, height);
      if (!found) continue;
      taken.push(found);
      const element = before.get(name.thing) ?? this.layer.appendChild(document.createElement("span"));
      before.delete(name.thing);
      this.elements.set(name.thing, element);
      set(element, name, found);
    }
    for (const element of before.values()) element.remove();
  }

  /* Where a name stands: with all its lines, else narrower, else with fewer; in the middle of its
     circle, else a little beside it. */
  fit(name, taken, width, height) {
    for (let n = 0; n < 2 * name.lines; n++) {
      const room = Math.min(name.room * (n % 2 ? NARROW : 1), width - 24);
      const box = this.box(name, room, name.lines - (n >> 1));
      if (!box) continue;
      for (const [right, down] of name.under ? [[0, box.height / 2]] : BESIDE) {
        const by = name.under ? 1 : name.r;
        const place = placed(box, name, right * by, down * by, width, height);
        if (place && !taken.some((other) => meet(place, other))) return place;
      }
    }
    return null;
  }

  box({ text, size, bold }, room, lines) {
    // In steps, since a picture that grows would measure anew for each pixel.
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

function placed(box, { x, y, r }, right, down, width, height) {
  const left = within(x + right - box.width / 2, width - box.width);
  const top = within(y + down - box.height / 2, height - box.height);
  const moved = Math.hypot(left + box.width / 2 - x - right, top + box.height / 2 - y - down);
  if (left + box.width > width || top + box.height > height) return null;
  return moved <= r * LOOSE ? { left, top, right: left + box.width, bottom: top + box.height, text: box.text } : null;
}

/* The place nearest to the one wanted that leaves a name inside. */
function within(wanted, most) {
  return Math.max(2, Math.min(wanted, most - 2));
}

function meet(one, other) {
  return one.left < other.right + APART && other.left < one.right + APART && one.top < other.bottom + APART && other.top < one.bottom + APART;
}

function set(element, { size, bold }, { text, left, top, right, bottom }) {
  if (element.textContent !== text) element.textContent = text;
  Object.assign(element.style, {
    fontSize: `${size}px`, lineHeight: `${tall(size)}px`, fontWeight: bold ? 600 : 400,
    width: `${right - left}px`, height: `${bottom - top}px`, transform: `translate(${left}px, ${top}px)`,
  });
}

/* A text in at most so many lines; what does not fit is cut, and "…" says so. */
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

/* A line that fits: whole words of it if there are some, else characters. */
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
