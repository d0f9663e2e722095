// How often a label was found when its own phrases were left out and asked.

import { add, el, percent, svg } from "./dom.js";

const SIDE = 160;
const LARGEST = 11; // pixels of radius

/** @param {Object} result  {asked, right, resolved, resolvedRight, bins} */
export function reliability(result) {
  const { asked, right, resolved, resolvedRight, bins } = result;
  if (!asked) return el("p", {}, "It has too few phrasings to measure.");
  const words = el("p", {}, `Of ${asked} of its phrasings, each asked while left out of the catalog, ${right} `
    + `(${percent(right / asked)}) ranked it first. ${resolved} were answered outright, ${resolvedRight} of them with it.`);
  if (!bins?.length) return words;
  const part = el("div", { class: "reliability" }, words);
  add(part, diagram(bins), table(bins));
  return part;
}

/** Confidence across, share that was right upwards; on the diagonal both agree. The table beside it says the same. */
function diagram(bins) {
  const most = Math.max(...bins.map((bin) => bin.count));
  const place = (value) => value * SIDE;
  return svg("svg", { class: "diagram", viewBox: `-14 -14 ${SIDE + 28} ${SIDE + 28}`, "aria-hidden": "true" },
    svg("rect", { class: "frame", width: SIDE, height: SIDE }),
    svg("line", { class: "agree", x1: 0, y1: SIDE, x2: SIDE, y2: 0 }),
    bins.map((bin) => svg("circle", {
      cx: place(bin.confidence), cy: SIDE - place(bin.accuracy), r: Math.max(3, LARGEST * Math.sqrt(bin.count / most)),
    })));
}

function table(bins) {
  const head = (text) => el("th", { scope: "col" }, text);
  return el("table", { class: "small" }, el("caption", {}, "Confidence against how often it was right"),
    el("thead", {}, el("tr", {}, head("Confidence"), head("Right"), head("Phrases"))),
    el("tbody", {}, bins.map((bin) => el("tr", {},
      el("th", { scope: "row" }, `${percent(bin.from)} to ${percent(bin.to)}`),
      el("td", {}, percent(bin.accuracy)), el("td", {}, bin.count)))));
}
