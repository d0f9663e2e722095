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
