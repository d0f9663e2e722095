// A square table of the labels between which probability moves.

import { el, inward, percent } from "./dom.js";
import { visible } from "./finding_words.js";

const LEAST = 0.1; // probability from which on a confusion is shown
const MOST_LABELS = 40;

/**
 * The heat map; nothing if no two labels are confused.
 *
 * @param {Object[]} pairs  of `label`, `other` and `probability`, the largest first
 */
export function heatMap(pairs) {
  const told = pairs.filter(({ probability }) => probability >= LEAST);
  if (!told.length) return null;
  const all = sideBySide(told);
  const labels = all.slice(0, MOST_LABELS);
  const cells = new Map(told.map(({ label, other, probability }) => [JSON.stringify([label, other]), probability]));
  const left = all.length - labels.length;
  return el("section", { class: "heat", "aria-labelledby": "heat-title" },
    el("h4", { id: "heat-title" }, "Labels that are confused"),
    el("p", { class: "soft" }, "How likely phrases for the label of a row are found to mean the label of a column, from "
      + `${percent(LEAST)} on.${left ? ` ${left} more labels are left out.` : ""}`),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Heat map" }, el("table", {},
      el("thead", {}, el("tr", {}, el("td", {}), labels.map((label) =>
        el("th", { scope: "col" }, el("span", { dir: "auto" }, visible(label)))))),
      el("tbody", {}, labels.map((label) => el("tr", {},
        el("th", { scope: "row" }, inward("label", { name: label }, visible(label))),
        labels.map((other) => cell(cells.get(JSON.stringify([label, other])), label === other))))))));
}

function cell(probability, itself) {
  if (probability === undefined) return el("td", { class: itself ? "itself" : null });
  return el("td", { class: "hot number", style: { "--heat": String(probability) } }, percent(probability));
}

/** The labels, each followed by those that it is confused with. */
function sideBySide(pairs) {
  const near = new Map();
  const join = (one, other) => near.set(one, [...(near.get(one) ?? []), other]);
  for (const { label, other } of pairs) {
    join(label, other);
    join(other, label);
  }
  const placed = new Set();
  for (const start of near.keys()) {
    const waiting = [start];
    while (waiting.length) {
      const label = waiting.pop();
      if (placed.has(label)) continue;
      placed.add(label);
      waiting.push(...near.get(label).reverse());
    }
  }
  return [...placed];
}
