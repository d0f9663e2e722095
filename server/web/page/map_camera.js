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
