// The view Try: a phrase, and while it is typed what the matcher makes of it and why.

import { candidateList, costsPanel, spoken, verdict } from "./answer.js";
import { ApiError, superseded } from "./api.js";
import { copyLink, el, replace, said } from "./dom.js";
import { readFragment } from "./state.js";

// What to type, while nothing is typed: phrasings of the catalog itself.

const ASKED = "how can I do this"; // near to nothing, so that its candidates are a few labels of any catalog
const SHOWN = 5;

/** Words on what to type; examples follow once the catalog has answered. */
function examples(app, choose) {
  const list = el("ul", { class: "plain examples" });
  fill(list, app, choose);
  return el("div", { class: "empty" },
    el("p", {}, "Type what is wanted, in the words of somebody who does not know the catalog: a few words, a question, "
      + "or a whole message. The candidates follow while you type."),
    list);
}

async function fill(list, app, choose) {
  let answer;
  try {
    answer = await app.api.get("match", { q: ASKED, top: SHOWN });
  } catch {
    return; // the page works without them
  }
  const phrases = answer.candidates.map(({ name, nearest = [] }) =>
    nearest.find(({ kind }) => kind === "phrasing" || kind === "generated")?.text ?? name);
  list.append(...phrases.map((phrase) =>
    el("li", {}, said(phrase, "button", { type: "button", onclick: () => choose(phrase) }))));
}

// The box of the view Try, with its button and what its keys do.

/**
 * The form.
 *
 * @param {Object} app
 * @param {{typed: function(): void, before: function(): void}} listeners  `typed` is called at every change of the
 *     text, `before` before the address is copied
 */
function tryForm(app, { typed, before }) {
  const box = el("input", {
    id: "phrase", type: "text", dir: "auto", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    enterkeyhint: "search", autofocus: true, "aria-describedby": "keys", oninput: typed,
  });
  const element = el("div", { class: "ask" },
    el("h2", { class: "unseen" }, "Try a phrase"),
    el("label", { for: "phrase" }, "What is wanted, in any words"),
    el("div", { class: "line" }, box, copyLink(app, before)),
    el("p", { id: "keys", class: "soft keys" }, el("kbd", {}, "↓"), " ", el("kbd", {}, "↑"), " or ",
      el("kbd", {}, "Tab"), " move through the candidates, ", el("kbd", {}, "Enter"), " opens one, ",
      el("kbd", {}, "Esc"), " returns to the box."));
  return { element, box };
}

// The keys of the view Try: from the box through the candidates and back.

/**
 * Listen for keys.
 *
 * @param {Element} root  of the view
 * @param {HTMLInputElement} box
 */
function listenForKeys(root, box) {
  root.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const moved = event.key === "Escape" ? toBox(root, box) : step(root, box, event);
    if (moved) event.preventDefault();
  });
}

function toBox(root, box) {
  if (document.activeElement === box) return false;
  box.focus();
  box.select();
  return true;
}

function step(root, box, { key, target }) {
  const direction = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!direction || (target !== box && !target.closest(".candidates"))) return false;
  const all = [...root.querySelectorAll("[data-candidate]")];
  const here = all.findIndex((each) => each.closest("li") === target.closest(".candidate"));
  const next = here + direction;
  if (target === box && direction < 0) return false;
  if (next < 0) box.focus();
  else all[Math.min(next, all.length - 1)]?.focus();
  return true;
}

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
