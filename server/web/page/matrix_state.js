// The filters of the matrix, in the address and back.

const MOST_ENTRIES = 4; // agents side by side

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
  if (known.length && known.length <= MOST_ENTRIES) return known;
  const all = known.length ? known : matrix.agents.map((agent) => agent.id);
  const documented = all.filter((id) => matrix.entries[id]?.[capability]);
  return [...documented, ...all.filter((id) => !documented.includes(id))].slice(0, MOST_ENTRIES);
}

export { MOST_ENTRIES };
