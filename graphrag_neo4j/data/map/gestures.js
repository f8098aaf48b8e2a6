"use strict";
/* Moves, zooms and opens by mouse, wheel and touch. With a keyboard, use the text beside the picture.

   In a narrow window the page itself scrolls. There the style sheet leaves vertical strokes with one
   finger to the browser (`touch-action`). All other strokes move the picture. */

const FINGER = 12; // radius of a touch in pixels
const STEP = 1.5; // factor by which a click on a button zooms

function listen(picture) {
  const { canvas } = picture, hand = new Hand(picture);
  canvas.addEventListener("pointerdown", (event) => hand.press(event));
  canvas.addEventListener("pointermove", (event) => hand.move(event));
  canvas.addEventListener("pointerup", (event) => hand.lift(event));
  canvas.addEventListener("pointercancel", (event) => hand.down.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => hover(picture, null));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    picture.pull(pointOf(event), pointOf(event), Math.exp(event.deltaY * 0.0015));
  }, { passive: false });
  // Otherwise two fingers would scroll the page, as one finger does.
  canvas.addEventListener("touchmove", (event) => {
    if (event.touches.length > 1 && event.cancelable) event.preventDefault();
  }, { passive: false });
  for (const [id, by] of [["closer", 1 / STEP], ["farther", STEP]]) {
    document.getElementById(id).onclick = () => {
      const middle = [picture.width / 2, picture.height / 2];
      picture.pull(middle, middle, by);
    };
  }
}

/* The pressed pointers. `down` holds their points by id, `start` is the first point, and `moved` tells
   whether a pointer has moved since then. */
class Hand {
  constructor(picture) {
    Object.assign(this, { picture, down: new Map(), start: null, moved: false });
  }

  press(event) {
    if (event.button) return;
    if (!this.down.size) [this.start, this.moved] = [pointOf(event), false];
    this.down.set(event.pointerId, pointOf(event));
    if (this.down.size > 1) this.moved = true;
    this.picture.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    const { picture, down } = this, [x, y] = pointOf(event);
    if (!event.buttons) down.delete(event.pointerId); // it was released outside the page
    if (!down.has(event.pointerId)) return byFinger(event) ? null : hover(picture, picture.at(x, y), x, y);
    this.moved ||= this.starts(event, x - this.start[0], y - this.start[1]);
    if (!this.moved) return;
    hover(picture, null);
    const before = grip(down), now = grip(down.set(event.pointerId, [x, y]));
    picture.pull(before.middle, now.middle, before.width / now.width);
  }

  /* Whether the picture moves with a pointer that has moved this many pixels. */
  starts(event, right, below) {
    if (Math.hypot(right, below) <= (byFinger(event) ? FINGER : 4)) return false;
    // The browser takes over a stroke that scrolls the page, but not from its very beginning.
    const scrolls = byFinger(event) && Math.abs(below) > Math.abs(right) && getComputedStyle(this.picture.canvas).touchAction === "pan-y";
    if (scrolls) this.down.delete(event.pointerId);
    return !scrolls;
  }

  lift(event) {
    if (!this.down.delete(event.pointerId) || this.moved) return;
    this.picture.open(this.picture.at(...pointOf(event), byFinger(event) ? FINGER : 0));
  }
}

function pointOf(event) {
  return [event.offsetX, event.offsetY];
}

function byFinger(event) {
  return event.pointerType === "touch";
}

/* The middle of the pressed pointers, and the distance between the first two. */
function grip(down) {
  const [[x, y], [x2, y2]] = [...down.values(), ...down.values()];
  return { middle: [(x + x2) / 2, (y + y2) / 2], width: down.size > 1 ? Math.max(10, Math.hypot(x - x2, y - y2)) : 1 };
}

function hover(picture, found, x, y) {
  const tip = document.getElementById("tip");
  const shown = found && found !== picture.world.root ? found : null;
  tip.hidden = !shown;
  if (shown) {
    tip.textContent = shown.parts ? `${shown.title} · ${counted(shown.size, "entity", "entities")}` : `${shown.name} · ${counted(shown.degree, "relationship", "relationships")}`;
    tip.style.left = `${Math.max(4, Math.min(x + 14, picture.width - tip.offsetWidth - 6))}px`;
    const below = y + 16 + tip.offsetHeight < picture.height ? y + 16 : y - 8 - tip.offsetHeight;
    tip.style.top = `${below}px`;
  }
  if (picture.hovered !== shown) {
    picture.hovered = shown;
    picture.draw();
  }
}
