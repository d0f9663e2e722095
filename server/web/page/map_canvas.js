// Draws the map on a canvas.

import { PointColours } from "./map_colours.js";
import { NAME_FONT, placeNames } from "./map_names.js";
import { Palette } from "./map_palette.js";
import { PointLayer } from "./map_points.js";

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
