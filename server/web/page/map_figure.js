// The canvas with its buttons, its tooltip and the words that describe it.

import { el, replace, said } from "./dom.js";

const KEYS = "Drag or use the arrow keys to move, the wheel, two fingers or the keys + and - to zoom, 0 to see everything. "
  + "The keys also name the phrase nearest to the middle; Enter opens its label.";

export class MapFigure {
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
