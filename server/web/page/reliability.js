// How reliable answers are: the reliability diagram, and the outcome of asking for one label.

import { counted, el, percent, svg } from "./dom.js";

const SIZE = 260; // of the square, in the drawing's own units
const MARGIN = 40;
const SMALLEST = 3;
const LARGEST = 14; // radius of the point with the most answers
const TICKS = [0, 0.25, 0.5, 0.75, 1];

const across = (share) => MARGIN + share * SIZE;
const up = (share) => MARGIN / 2 + (1 - share) * SIZE;

/**
 * The diagram with the same as a table.
 *
 * @param {Object[]} bins  of `from`, `to`, `confidence`, `accuracy` and `count`
 */
export function reliability(bins) {
  return el("section", { class: "reliability", "aria-labelledby": "reliability-title" },
    el("h4", { id: "reliability-title" }, "Reliability"),
    el("p", { class: "soft" }, "Points on the line: of the answers with a confidence, just that share is right. Below it the "
      + "matcher is too sure, above it not sure enough. Larger points stand for more answers."),
    diagram(bins),
    el("details", {}, el("summary", {}, "The same as a table"), el("div", { class: "scroll" }, table(bins))));
}

function diagram(bins) {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const whole = SIZE + 1.5 * MARGIN;
  return svg("svg", {
    class: "diagram", viewBox: `0 0 ${whole} ${whole}`, role: "img",
    "aria-label": "Reliability diagram: confidence against the share that is right; the table below has its figures",
  },
  svg("g", { class: "grid" }, TICKS.map(tick)),
  svg("line", { class: "diagonal", x1: across(0), y1: up(0), x2: across(1), y2: up(1) }),
  svg("polyline", { class: "path", points: bins.map((bin) => `${across(bin.confidence)},${up(bin.accuracy)}`).join(" ") }),
  bins.map((bin) => point(bin, most)),
  svg("text", { x: across(0.5), y: up(0) + 34, "text-anchor": "middle" }, "confidence"),
  svg("text", { x: 10, y: up(0.5), "text-anchor": "middle", transform: `rotate(-90 10 ${up(0.5)})` }, "share that is right"));
}

function tick(share) {
  const text = String(Math.round(share * 100));
  return [
    svg("line", { x1: across(share), y1: up(0), x2: across(share), y2: up(1) }),
    svg("line", { x1: across(0), y1: up(share), x2: across(1), y2: up(share) }),
    svg("text", { x: across(share), y: up(0) + 16, "text-anchor": "middle" }, text),
    svg("text", { x: across(0) - 6, y: up(share) + 4, "text-anchor": "end" }, text),
  ];
}

function point(bin, most) {
  const radius = Math.max(SMALLEST, LARGEST * Math.sqrt(bin.count / most));
  return svg("circle", { cx: across(bin.confidence), cy: up(bin.accuracy), r: radius.toFixed(1) },
    svg("title", {}, `${bin.count} answers of about ${percent(bin.confidence)}: ${percent(bin.accuracy)} right`));
}

function table(bins) {
  const heads = ["confidence", "on average", "right", "answers"];
  return el("table", { class: "bins" },
    el("caption", { class: "unseen" }, "Answers by confidence"),
    el("thead", {}, el("tr", {}, heads.map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, bins.map(({ from, to, confidence, accuracy, count }) => el("tr", {},
      el("th", { scope: "row" }, `${percent(from)} to ${percent(to)}`),
      [percent(confidence), percent(accuracy), count.toLocaleString("en")].map((text) => el("td", { class: "number" }, text))))));
}

// How often a label was found when its own phrases were left out and asked.

/** @param {Object} result  {asked, right, resolved, resolvedRight, bins} */
export function outcome({ asked, right, resolved, resolvedRight, bins }) {
  if (!asked) return el("p", {}, "It has too few phrasings to measure.");
  return [
    el("p", {}, `${counted(asked, "of its phrasings was", "of its phrasings were")} asked, each left out of the catalog meanwhile: `
      + `${right} (${percent(right / asked)}) ranked it first. ${resolved} were answered with one label, ${resolvedRight} of them with this one.`),
    bins?.length ? reliability(bins) : null,
  ];
}
