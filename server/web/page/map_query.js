// A phrase on the map: a box, the place that the phrase takes, and its first candidates.

import { copyLink } from "./copy_link.js";
import { bar, el, percent, replace, said } from "./dom.js";
import { labelKey } from "./map_data.js";
import { writeFragment } from "./state.js";

const TOP = 5;
const LEAST = 0.01; // confidence of a candidate that is drawn
const PAUSE = 600; // milliseconds after the last key until the answer is announced
const MEANING = {
  resolved: "resolved: sure enough to answer",
  ambiguous: "ambiguous: several labels are plausible",
  no_match: "no match: no label is plausible",
};

export class MapQuery {
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
    const candidates = (answer?.candidates ?? []).filter((each) => each.matchConfidence >= LEAST);
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
