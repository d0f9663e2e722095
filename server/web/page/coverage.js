// Coverage of a labelled file: it is measured on the server, and nothing of it is kept.

import { ApiError } from "./api.js";
import { counted, el, inward, percent, replace, said } from "./dom.js";
import { reliability } from "./reliability.js";
import { DECISIONS } from "./words.js";

// What was measured with a labelled file: figures, reliability, worst misses.

/** Figures: in short, and of what they are the share. */
const FIGURES = {
  top1: ["first is right", "of the queries that a label fits, the share whose first candidate is right"],
  top3: ["right among three", "of the queries that a label fits, the share with a right one among the first three"],
  mrr: ["reciprocal rank", "mean of 1 / place of the right label; 1 if it is always first"],
  coverage: ["resolved", "of the queries with one right answer, the share that is answered with one label"],
  precision: ["resolved rightly", "of the answers with one label to queries that a label fits, the share that is right"],
  falseResolve: ["resolved in vain", "of the queries that nothing fits, the share that is answered with a label all the same"],
  falseNoMatch: ["missed", "of the queries that a label fits, the share that is told that nothing fits"],
  auroc: ["fits told from misfits", "how well confidence tells queries that a label fits from others; 0.5 is chance, 1 perfect"],
  ece: ["calibration error", "how far confidences are from the share that is right, on average; 0 is perfect"],
};
const NUMBERS = ["mrr", "auroc", "ece"]; // figures that are no shares

const figure = (name, value) => (NUMBERS.includes(name) ? value.toFixed(3) : `${(value * 100).toFixed(1)}%`);

/** All that was measured. */
function measured(answer, name, about) {
  return el("div", { class: "measured" },
    el("p", { class: "summary" }, el("b", {}, counted(answer.queries, "query", "queries")), " of ", said(name), "."),
    el("div", { class: "sides-by-side" },
      el("section", { "aria-labelledby": "figures-title" }, el("h4", { id: "figures-title" }, "Figures"),
        el("p", { class: "soft" }, "The interval is where a figure would be, 95 times in 100, for another file of as many "
          + "queries of the same kind."),
        figures(answer)),
      reliability(answer.reliability)),
    misses(answer.misses, about));
}

function figures({ figures: values, intervals }) {
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of figures" },
    el("table", { class: "figures" },
      el("thead", {}, el("tr", {}, ["figure", "value", "95% interval"].map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", {}, Object.entries(values).map(([name, value]) => el("tr", {},
        el("th", { scope: "row" }, FIGURES[name]?.[0] ?? name, " ", el("code", {}, name),
          el("span", { class: "gloss" }, FIGURES[name]?.[1] ?? "")),
        el("td", { class: "number" }, figure(name, value)),
        el("td", { class: "number" }, interval(name, intervals[name])))))));
}

function interval(name, between) {
  return between ? `${figure(name, between[0])} to ${figure(name, between[1])}` : "";
}

/** The roles say that it is a table where a narrow page stacks its cells. */
function misses(found, about) {
  if (!found.length) return el("p", {}, "Every query was answered rightly.");
  const heads = ["query", "wanted", "answered", "decision", "confidence"];
  return el("section", { "aria-labelledby": "misses-title" },
    el("h4", { id: "misses-title" }, "Worst misses"),
    el("p", { class: "soft" }, "The surest of the wrong answers first. A query opens in Try."),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of misses" },
      el("table", { class: "misses", role: "table" },
        el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads.map((title) =>
          el("th", { scope: "col", role: "columnheader" }, title)))),
        el("tbody", { role: "rowgroup" }, found.map((miss) => missed(miss, heads, about))))));
}

function missed({ query, gold, answered, decision, matchConfidence }, heads, about) {
  const cells = [
    about.views.includes("try") ? inward("try", { q: query }, query) : said(query),
    gold.length ? gold.map((each, place) => [place ? ", " : "", said(each)]) : el("i", {}, "nothing fits"),
    answered ? said(answered) : "",
    DECISIONS[decision]?.title ?? decision,
    matchConfidence === undefined ? "" : percent(matchConfidence),
  ];
  return el("tr", { role: "row" }, cells.map((cell, place) => el("td", { role: "cell", "data-head": heads[place] }, cell)));
}

const EXAMPLE = `{"query": "undo what the agent did", "gold": ["Checkpoints"]}
{"query": "what is the weather", "gold": []}`;

export class Coverage {
  #app;
  #closed = false;

  constructor(app) {
    this.#app = app;
    this.file = el("input", {
      type: "file", id: "labelled", accept: ".jsonl,.ndjson,.json,.txt", onchange: () => this.#upload(this.file.files[0]),
    });
    this.outcome = el("div", { class: "outcome" });
    this.element = el("section", { "aria-labelledby": "coverage-title" },
      el("h3", { id: "coverage-title" }, "Coverage of labelled queries"),
      el("p", { class: "soft" }, "How well a file of queries, whose right answers are known, is answered. "
        + "Nothing of the file is kept."),
      el("div", { class: "sources" }, this.#drop(), app.about.paths ? this.#path() : null),
      format(), this.outcome);
  }

  close() {
    this.#closed = true;
  }

  #drop() {
    const zone = el("div", { class: "drop" },
      el("label", { for: "labelled" }, "Choose a file of labelled queries, or drop one here"), this.file);
    const over = (is) => (event) => {
      event.preventDefault();
      zone.classList.toggle("over", is);
    };
    zone.addEventListener("dragover", over(true));
    zone.addEventListener("dragleave", over(false));
    zone.addEventListener("drop", (event) => {
      over(false)(event);
      this.#upload(event.dataTransfer.files[0]);
    });
    return zone;
  }

  #path() {
    const field = el("input", { type: "text", id: "path", required: true, autocomplete: "off", spellcheck: "false", dir: "ltr" });
    const submit = (event) => {
      event.preventDefault();
      this.#measure(field.value, () => this.#app.api.post("coverage", { path: field.value }, "", "coverage"));
    };
    return el("form", { class: "path", onsubmit: submit }, el("label", { for: "path" }, "or a path on this machine"),
      el("span", { class: "line" }, field, el("button", {}, "Measure")));
  }

  #upload(file) {
    if (!file) return;
    const most = this.#app.about.limits?.upload ?? Infinity;
    if (file.size > most) {
      this.#problem(`${file.name} has ${counted(file.size, "byte")}; at most ${counted(most, "byte")} are taken; `
        + "give fewer queries, or run `agent-capabilities eval matcher` on the file.");
      return;
    }
    this.#measure(file.name, () => this.#app.api.post("coverage", {}, file, "coverage"));
  }

  async #measure(name, ask) {
    replace(this.outcome, el("p", { class: "running", role: "status" }, el("span", { class: "spin", "aria-hidden": "true" }),
      "Measuring ", el("bdi", {}, name), " …"));
    try {
      const answer = await ask();
      if (this.#closed) return;
      replace(this.outcome, measured(answer, name, this.#app.about));
      this.#app.announce(`${counted(answer.queries, "query", "queries")} measured.`);
    } catch (error) {
      if (!this.#closed) this.#failed(error);
    } finally {
      this.file.value = ""; // so that the same file can be chosen again after a change
    }
  }

  #failed(error) {
    if (error instanceof ApiError && error.status > 0 && error.status !== 401) this.#problem(error.message);
    else {
      if (error instanceof ApiError) this.#problem("Not measured. Give the file again when the server answers.");
      this.#app.failed(error);
    }
  }

  #problem(text) {
    replace(this.outcome, el("p", { class: "problem", role: "alert", dir: "auto" }, text));
  }
}

function format() {
  return el("details", {}, el("summary", {}, "The file's format"),
    el("p", {}, "JSON lines, as the command ", el("code", {}, "eval matcher"), " reads them: one object a line, with ",
      el("code", {}, "query"), ", the phrase, and ", el("code", {}, "gold"), ", the names of the labels of which any is "
      + "right. An empty list says that nothing fits. An optional ", el("code", {}, "stratum"),
      " names a group and makes no difference here."),
    el("pre", { tabindex: 0, "aria-label": "Example" }, el("code", {}, EXAMPLE)));
}
