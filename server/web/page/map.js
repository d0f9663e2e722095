// The view Map: all phrases of the catalog in two dimensions.

import { ApiError } from "./api.js";
import { el } from "./dom.js";
import { LabelList } from "./label_list.js";
import { Camera } from "./map_camera.js";
import { MapCanvas } from "./map_canvas.js";
import { labelKey, loadMap } from "./map_data.js";
import { MapFigure } from "./map_figure.js";
import { ZOOM_STEP, listen } from "./map_input.js";
import { Marker } from "./map_marker.js";
import { MapQuery } from "./map_query.js";
import { MapSide } from "./map_side.js";

/** Show the map. */
export function show(root, app) {
  return new MapView(root, app);
}

class MapView {
  data = null;
  #params = null;
  #query = null;
  #frame = 0;
  #closing = new AbortController();

  constructor(root, app) {
    this.app = app;
    this.camera = new Camera(() => this.#moved());
    this.figure = new MapFigure({
      zoomIn: () => this.#zoom(ZOOM_STEP), zoomOut: () => this.#zoom(1 / ZOOM_STEP), fit: () => this.fit(),
    });
    this.query = new MapQuery(app, (answer) => this.#answered(answer));
    this.list = new LabelList(app, (key) => this.choose(key));
    this.side = new MapSide(app, () => this.choose(""));
    root.append(el("div", { class: "map-view" }, el("h2", { class: "unseen" }, "Map"), this.query.element,
      el("div", { class: "map-layout" }, this.figure.element, this.side.element, this.list.element)));
    this.surface = new MapCanvas(this.figure.canvas, this.camera);
    this.marker = new Marker(this);
    this.#watch();
    this.#load();
  }

  update(params) {
    const first = this.#params === null;
    this.#params = params;
    this.query.set(params.q ?? "");
    if (this.data) this.#open(params.label, !first);
  }

  /** The server is back, with the same catalog. */
  refresh() {
    this.query.again();
    if (!this.data) this.#load();
    else this.side.again();
  }

  close() {
    this.#closing.abort();
    this.sizes.disconnect();
    this.camera.stop();
    cancelAnimationFrame(this.#frame);
    for (const part of [this.side, this.query, this.list]) part.close();
  }

  #watch() {
    const { canvas } = this.figure;
    const { signal } = this.#closing;
    this.sizes = new ResizeObserver(() => {
      this.surface.resize();
      this.paint();
    });
    this.sizes.observe(canvas);
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
      matchMedia(query).addEventListener("change", () => this.#restyle(), { signal });
    }
    listen(canvas, this.camera, this.marker);
    canvas.addEventListener("blur", () => this.marker.hovered(null), { signal });
  }

  async #load() {
    try {
      const data = await loadMap(this.app);
      if (this.#closing.signal.aborted) return;
      this.data = data;
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status !== 401) this.figure.refuse(error.message);
      else this.app.failed(error);
      return;
    }
    this.figure.describe(this.data);
    this.list.fill(this.data);
    this.#open(this.#params?.label, false);
    this.paint();
  }

  #restyle() {
    this.surface.restyle();
    this.paint();
  }

  /** Draw in the next frame. */
  paint() {
    if (this.#frame || !this.data) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.surface.draw({ data: this.data, chosen: this.#chosen, marked: this.marker.point, query: this.#drawnQuery });
    });
  }

  get #chosen() {
    return this.#params?.label ? this.data?.find(this.#params.label) : undefined;
  }

  get #drawnQuery() {
    if (!this.#query?.point) return undefined;
    const candidates = this.#query.candidates.slice(0, 3)
      .map((each) => ({ label: this.data.find(labelKey(each)), confidence: each.matchConfidence }));
    return { point: this.#query.point, candidates: candidates.filter((each) => each.label) };
  }

  #answered(answer) {
    this.#query = answer;
    this.paint();
  }

  #moved() {
    this.marker.hovered(null);
    this.paint();
  }

  #zoom(factor) {
    this.camera.go(this.camera.x, this.camera.y, this.camera.zoom * factor);
  }

  /** Show the whole map. */
  fit() {
    this.camera.go(0, 0, 1);
  }

  /** Open a label; the empty text closes it. */
  choose(key) {
    this.app.go("map", { ...this.app.params, label: key });
  }

  #open(key, byReader) {
    const label = key && this.data.find(key);
    const name = label ? labelKey(label) : key || undefined;
    this.list.mark(name);
    this.paint();
    const before = this.side.key;
    if (before === name) return;
    this.side.show(name);
    if (byReader && name) this.side.focus();
    else if (byReader && before) this.list.focus(before);
    if (label) this.#bringIntoView(label);
  }

  #bringIntoView(label) {
    const [x, y] = this.camera.toScreen(label.x, label.y);
    if (x < 0 || y < 0 || x > this.camera.width || y > this.camera.height) this.camera.go(label.x, label.y, this.camera.zoom);
  }
}
