// What all agents offer: the matrix, its filters in the address, and the rows that pass them.

import { ApiError } from "./api.js";
import { counted, el } from "./dom.js";

// What all agents offer, as the views Agents and Entry need it.

let kept = null; // the last answer, so that coming back to a view asks nothing

/** The matrix of the catalog that answers: api/agents. */
export async function loadMatrix(app) {
  if (kept?.catalog === app.about.catalog) return kept;
  kept = await app.api.get("agents", {}, "matrix");
  return kept;
}

/** An agent's name, or its id if the catalog does not have it. */
export const agentName = (matrix, id) => matrix.agents.find((agent) => agent.id === id)?.name ?? id;

// The filters of the matrix, in the address and back.

const MAX_ENTRIES = 4; // agents side by side

let last = {}; // the parameters of the matrix when it was last shown

/** Remember the filters, so that the way back from an entry leads to them. */
export function remember(params) {
  last = params;
}

/** The filters of the matrix when it was last shown. */
export const remembered = () => last;

/**
 * The filters that an address names.
 *
 * @returns {{agents: string[], category, tier, maturity, text, differences: boolean, hideSame: boolean}}  all agents if it names none
 */
export function readFilters(params, matrix) {
  const asked = (params.agents ?? "").split(",");
  const agents = matrix.agents.map((agent) => agent.id).filter((id) => asked.includes(id));
  return {
    agents: agents.length ? agents : matrix.agents.map((agent) => agent.id),
    category: params.category ?? "", tier: params.tier ?? "", maturity: params.maturity ?? "", text: params.text ?? "",
    differences: params.differences === "1", hideSame: params.same === "0",
  };
}

/** The parameters of an address with these filters; what filters nothing is left out. */
export function writeFilters(filters, matrix) {
  const { agents, category, tier, maturity, text, differences, hideSame } = filters;
  return {
    agents: agents.length === matrix.agents.length ? "" : agents.join(","), category, tier, maturity, text,
    differences: differences ? "1" : "", same: hideSame ? "0" : "",
  };
}

/** The agents that are shown side by side: those asked for, else the first that say something of the capability. */
export function sideBySide(asked, capability, matrix) {
  const known = asked.filter((id) => matrix.agents.some((agent) => agent.id === id));
  if (known.length && known.length <= MAX_ENTRIES) return known;
  const all = known.length ? known : matrix.agents.map((agent) => agent.id);
  const documented = all.filter((id) => matrix.entries[id]?.[capability]);
  return [...documented, ...all.filter((id) => !documented.includes(id))].slice(0, MAX_ENTRIES);
}

export { MAX_ENTRIES };

// Finds capabilities by the meaning of a text.

const MIN_CONFIDENCE = 0.02; // confidence of a capability that is still shown
const SOME = 3; // that are shown however unlikely

/**
 * The capabilities that a text may mean.
 *
 * @returns {Promise<{ranking: Map<string, number>|null, note: string}>}  likeliest first, with their confidence; null
 *     without a text
 */
export async function rankedBy(text, matrix, app) {
  if (!text.trim()) return { ranking: null, note: "" };
  if (!app.about.views.includes("try")) return bySubstring(text, matrix);
  try {
    const answer = await app.api.get("match", { q: text, top: matrix.capabilities.length }, "agents");
    const shown = answer.candidates.filter((each, place) => place < SOME || each.matchConfidence >= MIN_CONFIDENCE);
    const note = answer.decision === "no_match" ? "Nothing fits well; these are the nearest." : "";
    return { ranking: new Map(shown.map((each) => [each.name, each.matchConfidence])), note };
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return bySubstring(text, matrix);
    throw error;
  }
}

/** Where nothing can be matched by meaning, or the caller may not: the capabilities whose name or definition holds the text. */
function bySubstring(text, { capabilities }) {
  const wanted = text.trim().toLowerCase();
  const found = capabilities.filter(({ name, definition }) => `${name} ${definition}`.toLowerCase().includes(wanted));
  return { ranking: new Map(found.map(({ name }) => [name, undefined])), note: "Found by letters, not by meaning." };
}

// Which rows of the matrix are shown, and in which order. Pure functions.

/** What an agent says of a capability: "has", "not", or "unknown" if it is not documented. */
export const stateOf = (entry) => (entry === undefined ? "unknown" : entry.available ? "has" : "not");

/**
 * The rows that pass the filters.
 *
 * @param {Object} matrix  of api/agents
 * @param {Object} filters  of `readFilters`
 * @param {Map<string, number>|null} ranking  capabilities that the text may mean, likeliest first, with confidence
 * @returns {Array<{capability, cells: Array<{agent, entry, fits}>, difference: number, confidence?: number}>}
 */
export function rows(matrix, filters, ranking) {
  const found = chosen(matrix, filters, ranking)
    .map((capability) => row(capability, matrix, filters, ranking))
    .filter((each) => each.cells.some((cell) => cell.fits))
    .filter((each) => !filters.hideSame || each.difference > 0);
  if (!filters.differences) return found;
  return found.sort((one, other) => other.difference - one.difference); // stable: equal ones keep their order
}

/** The capabilities of the category and the text, in the order of the ranking if there is one. */
function chosen({ capabilities }, { category }, ranking) {
  const within = capabilities.filter((each) => !category || each.category === category);
  if (!ranking) return within;
  const order = [...ranking.keys()];
  return within.filter(({ name }) => ranking.has(name))
    .sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
}

function row(capability, matrix, filters, ranking) {
  const cells = filters.agents.map((agent) => {
    const entry = matrix.entries[agent]?.[capability.name];
    return { agent, entry, fits: fits(entry, filters, matrix.tiers) };
  });
  return { capability, cells, difference: difference(cells), confidence: ranking?.get(capability.name) };
}

/** Whether an entry is within the plan, with an unknown plan taken as low enough, and of the maturity. */
function fits(entry, { tier, maturity }, tiers) {
  if (!tier && !maturity) return true;
  if (!entry?.available) return false;
  const within = !tier || !entry.tier || tiers.indexOf(entry.tier) <= tiers.indexOf(tier);
  return within && (!maturity || entry.maturityLevel === maturity);
}

/** 2 if agents differ in whether they have it, 1 if only in plan or maturity, 0 if they agree. */
function difference(cells) {
  const distinct = (value) => new Set(cells.map(value)).size;
  if (distinct(({ entry }) => stateOf(entry)) > 1) return 2;
  return distinct(({ entry }) => `${entry?.tier} ${entry?.maturityLevel}`) > 1 ? 1 : 0;
}

// How old a fact is.

const DAY = 24 * 60 * 60 * 1000; // milliseconds
const OLD = 90; // days after which a page should be read again

/** Days from a date such as "2026-10-01" to today's; null if one is not known. */
function daysSince(date, today) {
  const days = Math.round((Date.parse(today) - Date.parse(date)) / DAY);
  return Number.isFinite(days) ? Math.max(0, days) : null;
}

/** The age of what was read on a date, marked if it is old; null if the date is not known. */
export function age(date, today, { short = false } = {}) {
  const days = daysSince(date, today);
  if (days === null) return null;
  const words = counted(days, "day");
  const old = days > OLD;
  return el("span", { class: old ? "age old" : "age", title: `read on ${date}` },
    short ? [`${days} d`, el("span", { class: "unseen" }, ` since the oldest source was read${old ? ", which is old" : ""}`)]
      : [words, old && ", old"]);
}

const FAST = "Part of it ages fast, such as a limit of a plan or a default model";

/** The mark of what ages fast, where there is no room for words. */
export function fastMark() {
  return el("span", { class: "fast", title: FAST }, el("span", { "aria-hidden": "true" }, "↻"), el("span", { class: "unseen" }, " ages fast"));
}

/** The mark of what ages fast. */
export function agesFast() {
  return el("span", { class: "chip fast", title: FAST }, "ages fast");
}
