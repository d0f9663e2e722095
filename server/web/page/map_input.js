// What part of the map is shown and which point is marked, and the pointers and keys that change both.

import { labelKey } from "./map_data.js";

// What part of the map is shown: from places of the map, in [-1, 1], to pixels of the canvas and back.

const NEAREST = 80;
const FARTHEST = 0.7;
const MARGIN = 0.92; // share of the canvas that the whole map takes
const DURATION = 220; // milliseconds of an animated move

const stillness = matchMedia("(prefers-reduced-motion: reduce)");
const within = (value, least, most) => Math.min(most, Math.max(least, value));

export class Camera {
  x = 0;
  y = 0;
  zoom = 1;
  width = 1;
  height = 1;
  #moving = 0;

  /** @param {function(): void} moved  called after each move */
  constructor(moved) {
    this.moved = moved;
  }

  /** Pixels for one unit of the map. */
  get scale() {
    return (this.zoom * MARGIN * Math.min(this.width, this.height)) / 2;
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
  }

  toScreen(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  toMap(across, down) {
    return [this.x + (across - this.width / 2) / this.scale, this.y - (down - this.height / 2) / this.scale];
  }

  /** Move what is shown by pixels. */
  pan(across, down) {
    this.stop();
    this.#set(this.x - across / this.scale, this.y + down / this.scale, this.zoom);
  }

  /** Zoom by a factor; the place under a pixel stays where it is. */
  zoomAt(across, down, factor) {
    this.stop();
    const [x, y] = this.toMap(across, down);
    const zoom = within(this.zoom * factor, FARTHEST, NEAREST);
    const change = this.zoom / zoom;
    this.#set(x + (this.x - x) * change, y + (this.y - y) * change, zoom);
  }

  /** Go to a place, in steps unless the reader asked for less motion. */
  go(x, y, zoom) {
    this.stop();
    const target = within(zoom, FARTHEST, NEAREST);
    if (stillness.matches) {
      this.#set(x, y, target);
      return;
    }
    const from = { x: this.x, y: this.y, zoom: this.zoom };
    const begun = performance.now();
    const step = (now) => {
      const share = within((now - begun) / DURATION, 0, 1);
      const eased = 1 - (1 - share) ** 3;
      this.#set(from.x + (x - from.x) * eased, from.y + (y - from.y) * eased, from.zoom * (target / from.zoom) ** eased);
      this.#moving = share < 1 ? requestAnimationFrame(step) : 0;
    };
    this.#moving = requestAnimationFrame(step);
  }

  /** End an animated move. */
  stop() {
    cancelAnimationFrame(this.#moving);
    this.#moving = 0;
  }

  #set(x, y, zoom) {
    this.x = within(x, -1.2, 1.2);
    this.y = within(y, -1.2, 1.2);
    this.zoom = zoom;
    this.moved();
  }
}

// The phrase that the pointer or the keys point to: its ring, its tooltip, and opening its label.

const REACH = 14; // pixels within which a point is hit

export class Marker {
  /** The marked point of the map's data; -1 for none. */
  point = -1;

  /** @param {Object} view  {app, camera, figure, surface, data, paint(), choose(key), fit()} */
  constructor(view) {
    this.view = view;
  }

  /** The pointer is over a place, or has left. */
  hovered(place) {
    this.#mark(place ? this.#at(place) : -1);
  }

  /** A place was clicked: a name opens its label, a point the label that it belongs to. */
  clicked(place) {
    this.#mark(this.#at(place));
    this.#choose(this.view.surface.nameAt(place) ?? this.#label());
  }

  /** The map was moved by keys: name the phrase in the middle. */
  keyMoved() {
    const { camera, data, app } = this.view;
    this.#mark(this.#at([camera.width / 2, camera.height / 2], Infinity));
    if (this.point >= 0) app.announce(`${data.texts[this.point]}: ${data.ownerName(this.point)}`);
  }

  /** Enter was pressed. */
  entered() {
    this.#choose(this.#label());
  }

  /** Show the whole map. */
  fit() {
    this.view.fit();
  }

  #at([across, down], reach = REACH) {
    const { data, camera } = this.view;
    return data ? data.nearest(...camera.toMap(across, down), reach / camera.scale) : -1;
  }

  #label() {
    const { data } = this.view;
    return data?.labels[data.owners[this.point]];
  }

  #choose(label) {
    if (label) this.view.choose(labelKey(label));
  }

  #mark(point) {
    if (point === this.point) return;
    const { data, figure, camera } = this.view;
    this.point = point;
    if (point < 0) figure.unpoint();
    else {
      const place = camera.toScreen(data.xs[point], data.ys[point]);
      figure.point(data.texts[point], data.kinds[point], data.ownerName(point), place);
    }
    this.view.paint();
  }
}

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
