// Finds capabilities by the meaning of a text.

import { ApiError } from "./api.js";

const LEAST = 0.02; // confidence of a capability that is still shown
const SOME = 3; // that are shown however unlikely

/**
 * The capabilities that a text may mean.
 *
 * @returns {Promise<{ranking: Map<string, number>|null, note: string}>}  likeliest first, with their confidence; null
 *     without a text
 */
export async function rankedBy(text, matrix, app) {
  if (!text.trim()) return { ranking: null, note: "" };
  try {
    const answer = await app.api.get("match", { q: text, top: matrix.capabilities.length }, "agents");
    const shown = answer.candidates.filter((each, place) => place < SOME || each.matchConfidence >= LEAST);
    const note = answer.decision === "no_match" ? "Nothing fits well; these are the nearest." : "";
    return { ranking: new Map(shown.map((each) => [each.name, each.matchConfidence])), note };
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return bySubstring(text, matrix);
    throw error;
  }
}

/** For callers who may not match: the capabilities whose name or definition holds the text. */
function bySubstring(text, { capabilities }) {
  const wanted = text.trim().toLowerCase();
  const found = capabilities.filter(({ name, definition }) => `${name} ${definition}`.toLowerCase().includes(wanted));
  return { ranking: new Map(found.map(({ name }) => [name, undefined])), note: "Found by letters, as you may not match by meaning." };
}
