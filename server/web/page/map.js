// The view Map: all phrases of the catalog in two dimensions.

import { ApiError } from "./api.js";
import { bar, copyLink, el, percent, replace, said } from "./dom.js";
import { LabelList, MapSide } from "./labels.js";
import { MapCanvas } from "./map_canvas.js";
import { labelKey, loadMap } from "./map_data.js";
import { Camera, listen, Marker, ZOOM_STEP } from "./map_input.js";
import { writeFragment } from "./state.js";

// The canvas with its buttons, its tooltip and the words that describe it.

const KEYS = "Drag or use the arrow keys to move, the wheel, two fingers or the keys + and - to zoom, 0 to see everything. "
  + "The keys also name the phrase nearest to the middle; Enter opens its label.";

class MapFigure {
  /** @param {Object} does  {zoomIn(), zoomOut(), fit()} */
  constructor(does) {
    this.canvas = el("canvas", { class: "map-canvas", role: "img", tabindex: 0, "aria-label": "Map", "aria-describedby": "map-keys" });
    this.tip = el("div", { class: "map-tip", hidden: true });
    this.news = el("p", { class: "map-news" }, "Arranging the phrases. The first time takes a few seconds.");
    const button = (name, sign, act) => el("button", { type: "button", "aria-label": name, title: name, onclick: act }, sign);
    this.element = el("figure", { class: "map-figure" },
      el("div", { class: "map-stage" }, this.canvas, this.tip, this.news,
        el("div", { class: "map-buttons", role: "group", "aria-label": "Zoom" },
          button("Zoom in", "+", does.zoomIn), button("Zoom out", "−", does.zoomOut), button("Show everything", "⤢", does.fit))),
      el("figcaption", { class: "soft", id: "map-keys" }, KEYS));
  }

  /** Describe the map once it is there. */
  describe(data) {
    const texts = `${data.size.toLocaleString("en")} phrases of ${data.labels.length} labels`;
    const left = data.leftOut ? `, ${data.leftOut.toLocaleString("en")} more left out` : "";
    this.canvas.setAttribute("aria-label", `Map of ${texts}${left}. The list of labels has the same data.`);
    this.news.hidden = !data.leftOut;
    this.news.textContent = data.leftOut ? `${texts}${left}` : "";
  }

  /** Say why there is no map. */
  refuse(message) {
    this.news.hidden = false;
    this.news.textContent = message;
    this.canvas.setAttribute("aria-label", message);
  }

  /** Show the text of a point beside it; null hides it. */
  point(text, kind, owner, [x, y]) {
    replace(this.tip, said(text, "p"), el("p", { class: "soft" }, said(owner), kind && ` (${kind})`));
    this.tip.hidden = false;
    const { clientWidth, clientHeight } = this.canvas;
    this.tip.classList.toggle("before", x > clientWidth / 2);
    this.tip.classList.toggle("above", y > clientHeight / 2);
    this.tip.style.setProperty("--x", `${x}px`);
    this.tip.style.setProperty("--y", `${y}px`);
  }

  unpoint() {
    this.tip.hidden = true;
  }
}

// A phrase on the map: a box, the place that the phrase takes, and its first candidates.

const TOP = 5;
const MIN_CONFIDENCE = 0.01; // confidence of a candidate that is drawn
const PAUSE = 600; // milliseconds after the last key until the answer is announced
const MEANING = {
  resolved: "resolved: sure enough to answer",
  ambiguous: "ambiguous: several labels are plausible",
  no_match: "no match: no label is plausible",
};

class MapQuery {
  #asked = null;
  #announcing = 0;

  /**
   * @param {Object} app
   * @param {function(Object|null): void} answered  called with the answer to the phrase; null if the box is empty
   */
  constructor(app, answered) {
    this.app = app;
    this.answered = answered;
    this.field = el("input", {
      id: "map-query", type: "search", autocomplete: "off", dir: "auto", maxlength: app.about.limits?.phrase,
      oninput: () => this.#typed(),
    });
    this.answer = el("div", { class: "map-answer" });
    this.element = el("div", { class: "map-query" },
      el("label", { for: "map-query" }, "Place a phrase on the map"),
      el("div", { class: "line" }, this.field, copyLink(app, () => {})), this.answer);
  }

  /** Take the phrase of the address. */
  set(phrase) {
    if (phrase === this.#asked) return;
    if (this.field.value !== phrase) this.field.value = phrase;
    this.#ask(phrase);
  }

  /** Ask once more, as the server was away. */
  again() {
    this.#ask(this.field.value);
  }

  close() {
    clearTimeout(this.#announcing);
  }

  #typed() {
    const phrase = this.field.value;
    this.app.go("map", { ...this.app.params, q: phrase }, { quietly: true });
    this.#ask(phrase);
  }

  async #ask(phrase) {
    this.#asked = phrase;
    clearTimeout(this.#announcing);
    if (!phrase.trim()) {
      this.#show(null);
      return;
    }
    try {
      const answer = await this.app.api.get("match", { q: phrase, top: TOP }, "map");
      if (phrase === this.#asked) this.#show(answer);
    } catch (error) {
      this.app.failed(error);
    }
  }

  #show(answer) {
    const candidates = (answer?.candidates ?? []).filter((each) => each.matchConfidence >= MIN_CONFIDENCE);
    this.answered(answer && { ...answer, candidates });
    if (!answer) {
      replace(this.answer);
      return;
    }
    replace(this.answer, el("p", {}, MEANING[answer.decision] ?? answer.decision,
      !answer.point && " (without a place on the map, as the model is missing)"), this.#candidates(candidates));
    const first = candidates[0];
    const news = first ? `${answer.decision.replace("_", " ")}. ${first.name}, ${percent(first.matchConfidence)}` : answer.decision;
    this.#announcing = setTimeout(() => this.app.announce(news), PAUSE);
  }

  #candidates(candidates) {
    return el("ol", { class: "bars" }, candidates.map((each) => el("li", {},
      el("a", { href: writeFragment("map", { q: this.field.value, label: labelKey(each) }), dir: "auto" }, each.name),
      bar(each.matchConfidence, `Confidence of ${each.name}`), el("span", {}, percent(each.matchConfidence)))));
  }
}

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
