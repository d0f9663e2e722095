// All about one label: its phrases, what it is confused with, how reliably it is found. Beside the map and as a view.

import { ApiError } from "./api.js";
import { add, bar, el, percent, replace, said } from "./dom.js";
import { aliases, phrasings } from "./label_phrases.js";
import { outcome } from "./label_reliability.js";
import { writeFragment } from "./state.js";

const AGAIN = 1000; // milliseconds until a label whose figures are being measured is asked for again

/**
 * Build the panel of a label.
 *
 * @param {Object} app
 * @param {string} name  id or name
 * @param {Object} place  {within: view that links to other labels stay in, leave?: function called by the close button}
 * @returns {{name, element, focus(), close()}}
 */
export function labelPanel(app, name, place) {
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
