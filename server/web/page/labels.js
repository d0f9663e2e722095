// Labels: the view of one label, its panel beside the map, and the list of all.

import { ApiError } from "./api.js";
import { add, bar, el, percent, replace, said } from "./dom.js";
import { cssColour } from "./map_colours.js";
import { labelKey } from "./map_data.js";
import { outcome } from "./reliability.js";
import { writeFragment } from "./state.js";

// A label's aliases and phrasings, each linked to Try.

const FIRST = 12; // phrasings that are shown at once

/** A phrase, linked to Try where the reader may use it. */
function tried(phrase, app) {
  if (!app.about.views.includes("try")) return said(phrase);
  return el("a", { href: writeFragment("try", { q: phrase }), dir: "auto" }, phrase);
}

/** The aliases; nothing if there are none. */
function aliases(texts, app, level) {
  if (!texts?.length) return null;
  return el("section", {}, el(level, {}, `Aliases (${texts.length})`),
    el("ul", { class: "chips" }, texts.map((text) => el("li", {}, tried(text, app)))));
}

/** The phrasings, the first of them until the reader asks for all. */
function phrasings(texts, app, level) {
  const list = el("ul", { class: "phrasings" });
  const items = (some) => some.map((text) => el("li", {}, tried(text, app)));
  const section = el("section", {}, el(level, {}, `Phrasings (${texts.length})`));
  if (!texts.length) {
    add(section, el("p", {}, "It has none: only its name and aliases, and what they mean, lead to it."));
    return section;
  }
  replace(list, items(texts.slice(0, FIRST)));
  add(section, list);
  if (texts.length > FIRST) add(section, moreButton(list, items, texts, app));
  return section;
}

function moreButton(list, items, texts, app) {
  const button = el("button", {
    type: "button", onclick: () => {
      const before = list.children.length;
      replace(list, items(texts));
      button.remove();
      (list.children[before]?.querySelector("a") ?? list).focus();
      app.announce(`${texts.length} phrasings`);
    },
  }, `Show all ${texts.length}`);
  return button;
}

// All about one label: its phrases, what it is confused with, how reliably it is found. Beside the map and as a view.

const AGAIN = 1000; // milliseconds until a label whose figures are being measured is asked for again

/**
 * Build the panel of a label.
 *
 * @param {Object} app
 * @param {string} name  id or name
 * @param {Object} place  {within: view that links to other labels stay in, leave?: function called by the close button}
 * @returns {{name, element, focus(), close()}}
 */
function labelPanel(app, name, place) {
  return new LabelPanel(app, name, place);
}

class LabelPanel {
  #timer = 0;
  #closed = false;

  constructor(app, name, place) {
    this.app = app;
    this.name = name;
    this.place = place;
    this.title = said(name, "h3", { tabindex: -1, class: "panel-title" });
    this.body = el("div", {}, el("p", {}, "Loading."));
    this.measured = el("div", { class: "measured" });
    this.element = el("section", { class: "label-panel", "aria-label": `Label ${name}` },
      el("div", { class: "panel-head" }, this.title,
        place.leave && el("button", { type: "button", onclick: place.leave }, "Close")), this.body);
    this.#ask(true);
  }

  /** Ask once more, as the server was away. */
  again() {
    clearTimeout(this.#timer);
    this.#ask(true);
  }

  focus() {
    this.title.focus();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #ask(first) {
    try {
      const answer = await this.app.api.get("label", { name: this.name });
      if (this.#closed) return;
      if (first) this.#fill(answer);
      this.#measure(answer, first);
      if (answer.pending) this.#timer = setTimeout(() => this.#ask(false), AGAIN);
    } catch (error) {
      if (this.#closed) return;
      if (error instanceof ApiError && error.status >= 400 && error.status !== 401) replace(this.body, el("p", {}, error.message));
      else this.app.failed(error);
    }
  }

  #fill(answer) {
    this.title.textContent = answer.name;
    replace(this.body,
      answer.id && answer.id !== answer.name && said(answer.id, "p", { class: "soft" }),
      answer.category && said(answer.category, "p", { class: "soft" }),
      answer.description && said(answer.description, "p"),
      this.#links(answer), this.measured,
      aliases(answer.aliases, this.app, "h4"), phrasings(answer.phrasings ?? [], this.app, "h4"));
  }

  #links(answer) {
    const { views, kind } = this.app.about;
    const link = (view, params, text) => el("li", {}, el("a", { href: writeFragment(view, params) }, text));
    const elsewhere = this.place.within === "map"
      ? link("label", { name: this.name }, "On a page of its own") : link("map", { label: this.name }, "On the map");
    return el("ul", { class: "links" }, views.includes("try") && link("try", { q: answer.name }, "Try its name"), elsewhere,
      kind === "agents" && views.includes("agents") && link("entry", { capability: answer.name }, "What agents offer"));
  }

  /** Show what is measured, or that it is still being measured. */
  #measure(answer, first) {
    if (answer.pending) {
      if (first) replace(this.measured, el("p", { class: "soft" }, "How reliably it is found is being measured."));
      return;
    }
    replace(this.measured);
    add(this.measured, el("section", {}, el("h4", {}, "Asked for"),
      answer.reliability ? outcome(answer.reliability) : el("p", {}, "Not measured.")));
    add(this.measured, el("section", {}, el("h4", {}, "Confused with"), this.#confusable(answer.confusable ?? [])));
    if (!first) this.app.announce(`The figures of ${answer.name} are there.`);
  }

  #confusable(others) {
    if (!others.length) return el("p", {}, "No other label takes its phrasings.");
    return el("ol", { class: "bars" }, others.map(({ name, id, probability }) => el("li", {},
      el("a", { href: this.#address(id ?? name), dir: "auto" }, name),
      bar(probability, `Probability of ${name}`), el("span", {}, percent(probability)))));
  }

  #address(name) {
    return this.place.within === "map" ? writeFragment("map", { ...this.app.params, label: name }) : writeFragment("label", { name });
  }
}

// The list of labels beside the map: the same data for those who do not use the canvas.

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

// The panel of the chosen label beside the map.

export class MapSide {
  #panel = null;

  /**
   * @param {Object} app
   * @param {function(): void} leave  called by the panel's close button
   */
  constructor(app, leave) {
    this.app = app;
    this.leave = leave;
    this.element = el("div", { class: "map-panel", hidden: true });
  }

  /** The id or name of the label that is shown; undefined if there is none. */
  get key() {
    return this.#panel?.name;
  }

  /** Show a label, or none. */
  show(key) {
    this.#panel?.close();
    this.#panel = key ? labelPanel(this.app, key, { within: "map", leave: this.leave }) : null;
    this.element.hidden = !this.#panel;
    replace(this.element, this.#panel?.element);
  }

  focus() {
    this.#panel?.focus();
  }

  /** Ask once more, as the server was away. */
  again() {
    this.#panel?.again();
  }

  close() {
    this.#panel?.close();
  }
}

// The view Label: the panel of one label as a page of its own.

/** Show the label that the address names. */
export function show(root, app) {
  let panel = null;
  return {
    update({ name }) {
      if (panel && panel.name === name) return;
      panel?.close();
      panel = name ? labelPanel(app, name, { within: "label" }) : null;
      replace(root, el("h2", { class: "unseen" }, "Label"),
        panel?.element ?? el("p", {}, "No label is named. ", el("a", { href: "#map" }, "Choose one on the map.")));
    },
    refresh() {
      panel?.again();
    },
    close() {
      panel?.close();
    },
  };
}
