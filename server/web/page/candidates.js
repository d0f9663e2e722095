// The ranked candidates of an answer, and "none of them".

import { add, bar, counted, el, inward, percent, said } from "./dom.js";
import { largestPart, partsTable } from "./parts.js";
import { KINDS, MATCHED_BY, MATCHED_BY_MEANING } from "./words.js";

const FIRST = 5; // candidates that are shown before somebody asks for more
const MOST = 3; // phrases that are shown of the first candidate

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
      nearestPhrases(nearest.slice(0, place ? 1 : MOST)),
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
