// The preflight report: which labels plain language will not reach, and why.

import { counted, el, inward, replace, said } from "./dom.js";
import { findingFilters, SEVERITIES } from "./finding_filters.js";
import { RULES, sentence, shortened, visible, visibleParts } from "./finding_words.js";
import { heatMap } from "./heat.js";

const POLL = 1500; // milliseconds between questions whether the report is ready
const AT_ONCE = 50; // findings that are shown before somebody asks for all

export class Preflight {
  #app;
  #timer = null;
  #closed = false;
  #since = Date.now();
  #ready = false;

  constructor(app) {
    this.#app = app;
    this.state = el("div", { class: "state" });
    this.element = el("section", { "aria-labelledby": "preflight-title" },
      el("h3", { id: "preflight-title" }, "Preflight"),
      el("p", { class: "soft" }, "Which labels plain language will not reach: each is asked for with its own phrases, "
        + "which the catalog, for that one question, does not have."), this.state);
  }

  /** Ask for the report, until it is ready. */
  async ask() {
    if (this.#closed || this.#ready) return;
    clearTimeout(this.#timer);
    try {
      this.#show(await this.#app.api.get("preflight", {}, "preflight"));
    } catch (error) {
      if (this.#closed) return;
      if (error.status > 0 && error.status !== 401) replace(this.state, el("p", { class: "problem", role: "alert" }, error.message));
      else this.#app.failed(error);
      if (error.status === 503) this.#timer = setTimeout(() => this.ask(), POLL);
    }
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #show({ status, report, error, reason }) {
    if (this.#closed) return;
    if (status === "running") this.#running();
    else if (status === "unavailable") this.#unavailable(reason);
    else if (status === "failed") replace(this.state, el("p", { class: "problem", role: "alert" }, error));
    else this.#report(report);
  }

  #unavailable(reason) {
    this.#ready = true;
    replace(this.state, el("p", { class: "soft", role: "status" }, "There is no report here: ", reason, "."));
  }

  #running() {
    const seconds = Math.round((Date.now() - this.#since) / 1000);
    replace(this.state, el("p", { class: "running" }, el("span", { class: "spin", "aria-hidden": "true" }),
      `The catalog is being measured: ${counted(seconds, "second")} so far. Each label is asked for many times; `
      + "with hundreds of labels that takes minutes."));
    this.#timer = setTimeout(() => this.ask(), POLL);
  }

  #report({ findings: unsorted, summary, confusions }) {
    this.#ready = true;
    const findings = SEVERITIES.flatMap((each) => unsorted.filter(({ severity }) => severity === each));
    const list = el("ul", { class: "findings plain", id: "findings" });
    const count = el("p", { class: "soft", role: "status" });
    const filters = findingFilters(findings, (chosen) => showFindings(list, count, chosen, this.#app.about));
    replace(this.state, summaryLine(summary), findings.length ? [filters, count, list] : null,
      heatMap(confusions ?? findings.filter(({ rule, other }) => rule === "confusable" && other)));
    this.#app.announce(`The preflight report is ready. ${found(summary)}.`);
  }
}

function found({ errors, warnings, notes }) {
  const parts = [[errors, "error"], [warnings, "warning"], [notes, "note"]].filter(([number]) => number);
  return parts.map(([number, what]) => counted(number, what)).join(", ") || "Nothing found";
}

function summaryLine(summary) {
  const { labels, phrases, accepted } = summary;
  return el("p", { class: "summary" }, el("b", {}, found(summary)),
    `; ${counted(labels, "label")} asked for with ${counted(phrases, "phrase")}`,
    accepted ? `; ${accepted.toLocaleString("en")} accepted` : "", ".");
}

function showFindings(list, count, chosen, about, most = AT_ONCE) {
  const shown = chosen.slice(0, most);
  replace(list, shown.map((finding) => item(finding, about)));
  replace(count, `${counted(chosen.length, "finding")}${shown.length < chosen.length ? `, the first ${most} shown` : ""} `,
    shown.length < chosen.length
      ? el("button", { type: "button", onclick: () => showFindings(list, count, chosen, about, Infinity) }, "Show all")
      : null);
}

function item(finding, about) {
  const { rule, severity, label, other, phrase, suggestion } = finding;
  return el("li", { class: "finding" },
    el("p", { class: "finding-kind" }, el("span", { class: `chip is-${severity}` }, severity), " ",
      el("span", { class: "rule", title: RULES[rule] }, rule)),
    el("p", { dir: "auto" }, sentence(finding)),
    el("p", { class: "soft", dir: "auto" }, visible(suggestion)),
    el("p", { class: "links" }, tryLink(phrase ?? label, about), [label, other].map((each) => labelLink(each, about))));
}

function tryLink(phrase, about) {
  if (!phrase || !about.views.includes("try")) return null;
  return inward("try", { q: phrase }, ["Try ", said(visibleParts(shortened(phrase)), "q")], { dir: null });
}

function labelLink(label, about) {
  if (!label || !about.views.includes("map")) return null;
  return inward("label", { name: label }, ["Label ", said(visibleParts(label))], { dir: null });
}
