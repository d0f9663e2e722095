// An answer of the matcher: its decision, its candidates with each signal's part, and what each decision would cost.

import { add, bar, counted, el, inward, percent, said, svg } from "./dom.js";
import {
  CHOICES, DECISIONS, KINDS, MATCHED_BY, MATCHED_BY_MEANING, NOTES, signalMeaning, signalName,
} from "./words.js";

// Each signal's part in a score, as small bars to both sides of zero.

/** A number with its sign; a true minus, as wide as the plus. */
const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

const sum = (parts) => Object.values(parts).reduce((total, part) => total + part, 0);

/** The largest part of any candidate: bars of all candidates have one scale. */
function largestPart(answer) {
  const all = [answer.none, ...answer.candidates].flatMap(({ parts }) => Object.values(parts ?? {}));
  return Math.max(1e-9, ...all.map(Math.abs));
}

/**
 * A table of parts, the largest first, with their sum.
 *
 * @param {Object<string, number>} parts  by signal
 * @param {string} name  whose they are
 * @param {number} largest  the part whose bar is longest
 */
function partsTable(parts, name, largest) {
  const sorted = Object.entries(parts).sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  return el("table", { class: "parts" },
    el("caption", { class: "unseen" }, "Each signal's part in the score of ", el("bdi", {}, name)),
    el("thead", {}, el("tr", {},
      ["signal", "", "part"].map((title) => (title ? el("th", { scope: "col" }, title) : el("td", {}))))),
    el("tbody", {}, sorted.map(([signal, part]) => row(signal, part, largest))),
    el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, "score"), el("td", {}),
      el("td", { class: "number" }, signed(sum(parts))))));
}

function row(signal, part, largest) {
  return el("tr", {},
    el("th", { scope: "row" }, signalName(signal), el("span", { class: "gloss" }, signalMeaning(signal))),
    el("td", { class: "sides" }, el("span", {
      class: part < 0 ? "side against" : "side for", "aria-hidden": "true",
      style: { "--size": String(Math.abs(part) / largest) },
    })),
    el("td", { class: "number" }, signed(part)));
}

// The decision of an answer in words, with what qualifies it.

/** What was decided and what that means. */
export function verdict(answer) {
  const first = answer.candidates[0]?.name ?? "";
  const { title, meaning } = DECISIONS[answer.decision];
  return el("div", { class: `verdict ${answer.decision}` },
    el("h3", {}, title),
    el("p", { dir: "auto" }, meaning(first)),
    el("ul", { class: "plain qualities" }, qualities(answer).map((each) => el("li", {}, each))));
}

function qualities({ degraded, readAs, named, notes = [] }) {
  return [
    degraded && "Degraded: the model or the vectors are not there (yet), so only names, aliases and spelling are "
      + "compared. Confidences are measured for that.",
    readAs && [`Read as `, said(readAs, "q"), "."],
    named && ["The phrase is a name or an alias of ", said(named, "b"),
      ", which alone decides. The signals are those without that."],
    ...notes.map((note) => NOTES[note] ?? note),
  ].filter(Boolean);
}

/** The decision in one breath, for those who hear the page. */
export function spoken({ decision, candidates: [first], noneConfidence }) {
  const likeliest = decision === "resolved" ? "" : "Likeliest: ";
  const best = first ? ` ${likeliest}${first.name}, ${percent(first.matchConfidence)}.` : "";
  return `${DECISIONS[decision].title}.${best} None of them: ${percent(noneConfidence)}.`;
}

// The ranked candidates of an answer, and "none of them".

const FIRST = 5; // candidates that are shown before somebody asks for more
const MAX_PHRASES = 3; // phrases that are shown of the first candidate

/**
 * The list of candidates.
 *
 * @param {Object} answer  of api/match
 * @param {Object} about  of api/about
 * @param {{signals: Set<string>, all: boolean}} opened  what is shown of what can be shown; kept up to date
 */
export function candidateList(answer, about, opened) {
  const context = { answer, about, opened: opened.signals, largest: largestPart(answer) };
  const { candidates } = answer;
  const build = (from, to) => candidates.slice(from, to).map((each, place) => item(each, from + place, context));
  const list = el("ol", { class: "candidates plain", id: "candidates", "aria-label": "Candidates, the likeliest first" },
    build(0, opened.all ? candidates.length : FIRST), noneItem(context));
  const rest = opened.all ? 0 : candidates.length - FIRST;
  return [list, rest > 0 ? more(rest, list, () => build(FIRST, candidates.length), opened) : null];
}

function more(rest, list, build, opened) {
  const show = () => {
    opened.all = true;
    const built = build();
    list.lastElementChild.before(...built);
    button.remove();
    built[0].querySelector("[data-candidate]").focus();
  };
  const button = el("button", { type: "button", onclick: show }, `Show ${counted(rest, "more candidate")}`);
  return button;
}

function item(candidate, place, context) {
  const { name, id, category, matchConfidence, matchedBy, nearest = [], parts } = candidate;
  const label = id ?? name;
  return el("li", { class: place ? "candidate" : "candidate first" },
    el("div", { class: "who" }, title(name, label, context),
      id && id !== name ? said(id, "span", { class: "soft" }) : null,
      category ? said(category, "span", { class: "soft" }) : null,
      matchedBy ? el("span", { class: "chip", title: MATCHED_BY_MEANING[matchedBy] }, MATCHED_BY[matchedBy] ?? matchedBy) : null),
    el("div", { class: "how" }, measure(matchConfidence, `Confidence of ${name}`),
      nearestPhrases(nearest.slice(0, place ? 1 : MAX_PHRASES)),
      el("div", { class: "more" }, links(name, label, context),
        why(label, name, parts, place ? nearest.slice(1) : [], context))));
}

function title(name, label, { about }) {
  const attributes = { class: "name", "data-candidate": label };
  if (about.views.includes("map")) return inward("label", { name: label }, name, attributes);
  return said(name, "span", { ...attributes, tabindex: 0 });
}

function measure(value, name) {
  return el("div", { class: "measure" }, bar(value, name),
    el("span", { class: "number", "aria-hidden": "true" }, percent(value)));
}

function nearestPhrases(nearest) {
  if (!nearest?.length) return null;
  return el("ul", { class: "nearest plain" }, nearest.map(({ text, kind, nearness }) =>
    el("li", {}, said(text, "q"), " ", el("span", { class: "soft" }, `${KINDS[kind] ?? kind}, ${nearness.toFixed(2)}`))));
}

/** On demand: the phrases that are next nearest, and the parts of the signals. They are built when they are opened. */
function why(key, name, parts, others, { opened, largest }) {
  if (!parts || !Object.keys(parts).length) return null;
  const build = () => add(details, nearestPhrases(others),
    el("p", { class: "soft" }, "A score that is higher by 1 makes a candidate about 2.7 times as likely as another."),
    el("div", { class: "scroll" }, partsTable(parts, name, largest)));
  const details = el("details", { open: opened.has(key) },
    el("summary", {}, "Signals", el("span", { class: "unseen" }, " of ", el("bdi", {}, name))));
  if (details.open) build();
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) build();
    if (details.open) opened.add(key);
    else opened.delete(key);
  });
  return details;
}

function links(name, label, { answer, about }) {
  const titled = (text) => [text, el("span", { class: "unseen" }, ": ", el("bdi", {}, name))];
  const onMap = about.views.includes("map") && !answer.degraded;
  return el("p", { class: "links" },
    onMap ? inward("map", { q: answer.query, label }, titled("On the map"), { dir: null }) : null,
    about.views.includes("agents") ? inward("agents", { text: name }, titled("Compare agents"), { dir: null }) : null);
}

function noneItem(context) {
  const { none, noneConfidence } = context.answer;
  return el("li", { class: "candidate none" },
    el("div", { class: "who" }, el("span", { class: "name", "data-candidate": "", tabindex: -1 }, "None of them"),
      el("span", { class: "soft" }, "the catalog does not have what is meant")),
    el("div", { class: "how" }, measure(noneConfidence, "Probability that none of them is meant"),
      nearestPhrases(none?.nearest?.slice(0, 1)),
      el("div", { class: "more" }, why("", "none of them", none?.parts, [], context))));
}

// The expected costs of the three decisions, the least of which is taken.

const ORDER = ["resolved", "ambiguous", "no_match"];
const SHOWN = 3; // candidates that a caller gets

const exact = (chance) => `${(chance * 100).toFixed(1)}%`;

/** The decision with the least expected cost. */
function cheapest(costs) {
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
