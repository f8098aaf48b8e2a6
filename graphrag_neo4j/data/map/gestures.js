"use strict";
/* Mouse, wheel and fingers on the picture; the keyboard's way is the text beside it.

   Where the page itself scrolls (a narrow window), the style leaves one finger's vertical strokes to
   the browser (`touch-action`); other strokes, and all strokes of two fingers, move the picture. */

const FINGER = 12; // pixels around a fingertip, half the least size of a target
const STEP = 1.5; // of the buttons that zoom

function listen(picture) {
  const { canvas } = picture, down = new Map();
  const pageScrolls = () => getComputedStyle(canvas).touchAction === "pan-y";
  let start = null, moved = false;
  const point = (event) => [event.offsetX, event.offsetY];
  const finger = (event) => event.pointerType === "touch";
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    if (!down.size) [start, moved] = [point(event), false];
    down.set(event.pointerId, point(event));
    if (down.size > 1) moved = true;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = point(event);
    if (!down.has(event.pointerId)) return finger(event) ? null : hover(picture, picture.at(...at), ...at);
    const [right, below] = [Math.abs(at[0] - start[0]), Math.abs(at[1] - start[1])];
    if (!moved && Math.hypot(right, below) <= (finger(event) ? FINGER : 4)) return;
    // The browser takes such a stroke over, but only after a first part of it.
    if (!moved && finger(event) && below > right && pageScrolls()) return down.delete(event.pointerId);
    moved = true;
    hover(picture, null);
    const before = grip(down), now = grip(down.set(event.pointerId, at));
    picture.pull(before.middle, now.middle, before.width / now.width);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (down.delete(event.pointerId) && !moved) picture.open(picture.at(...point(event), finger(event) ? FINGER : 0));
  });
  canvas.addEventListener("pointercancel", (event) => down.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => hover(picture, null));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    picture.pull(point(event), point(event), Math.exp(event.deltaY * 0.0015));
  }, { passive: false });
  // Or else the browser would scroll the page by two fingers, as by one.
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

/* The middle of the pointers that are down, and how far apart the first two are. */
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
