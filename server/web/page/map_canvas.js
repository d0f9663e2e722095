// Draws the map on a canvas.

import { Palette, PointColours } from "./map_colours.js";

// Names of labels on the map: drawn where they fit, the most important first, none over another.

const LONGEST = 30; // characters; longer names are cut
const HEIGHT = 16; // pixels of a line
const GAP = 3;
const AROUND = 11; // pixels around the query's point that names leave free
const SHIFTS = [0, -20, 20, -36, 36]; // places above and below the label's own that are tried, in pixels

const NAME_FONT = '600 12px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';

const widths = new Map();

/** A name as it is drawn. */
function shortened(name) {
  const letters = [...name];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : name;
}

function widthOf(context, text) {
  if (!widths.has(text)) widths.set(text, context.measureText(text).width);
  return widths.get(text);
}

const overlap = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/**
 * Choose which names to draw, and where.
 *
 * @param {CanvasRenderingContext2D} context  its font is NAME_FONT
 * @param {Camera} camera
 * @param {Array<Object>} labels  the most important first; those that `must` be drawn are drawn over others
 * @param {Set<Object>} must
 * @param {Array<number>|undefined} point  the query's place on the map, which names leave free
 * @returns {Array<{label, text, x, y}>}  x and y are the middle of the name
 */
function placeNames(context, camera, labels, must, point) {
  const placed = [];
  const taken = point ? [around(camera.toScreen(...point))] : [];
  for (const label of labels) {
    const [x, y] = camera.toScreen(label.x, label.y);
    if (x < 0 || y < 0 || x > camera.width || y > camera.height) continue;
    const text = shortened(label.name);
    const half = widthOf(context, text) / 2 + GAP;
    const middle = Math.min(Math.max(x, half), Math.max(half, camera.width - half));
    const free = SHIFTS.map((down) => boxAt(middle, y + down, half)).find((each) => !taken.some((other) => overlap(each, other)));
    const box = free ?? (must.has(label) ? boxAt(middle, y, half) : null);
    if (!box) continue;
    taken.push(box);
    placed.push({ label, text, x: middle, y: box.top + HEIGHT / 2, box });
  }
  return placed;
}

function boxAt(x, y, half) {
  return { left: x - half, right: x + half, top: y - HEIGHT / 2, bottom: y + HEIGHT / 2 };
}

function around([x, y]) {
  return { left: x - AROUND, right: x + AROUND, top: y - AROUND, bottom: y + AROUND };
}

// Draws the map's points. Thousands are written into the canvas's pixels, which is many times quicker than drawing them
// as shapes; the few of a near view are drawn as smooth circles.

const FEW = 500; // points that are drawn as circles
const STRIDE = 7919; // a prime: points are drawn in an order that mixes labels, so that none hides the others

class PointLayer {
  #pixels = null;
  #words = null; // the pixels, a number each

  /**
   * Draw the points over all that is there.
   *
   * @param {CanvasRenderingContext2D} context
   * @param {Camera} camera
   * @param {Object} look  {ratio, radius, colours: PointColours}
   * @param {MapData} data
   * @param {number|undefined} chosen  position of the label whose points stand out
   */
  draw(context, camera, { ratio, radius, colours }, data, chosen) {
    const visible = seen(camera, data, radius);
    const order = chosen === undefined ? visible : [...visible].sort((one, other) =>
      (data.owners[one] === chosen) - (data.owners[other] === chosen));
    if (order.length <= FEW) this.#circles(context, camera, radius, colours, data, order, chosen);
    else this.#write(context, camera, ratio, radius, colours, data, order, chosen);
  }

  #circles(context, camera, radius, colours, data, order, chosen) {
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, camera.width, camera.height);
    for (const at of order) {
      context.fillStyle = colours.style(data.owners[at], chosen);
      context.beginPath();
      context.arc(...camera.toScreen(data.xs[at], data.ys[at]), radius, 0, 2 * Math.PI);
      context.fill();
    }
  }

  #write(context, camera, ratio, radius, colours, data, order, chosen) {
    const { width, height } = context.canvas;
    if (this.#pixels?.width !== width || this.#pixels.height !== height) {
      this.#pixels = context.createImageData(width, height);
      this.#words = new Uint32Array(this.#pixels.data.buffer);
    }
    const words = this.#words;
    words.fill(colours.paperWord);
    const scale = camera.scale * ratio;
    const left = (camera.width * ratio) / 2 - camera.x * scale;
    const top = (camera.height * ratio) / 2 + camera.y * scale;
    const runs = disk(radius * ratio);
    for (const at of order) {
      const word = colours.word(data.owners[at], chosen);
      stamp(words, width, height, Math.round(left + data.xs[at] * scale), Math.round(top - data.ys[at] * scale), runs, word);
    }
    context.putImageData(this.#pixels, 0, 0);
  }
}

/** The points that are in view, in the order in which they are drawn: those that fit no label first. */
function seen(camera, data, radius) {
  const [left, top] = camera.toMap(-radius, -radius);
  const [right, bottom] = camera.toMap(camera.width + radius, camera.height + radius);
  const inside = [];
  for (const at of drawingOrder(data)) {
    const x = data.xs[at];
    const y = data.ys[at];
    if (x >= left && x <= right && y <= top && y >= bottom) inside.push(at);
  }
  return inside;
}

function drawingOrder(data) {
  if (data.drawingOrder) return data.drawingOrder;
  const mixed = Uint32Array.from({ length: data.size }, (_, at) => (at * STRIDE) % data.size);
  const all = data.size % STRIDE ? [...mixed] : [...mixed.keys()];
  data.drawingOrder = [...all.filter((at) => data.owners[at] < 0), ...all.filter((at) => data.owners[at] >= 0)];
  return data.drawingOrder;
}

/** The rows of a filled circle: how far each reaches to both sides. */
function disk(radius) {
  const most = Math.max(1, Math.round(radius));
  return Array.from({ length: 2 * most + 1 }, (_, row) =>
    [row - most, Math.round(Math.sqrt(Math.max(0, (most + 0.3) ** 2 - (row - most) ** 2)))]);
}

function stamp(words, width, height, x, y, runs, word) {
  for (const [down, half] of runs) {
    const row = y + down;
    if (row < 0 || row >= height) continue;
    const from = Math.max(0, x - half);
    const to = Math.min(width - 1, x + half);
    for (let at = row * width + from, end = row * width + to; at <= end; at += 1) words[at] = word;
  }
}

export class MapCanvas {
  #named = [];
  #points = new PointLayer();

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Camera} camera
   */
  constructor(canvas, camera) {
    this.canvas = canvas;
    this.camera = camera;
    this.context = canvas.getContext("2d");
    this.restyle();
  }

  /** Read the colours again, after the theme changed. */
  restyle() {
    this.palette = new Palette(this.canvas);
    this.colours = new PointColours(this.palette);
  }

  /** Take the size that the page gives the canvas. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.ratio = Math.min(window.devicePixelRatio || 1, 3);
    this.canvas.width = Math.max(1, Math.round(width * this.ratio));
    this.canvas.height = Math.max(1, Math.round(height * this.ratio));
    this.camera.resize(width, height);
  }

  /**
   * Draw everything.
   *
   * @param {Object} scene  {data, chosen?: label, marked: point or -1, query?: {point, candidates: [{label, confidence}]}}
   */
  draw(scene) {
    const { context, camera } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const look = { ratio: this.ratio, radius: this.radius(scene.data.size), colours: this.colours };
    this.#points.draw(context, camera, look, scene.data, scene.chosen?.index);
    if (scene.query) this.#query(scene.query);
    this.#names(scene);
    if (scene.marked >= 0) this.#mark(scene.data, scene.marked);
  }

  /** The radius of a point in pixels: more for a small catalog, and more from nearby. */
  radius(size) {
    const alone = Math.min(4, Math.max(1.4, 70 / Math.sqrt(size)));
    return Math.min(7, alone * Math.sqrt(this.camera.zoom));
  }

  #query({ point, candidates }) {
    const { context, camera, palette } = this;
    const [x, y] = camera.toScreen(...point);
    context.strokeStyle = palette.accent;
    for (const { label, confidence } of candidates) {
      context.lineWidth = 1 + 5 * confidence;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(...camera.toScreen(label.x, label.y));
      context.stroke();
    }
    context.lineWidth = 3;
    context.fillStyle = palette.accent;
    context.strokeStyle = palette.paper;
    context.beginPath();
    context.arc(x, y, 8, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  #names({ data, chosen, query }) {
    const { context, palette } = this;
    const first = [...(chosen ? [chosen] : []), ...(query?.candidates ?? []).map((each) => each.label)];
    const must = new Set(first);
    context.font = NAME_FONT;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = palette.paper;
    const rest = data.byCount.filter((label) => !must.has(label));
    this.#named = placeNames(context, this.camera, [...must, ...rest], must, query?.point);
    for (const { label, text, x, y } of this.#named) {
      context.fillStyle = chosen && !must.has(label) ? palette.soft : palette.ink;
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    }
  }

  /** The label whose name is drawn at a place. */
  nameAt([x, y]) {
    return this.#named.find(({ box }) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom)?.label;
  }

  #mark(data, point) {
    const { context, palette, camera } = this;
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(...camera.toScreen(data.xs[point], data.ys[point]), this.radius(data.size) + 4, 0, 2 * Math.PI);
    context.stroke();
  }
}
