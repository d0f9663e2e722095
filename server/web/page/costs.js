// The expected costs of the three decisions, the least of which is taken.

import { el, svg } from "./dom.js";
import { CHOICES, DECISIONS } from "./words.js";

const ORDER = ["resolved", "ambiguous", "no_match"];
const SHOWN = 3; // candidates that a caller gets

const exact = (chance) => `${(chance * 100).toFixed(1)}%`;

/** The decision with the least expected cost. */
export function cheapest(costs) {
  return ORDER.reduce((best, each) => (costs[each] < costs[best] ? each : best));
}

/** Why the decision is what it is. */
export function costsPanel(answer, about) {
  const { expectedCosts: costs } = answer;
  const best = cheapest(costs);
  return el("section", { class: "costs", "aria-labelledby": "costs-title" },
    el("h3", { id: "costs-title" }, "Why this decision"),
    el("p", { class: "soft" }, "What each decision is expected to cost the caller; the least is taken."),
    el("ul", { class: "plain" }, ORDER.map((each) => choice(each, costs, best))),
    answer.decision === best ? null : el("p", { class: "note" }, otherwise(answer, best)),
    el("details", {}, el("summary", {}, "How the costs are reckoned"), reckoning(answer, about.costs)));
}

function choice(decision, costs, best) {
  const largest = Math.max(...ORDER.map((each) => costs[each]), 1e-9);
  const least = decision === best;
  return el("li", { class: least ? "choice least" : "choice" },
    el("span", {}, DECISIONS[decision].title, el("span", { class: "soft" }, `: ${CHOICES[decision]}`)),
    el("span", { class: "number" }, least ? el("span", { class: "mark" }, tick(), "least ") : null,
      costs[decision].toFixed(2)),
    el("span", { class: "bar", "aria-hidden": "true", style: { "--value": String(costs[decision] / largest) } },
      el("span", {})));
}

function tick() {
  return svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" },
    svg("path", { d: "M3 8.5l3.2 3.2L13 5", fill: "none", stroke: "currentColor", "stroke-width": "2" }));
}

/** Why the decision is not the one with the least expected cost. */
function otherwise(answer, best) {
  const why = answer.named || answer.candidates[0]?.matchedBy === "alias"
    ? "the phrase is a name or an alias, which alone decides"
    : "what the notes say about the message weighs more";
  return `By these costs it would be “${DECISIONS[best].title.toLowerCase()}”, but ${why}.`;
}

/** The sums behind the bars, with the probabilities of this answer. */
function reckoning({ candidates, noneConfidence: none }, costs) {
  const first = candidates[0]?.matchConfidence ?? 0;
  const among = candidates.slice(0, SHOWN).reduce((total, each) => total + each.matchConfidence, 0);
  const other = Math.max(0, 1 - first - none);
  const line = (decision, ...terms) => el("li", {}, `${DECISIONS[decision].title}: `,
    terms.map(([cost, chance, what], place) =>
      `${place ? " + " : ""}${cost} × ${exact(chance)} (${what})`));
  return el("ul", { class: "reckoning" },
    line("resolved", [costs.wrong, other, "another label is meant"], [costs.unfounded, none, "none is meant"]),
    line("ambiguous", [costs.candidates, among, "the right one is among them"],
      [costs.useless, Math.max(0, 1 - among), "it is not"]),
    line("no_match", [costs.missed, Math.max(0, 1 - none), "a label is meant after all"]));
}
