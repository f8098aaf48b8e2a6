"use strict";
/* The names in the picture. They are elements over the canvas, so that they can be measured: none
   stands on another, and none leaves the picture. What has no room is left out until there is some. */

const TRIED = 150; // names that are tried for one picture, the most important first
const APART = 3; // pixels between two names
// Between the characters of these scripts a line may end without a space.
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const WORDS = new RegExp(`[${UNSPACED}]|[^\\s${UNSPACED}]+|\\s+`, "gu");

class Labels {
  constructor(layer) {
    Object.assign(this, { layer, elements: new Map(), boxes: new Map() });
    this.context = document.createElement("canvas").getContext("2d");
    this.family = getComputedStyle(layer).fontFamily;
  }

  /* Shows those of the names that have room, in their order. Each is {thing, text, x, y, room, lines,
     size, bold, under, slack}: its text in at most so many lines of `room` pixels, around the point
     or under it, moved by at most `slack` pixels to stay inside. */
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

  /* Where a name stands: with all its lines, else with fewer. */
  fit(name, taken, width, height) {
    for (let lines = name.lines; lines; lines--) {
      const box = this.box(name, lines);
      const left = within(name.x - box.width / 2, width - box.width);
      const top = within(name.under ? name.y : name.y - box.height / 2, height - box.height);
      const moved = Math.hypot(left + box.width / 2 - name.x, top + (name.under ? 0 : box.height / 2) - name.y);
      const place = { left, top, right: left + box.width, bottom: top + box.height, text: box.text };
      if (moved <= name.slack && !taken.some((other) => meet(place, other))) return place;
    }
    return null;
  }

  box({ text, room, size, bold }, lines) {
    // In steps, since a picture that grows would measure anew for each pixel.
    const step = Math.ceil(room / 12) * 12, key = `${step} ${size} ${bold} ${lines} ${text}`;
    if (!this.boxes.has(key)) {
      if (this.boxes.size > 4000) this.boxes.clear();
      this.context.font = `${bold ? 600 : 400} ${size}px ${this.family}`;
      const written = wrapped(text, lines, step, (line) => this.context.measureText(line).width);
      const longest = Math.max(...written.map((line) => this.context.measureText(line).width));
      this.boxes.set(key, { text: written.join("\n"), width: Math.ceil(longest) + 8, height: written.length * tall(size) });
    }
    return this.boxes.get(key);
  }
}

function tall(size) {
  return Math.round(size * 1.25);
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
function wrapped(text, most, room, measure) {
  const lines = [""];
  for (const word of text.trim().match(WORDS) ?? [""]) {
    const longer = lines.at(-1) + word;
    if (!lines.at(-1) || measure(longer.trimEnd()) <= room) lines[lines.length - 1] = longer.trimStart();
    else lines.push(word.trimStart());
  }
  const all = lines.map((line) => line.trimEnd()).filter(Boolean);
  const shown = all.slice(0, most);
  return shown.map((line, n) => cutTo(line, room, measure, n === most - 1 && all.length > most));
}

function cutTo(line, room, measure, more) {
  if (!more && measure(line) <= room) return line;
  const characters = [...line];
  while (characters.length > 1 && measure(`${characters.join("").trimEnd()}…`) > room) characters.pop();
  return `${characters.join("").trimEnd().replace(/[,;:.–-]+$/, "")}…`;
}
