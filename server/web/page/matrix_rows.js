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
