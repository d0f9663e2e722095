// The view Try: a phrase, and while it is typed what the matcher makes of it and why.

import { ApiError, superseded } from "./api.js";
import { candidateList } from "./candidates.js";
import { costsPanel } from "./costs.js";
import { el, replace } from "./dom.js";
import { examples } from "./examples.js";
import { readFragment } from "./state.js";
import { tryForm } from "./try_form.js";
import { listenForKeys } from "./try_keys.js";
import { spoken, verdict } from "./verdict.js";

const TOP = 10;
const WRITE = 250; // milliseconds after which what is typed is in the address; browsers limit how often it may change
const SPEAK = 600; // milliseconds without a key until the answer is announced
const AGAIN = 1000; // milliseconds until a busy server is asked again
const BUSY = [503, 504];

export function show(root, app) {
  return new TryView(root, app);
}

class TryView {
  #app;
  #asked = null; // the phrase that the results are for or that is being asked
  #opened = { signals: new Set(), all: false }; // what somebody asked to see
  #timers = {};

  constructor(root, app) {
    this.#app = app;
    const { element, box } = tryForm(app, { typed: () => this.#typed(), before: () => this.#write() });
    this.box = box;
    this.problem = el("p", { class: "problem", role: "alert", hidden: true });
    this.results = el("div", { class: "results", id: "results" });
    const view = el("div", { class: "try" }, element, this.problem, this.results);
    root.append(view);
    listenForKeys(view, this.box);
    this.box.addEventListener("blur", () => this.#write());
    this.box.focus();
  }

  /** Show what the address says. */
  update({ q = "" }) {
    if (q !== this.box.value) this.box.value = q;
    if (q !== this.#asked) this.#ask();
  }

  /** Ask again: the server was away. */
  refresh() {
    this.#ask();
  }

  close() {
    Object.values(this.#timers).forEach(clearTimeout);
    if (["", "try"].includes(readFragment(location.hash).view)) this.#write();
    this.#asked = undefined; // answers that are still to come are for a view that is gone
  }

  #typed() {
    this.#ask();
    this.#timers.write ??= setTimeout(() => this.#write(), WRITE);
  }

  #write() {
    clearTimeout(this.#timers.write);
    this.#timers.write = undefined;
    const { view, params } = readFragment(location.hash);
    if (["", "try"].includes(view) && (params.q ?? "") !== this.box.value) {
      this.#app.go("try", { q: this.box.value }, { quietly: true });
    }
  }

  async #ask() {
    const phrase = this.box.value;
    this.#asked = phrase;
    clearTimeout(this.#timers.again);
    clearTimeout(this.#timers.speak);
    if (!phrase.trim()) {
      this.#nothing();
      return;
    }
    const problem = this.#refusal(phrase);
    if (problem) {
      this.#failed(new ApiError(400, problem));
      return;
    }
    this.results.setAttribute("aria-busy", "true");
    try {
      const answer = await this.#app.api.get("match", { q: phrase, top: TOP }, "try");
      if (this.#asked === phrase) this.#answered(answer);
    } catch (error) {
      if (this.#asked === phrase) this.#failed(error);
    }
  }

  /** Why a phrase is not even asked; empty if it is. */
  #refusal(phrase) {
    const most = this.#app.about.limits?.phrase ?? Infinity;
    const length = [...phrase].length;
    if (length <= most) return "";
    return `The phrase has ${length.toLocaleString("en")} characters; at most ${most.toLocaleString("en")} are read. `
      + "State one need in a sentence.";
  }

  #nothing() {
    this.#say("");
    this.results.removeAttribute("aria-busy");
    this.#app.announce("");
    const choose = (phrase) => {
      this.box.value = phrase;
      this.box.focus();
      this.#typed();
    };
    replace(this.results, examples(this.#app, choose));
  }

  #answered(answer) {
    this.#say("");
    this.results.removeAttribute("aria-busy");
    const refocus = this.#keepPlace();
    replace(this.results,
      el("div", { class: "answer" }, verdict(answer),
        el("section", { "aria-labelledby": "candidates-title" },
          el("h3", { id: "candidates-title", class: "unseen" }, "Candidates"),
          candidateList(answer, this.#app.about, this.#opened)),
        costsPanel(answer, this.#app.about)));
    refocus();
    this.#timers.speak = setTimeout(() => this.#app.announce(spoken(answer)), SPEAK);
  }

  /** Remember which candidate has the focus, as the answer may come while somebody moves through the last one. */
  #keepPlace() {
    const key = document.activeElement?.closest?.(".candidate")?.querySelector("[data-candidate]")?.dataset.candidate;
    return () => {
      if (key === undefined) return;
      const all = [...this.results.querySelectorAll("[data-candidate]")];
      (all.find(({ dataset }) => dataset.candidate === key) ?? all[0] ?? this.box).focus();
    };
  }

  #failed(error) {
    if (superseded(error)) return;
    this.results.removeAttribute("aria-busy");
    const status = error instanceof ApiError ? error.status : null;
    if (BUSY.includes(status)) this.#timers.again = setTimeout(() => this.#ask(), AGAIN);
    if (status === null || status === 0 || status === 401) this.#app.failed(error);
    else this.#say(BUSY.includes(status) ? `${error.message} The page asks again by itself.` : error.message);
  }

  #say(text) {
    this.problem.hidden = !text;
    if (this.problem.textContent !== text) this.problem.textContent = text;
    if (text) replace(this.results);
  }
}
