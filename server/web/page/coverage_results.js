// What was measured with a labelled file: figures, reliability, worst misses.

import { counted, el, inward, percent, said } from "./dom.js";
import { reliability } from "./reliability.js";
import { DECISIONS } from "./words.js";

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
export function measured(answer, name, about) {
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
