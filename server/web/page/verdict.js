// The decision of an answer in words, with what qualifies it.

import { el, percent, said } from "./dom.js";
import { DECISIONS, NOTES } from "./words.js";

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
