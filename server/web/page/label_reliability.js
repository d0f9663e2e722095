// How often a label was found when its own phrases were left out and asked.

import { counted, el, percent } from "./dom.js";
import { reliability } from "./reliability.js";

/** @param {Object} result  {asked, right, resolved, resolvedRight, bins} */
export function outcome({ asked, right, resolved, resolvedRight, bins }) {
  if (!asked) return el("p", {}, "It has too few phrasings to measure.");
  return [
    el("p", {}, `${counted(asked, "of its phrasings was", "of its phrasings were")} asked, each left out of the catalog meanwhile: `
      + `${right} (${percent(right / asked)}) ranked it first. ${resolved} were answered with one label, ${resolvedRight} of them with this one.`),
    bins?.length ? reliability(bins) : null,
  ];
}
