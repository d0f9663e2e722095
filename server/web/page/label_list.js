// The list of labels beside the map: the same data for those who do not use the canvas.

import { el, replace, said } from "./dom.js";
import { labelKey } from "./map_data.js";
import { cssColour } from "./map_palette.js";
import { writeFragment } from "./state.js";

const PAUSE = 600; // milliseconds after the last key until the number of labels is announced

/** Whether a click is to be handled by the page: not one that opens another tab. */
const plain = (event) => event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;

export class LabelList {
  #rows = [];
  #announcing = 0;

  /**
   * @param {Object} app
   * @param {function(string): void} choose  called with a label's id or name
   */
  constructor(app, choose) {
    this.app = app;
    this.choose = choose;
    this.count = el("p", { class: "soft" });
    this.list = el("ul", { class: "label-list", "aria-label": "Labels" });
    this.field = el("input", { id: "label-filter", type: "search", autocomplete: "off", oninput: () => this.#filter(true) });
    this.element = el("section", { class: "map-labels", "aria-label": "All labels" },
      el("label", { for: "label-filter" }, "Find a label"), this.field, this.count, this.list);
  }

  /** @param {MapData} data */
  fill(data) {
    this.#rows = data.labels.map((label) => this.#row(label));
    replace(this.list, this.#rows.map((row) => row.item));
    this.#filter(false);
  }

  /** Mark the label whose panel is shown. */
  mark(key) {
    for (const row of this.#rows) {
      if (row.key === key) row.link.setAttribute("aria-current", "true");
      else row.link.removeAttribute("aria-current");
    }
  }

  /** Put the focus on a label. */
  focus(key) {
    const row = this.#rows.find((each) => each.key === key && !each.item.hidden);
    (row?.link ?? this.field).focus();
  }

  close() {
    clearTimeout(this.#announcing);
  }

  #row(label) {
    const key = labelKey(label);
    const link = el("a", {
      href: writeFragment("map", { label: key }),
      onclick: (event) => {
        if (!plain(event)) return;
        event.preventDefault();
        this.choose(key);
      },
    }, said(label.name), label.id && label.id !== label.name && [" ", said(label.id, "small")]);
    const swatch = el("span", { class: "swatch", "aria-hidden": "true", style: { "--colour": cssColour(label.index) } });
    const count = el("span", { class: "soft", title: `${label.count} phrases` }, label.count);
    return { key, link, item: el("li", {}, swatch, link, count), text: `${label.name} ${key}`.toLowerCase() };
  }

  #filter(byReader) {
    const wanted = this.field.value.trim().toLowerCase();
    for (const row of this.#rows) row.item.hidden = !row.text.includes(wanted);
    const shown = this.#rows.filter((row) => !row.item.hidden).length;
    const news = wanted ? `${shown} of ${this.#rows.length} labels` : `${this.#rows.length} labels`;
    this.count.textContent = news;
    clearTimeout(this.#announcing);
    if (byReader) this.#announcing = setTimeout(() => this.app.announce(news), PAUSE);
  }
}
