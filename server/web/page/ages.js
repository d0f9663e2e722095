// How old a fact is.

import { counted, el } from "./dom.js";

const DAY = 24 * 60 * 60 * 1000; // milliseconds
const OLD = 90; // days after which a page should be read again

/** Days from a date such as "2026-10-01" to today's; null if one is not known. */
export function daysSince(date, today) {
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
