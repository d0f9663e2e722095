// Mouse, touch and keys on the map.

const STILL = 5; // pixels that a pointer may move in a click
const WHEEL = 0.0016; // how much a pixel of the wheel zooms
const LINE = 16; // pixels of a wheel's line
export const ZOOM_STEP = 1.5;
const PAN_STEP = 0.15; // share of the canvas

/**
 * Listen on a canvas.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Camera} camera
 * @param {Object} view  {hovered(place or null), clicked(place), keyMoved(), entered(), fit()}; a place is [x, y] in pixels
 */
export function listen(canvas, camera, view) {
  const pointers = new Pointers(canvas, camera, view);
  for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel", "pointerleave"]) {
    canvas.addEventListener(name, (event) => pointers[name](event));
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1);
    camera.zoomAt(event.offsetX, event.offsetY, Math.exp(-pixels * WHEEL));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !pressed(event.key, camera, view)) return;
    event.preventDefault();
  });
}

/** Do what a key means; false if it means nothing here. */
function pressed(key, camera, view) {
  const across = camera.width * PAN_STEP;
  const down = camera.height * PAN_STEP;
  const middle = [camera.width / 2, camera.height / 2];
  const moves = {
    ArrowLeft: () => camera.pan(across, 0),
    ArrowRight: () => camera.pan(-across, 0),
    ArrowUp: () => camera.pan(0, down),
    ArrowDown: () => camera.pan(0, -down),
    "+": () => camera.zoomAt(...middle, ZOOM_STEP),
    "=": () => camera.zoomAt(...middle, ZOOM_STEP),
    "-": () => camera.zoomAt(...middle, 1 / ZOOM_STEP),
    0: () => view.fit(),
  };
  if (key === "Enter") view.entered();
  else if (key in moves) moves[key]();
  else return false;
  if (key !== "Enter") view.keyMoved();
  return true;
}

class Pointers {
  #down = new Map(); // pointer to place
  #moved = 0;

  constructor(canvas, camera, view) {
    this.canvas = canvas;
    this.camera = camera;
    this.view = view;
  }

  pointerdown(event) {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    if (this.#down.size === 0) this.#moved = 0;
    this.#down.set(event.pointerId, [event.offsetX, event.offsetY]);
    this.canvas.setPointerCapture(event.pointerId);
  }

  pointermove(event) {
    const place = [event.offsetX, event.offsetY];
    const before = this.#down.get(event.pointerId);
    if (!before) {
      this.view.hovered(place);
      return;
    }
    const others = [...this.#down].filter(([id]) => id !== event.pointerId).map(([, other]) => other);
    this.#moved += Math.hypot(place[0] - before[0], place[1] - before[1]);
    if (others.length) this.#pinch(before, place, others[0]);
    else if (this.#moved > STILL) this.camera.pan(place[0] - before[0], place[1] - before[1]);
    this.#down.set(event.pointerId, place);
  }

  pointerup(event) {
    const sole = this.#down.size === 1 && this.#down.has(event.pointerId);
    this.#down.delete(event.pointerId);
    if (sole && this.#moved <= STILL) this.view.clicked([event.offsetX, event.offsetY]);
  }

  pointercancel(event) {
    this.#down.delete(event.pointerId);
  }

  /** A finger leaves whenever it is lifted; what it pointed to stays marked. */
  pointerleave(event) {
    if (event.pointerType === "mouse" && this.#down.size === 0) this.view.hovered(null);
  }

  /** Two fingers: zoom by how their distance changed, around the one that rests. */
  #pinch(before, place, other) {
    const far = (one) => Math.max(10, Math.hypot(one[0] - other[0], one[1] - other[1]));
    this.camera.zoomAt(...other, far(place) / far(before));
  }
}
