// Each signal's part in a score, as small bars to both sides of zero.

import { el } from "./dom.js";
import { signalMeaning, signalName } from "./words.js";

/** A number with its sign; a true minus, as wide as the plus. */
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

const sum = (parts) => Object.values(parts).reduce((total, part) => total + part, 0);

/** The largest part of any candidate: bars of all candidates have one scale. */
export function largestPart(answer) {
  const all = [answer.none, ...answer.candidates].flatMap(({ parts }) => Object.values(parts ?? {}));
  return Math.max(1e-9, ...all.map(Math.abs));
}

/**
 * A table of parts, the largest first, with their sum.
 *
 * @param {Object<string, number>} parts  by signal
 * @param {string} name  whose they are
 * @param {number} largest  the part whose bar is longest
 */
export function partsTable(parts, name, largest) {
  const sorted = Object.entries(parts).sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  return el("table", { class: "parts" },
    el("caption", { class: "unseen" }, "Each signal's part in the score of ", el("bdi", {}, name)),
    el("thead", {}, el("tr", {},
      ["signal", "", "part"].map((title) => (title ? el("th", { scope: "col" }, title) : el("td", {}))))),
    el("tbody", {}, sorted.map(([signal, part]) => row(signal, part, largest))),
    el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, "score"), el("td", {}),
      el("td", { class: "number" }, signed(sum(parts))))));
}

function row(signal, part, largest) {
  return el("tr", {},
    el("th", { scope: "row" }, signalName(signal), el("span", { class: "gloss" }, signalMeaning(signal))),
    el("td", { class: "sides" }, el("span", {
      class: part < 0 ? "side against" : "side for", "aria-hidden": "true",
      style: { "--size": String(Math.abs(part) / largest) },
    })),
    el("td", { class: "number" }, signed(part)));
}
