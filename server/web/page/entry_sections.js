// The parts of an entry: what one agent offers of a capability. Each agent has the same ones, so that they line up.

import { age, agesFast } from "./ages.js";
import { copyable } from "./copy.js";
import { el, outward, said } from "./dom.js";

/** The sections of an entry, as [title, content or null]; null says that the entry has none. */
export function sections(entry, app) {
  const notes = entry.implementationNotes ?? {};
  return [
    ["What it is", entry.description && said(entry.description, "p")],
    ["Setup", setup(notes, entry, app)],
    ["Limits", texts(entry.limitations)],
    ["Requirements", texts(entry.requirements)],
    ["Gotchas", texts(notes.gotchas)],
    ["Sources", sources(entry.sources, app.about.today)],
  ];
}

/** Whether an agent has it, on which plan, how mature, since when. */
export function facts(entry) {
  if (!entry.documented) return el("p", { class: "is-unknown" }, "– The catalog says nothing of it.");
  const rows = [["Plan", entry.tier], ["Maturity", entry.maturityLevel], ["Called", entry.terminology],
    ["From version", entry.since], ["Until version", entry.until], ["State", entry.status === "active" ? null : entry.status]];
  return [
    el("p", { class: entry.available ? "is-has" : "is-not" },
      entry.available ? "✓ Has it" : "✕ Looked for on the pages below, and not there", entry.agesFast && [" ", agesFast()]),
    el("dl", {}, rows.filter(([, value]) => value).map(([name, value]) =>
      el("div", {}, el("dt", {}, name), said(value, "dd")))),
  ];
}

function setup({ setup: how, configFile, startUrl }, { agentName }, app) {
  if (!how && !configFile && !startUrl) return null;
  return [
    how && copyable(how, `setup of ${agentName}`, app),
    configFile && [el("p", { class: "soft" }, "Configuration file"), copyable(configFile, `configuration file of ${agentName}`, app)],
    startUrl && el("p", {}, "Read first: ", outward(startUrl)),
  ];
}

/** Statements; each is a text, or a text with whether it ages fast. */
function texts(statements) {
  if (!statements?.length) return null;
  return el("ul", {}, statements.map((each) => (typeof each === "string" ? said(each, "li")
    : said([each.text, each.volatile && [" ", agesFast()]], "li"))));
}

function sources(given, today) {
  if (!given?.length) return null;
  return el("ul", { class: "sources" }, given.map((source) => el("li", {},
    outward(source.url, source.description || source.url),
    el("span", { class: "gloss" }, source.verifiedDate ? [`read on ${source.verifiedDate}, `, age(source.verifiedDate, today)] : "no date",
      source.sourceGranularity && ` · ${source.sourceGranularity}`, source.status && source.status !== "active" && ` · ${source.status}`))));
}
