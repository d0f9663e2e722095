// The matrix as a table.

import { age, fastMark } from "./ages.js";
import { el, inward, percent, said } from "./dom.js";
import { agentName } from "./matrix_data.js";
import { stateOf } from "./matrix_rows.js";
import { sideBySide } from "./matrix_state.js";

const MARKS = { has: "✓", not: "✕", unknown: "–" };

/**
 * The table.
 *
 * @param {Object[]} rows  of `rows`
 * @param {Object} context  {matrix, filters, today, grouped: boolean}; grouped puts rows under their category
 */
export function matrixTable(rows, context) {
  const { matrix, filters } = context;
  const head = filters.agents.map((id) => said(agentName(matrix, id), "th", { scope: "col" }));
  return el("table", { class: "matrix" },
    el("caption", { class: "unseen" }, "Capabilities by agents"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Capability"), head)),
    context.grouped ? grouped(rows, context) : el("tbody", {}, rows.map((row) => line(row, context))));
}

/** A body for each category, headed by its name. */
function grouped(rows, context) {
  const categories = [...new Set(rows.map((row) => row.capability.category))];
  const span = context.filters.agents.length + 1;
  return categories.map((category) => el("tbody", {},
    el("tr", { class: "category" },
      el("th", { scope: "rowgroup", colspan: span }, said(category, "span", { class: "stay" }))),
    rows.filter((row) => row.capability.category === category).map((row) => line(row, context))));
}

function line({ capability, cells, confidence }, context) {
  const { matrix, filters, grouped: under } = context;
  const agents = sideBySide(filters.agents, capability.name, matrix).join(",");
  const heading = el("th", { scope: "row" },
    inward("entry", { capability: capability.name, agents }, capability.name, { title: capability.definition || null }),
    !under && said(capability.category, "span", { class: "gloss" }),
    confidence !== undefined && el("span", { class: "gloss" }, `confidence ${percent(confidence)}`));
  return el("tr", {}, heading, cells.map((cell) => cellOf(cell, context)));
}

function cellOf({ entry, fits }, { today }) {
  const state = stateOf(entry);
  const mark = el("span", { class: "mark", "aria-hidden": "true" }, MARKS[state]);
  return el("td", { class: `is-${state}${fits ? "" : " outside"}` },
    el("div", { class: "state" }, mark, " ", words(entry, state)),
    entry && el("div", { class: "soft" }, age(entry.oldestSource, today, { short: true }),
      entry.agesFast && [" ", fastMark()], entry.status && [" ", el("span", { class: "chip" }, entry.status)]));
}

function words(entry, state) {
  if (state === "unknown") return el("span", { class: "soft" }, "not documented");
  if (state === "not") return "no";
  const facts = [entry.tier, entry.maturityLevel].filter(Boolean).join(", ");
  return facts ? [el("span", { class: "unseen" }, "yes, "), facts] : "yes";
}
