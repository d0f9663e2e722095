// Draws the map on a canvas.

import { NAME_FONT, placeNames } from "./map_names.js";
import { Palette } from "./map_palette.js";

const ROUND_FROM = 2.4; // pixels of radius; smaller points are squares, which are quicker and look the same
const FAINT = 0.16; // of the points of other labels while one is chosen

export class MapCanvas {
  #named = [];

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
    const { context, camera, palette } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, camera.width, camera.height);
    this.#points(scene);
    if (scene.query) this.#query(scene.query);
    this.#names(scene);
    if (scene.marked >= 0) this.#mark(scene.data, scene.marked);
  }

  /** The radius of a point in pixels: more for a small catalog, and more from nearby. */
  radius(size) {
    const alone = Math.min(4, Math.max(1.4, 70 / Math.sqrt(size)));
    return Math.min(7, alone * Math.sqrt(this.camera.zoom));
  }

  #points({ data, chosen }) {
    const { context, palette } = this;
    const radius = this.radius(data.size);
    const last = chosen && data.groups.find((group) => group.owner === chosen.index);
    for (const group of data.groups) {
      if (group === last) continue;
      context.globalAlpha = chosen ? FAINT : group.owner < 0 ? 0.5 : 0.85;
      context.fillStyle = palette.of(group.owner);
      this.#dots(data, group, radius);
    }
    context.globalAlpha = 1;
    if (!last) return;
    context.fillStyle = palette.of(last.owner);
    this.#dots(data, last, radius * 1.3);
  }

  #dots(data, { from, to }, radius) {
    const { context, camera } = this;
    const { scale, width, height } = camera;
    const left = width / 2 - camera.x * scale;
    const top = height / 2 + camera.y * scale;
    const round = radius >= ROUND_FROM;
    for (let at = from; at < to; at += 1) {
      const x = left + data.xs[at] * scale;
      const y = top - data.ys[at] * scale;
      if (x < -radius || y < -radius || x > width + radius || y > height + radius) continue;
      if (round) this.#dot(x, y, radius);
      else context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    }
  }

  #dot(x, y, radius) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fill();
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
    this.#named = placeNames(context, this.camera, [...must, ...rest], must);
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
