// The view Catalog health: the preflight report and the coverage of a labelled file.

import { Coverage } from "./coverage.js";
import { counted, el, inward, percent, replace, said } from "./dom.js";

// Findings of a preflight in words, as the command `preflight` says them.

const LONGEST = 120; // characters of a phrase that are shown
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const RULES = {
  refused: "the catalog's reader does not take it, or not whole",
  hidden: "a text has characters that a reader does not see",
  duplicate: "two labels have names that differ at most in case and punctuation",
  shadowed: "another label has this one's name or alias, too",
  thin: "the texts say too little to tell the label from others",
  unreachable: "the label is not among the first three for what it is asked with",
  confusable: "phrases for one label are as likely another's",
  long: "a text goes beyond what the encoder reads",
  unkept: "a skill's description promises what its body lacks",
  uneven: "some labels have examples, others have none",
  missed: "many phrases that a label serves are expected to be no_match",
  outside: "the out-of-scope phrases are too few to show what fits nothing",
};

const spelled = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;

/** A text with the characters that a reader does not see spelled out. */
const visible = (text) => text.replace(HIDDEN, spelled);

/** The same as parts of an element: what is spelled out keeps its direction beside text that runs the other way. */
function visibleParts(text) {
  const hidden = [...text.matchAll(HIDDEN)].map(([character]) => el("code", { dir: "ltr", class: "hidden" }, spelled(character)));
  return text.split(HIDDEN).flatMap((part, place) => [part, hidden[place]]);
}

const named = (label) => (label ? said(visibleParts(label), "b") : "the catalog");
const likely = ({ phrase, probability }) => (phrase && probability !== undefined ? percent(probability) : "");

/** A phrase that is not too long to be shown. */
function shortened(phrase) {
  const characters = [...phrase];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join("")}…` : phrase;
}

function quoted(phrase) {
  if (!phrase) return "";
  return said(visibleParts(shortened(phrase)), "q");
}

const SENTENCES = {
  refused: ({ label, severity }) => [named(label), severity === "error" ? " is refused" : " is not read as it stands"],
  hidden: ({ label, phrase }) =>
    [named(label), " has characters that a reader does not see", phrase && [", in ", quoted(phrase)]],
  duplicate: ({ label, other }) =>
    [named(label), " and ", another(other), " have names that differ at most in case and punctuation"],
  shadowed: ({ label, other, phrase }) =>
    [named(label), " shares ", quoted(phrase) || "its name or an alias", " with ", another(other)],
  thin: (finding) => [named(finding.label), " says too little to be told from other labels",
    likely(finding) && finding.probability < 0.5 && ["; ", quoted(finding.phrase), " finds it with ", likely(finding)]],
  unreachable: ({ label, other, phrase }) => [named(label), " is not among the first three for ",
    quoted(phrase) || "what it is asked with", other && ["; ", named(other), " is likelier"]],
  confusable: (finding) => [named(finding.label), " and ", another(finding.other), " are easily confused",
    finding.phrase && ["; ", quoted(finding.phrase),
      likely(finding) ? `, meant for one, finds the other with ${likely(finding)}` : " could mean either"]],
  long: ({ label, phrase }) => [named(label), " has a text that is longer than the encoder reads",
    phrase && ["; not read: ", quoted(phrase)]],
  unkept: ({ label, phrase }) =>
    [named(label), " promises ", quoted(phrase) || "something", ", which nothing in its body is about"],
  uneven: ({ label }) => [named(label), " has examples for some labels only"],
  missed: ({ label, probability }) => [named(label), ` is expected to call ${percent(probability)} of what it serves no_match`],
  outside: ({ label }) => [named(label), " lists too few out-of-scope phrases to show what fits nothing"],
};

function another(label) {
  return label ? named(label) : "another label";
}

/** What is the matter with which label: texts and elements, to be put into a paragraph. */
function sentence(finding) {
  return [SENTENCES[finding.rule]?.(finding) ?? [named(finding.label), `: ${finding.rule}`], "."];
}

// Which findings are shown: by severity and by rule.

/** The gravest first. */
const SEVERITIES = ["error", "warning", "note"];

/**
 * Controls over findings.
 *
 * @param {Object[]} findings
 * @param {function(Object[]): void} chosen  called with those that are to be shown, once at the start
 */
function findingFilters(findings, chosen) {
  const boxes = SEVERITIES.filter((each) => findings.some(({ severity }) => severity === each)).map((severity) =>
    el("input", { type: "checkbox", checked: true, value: severity, id: `severity-${severity}` }));
  const rules = Object.keys(RULES).filter((each) => findings.some(({ rule }) => rule === each));
  const rule = el("select", { id: "rule" }, el("option", { value: "" }, `all rules (${findings.length})`),
    rules.map((each) => el("option", { value: each }, `${each} (${numberOf(findings, "rule", each)})`)));
  const meaning = el("p", { class: "soft" });
  const apply = () => {
    const severities = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    meaning.textContent = rule.value ? `${rule.value}: ${RULES[rule.value]}.` : "";
    chosen(findings.filter((each) => severities.includes(each.severity) && (!rule.value || each.rule === rule.value)));
  };
  const controls = el("div", { class: "filters", onchange: apply },
    el("fieldset", {}, el("legend", {}, "Severity"), boxes.map((box) =>
      el("label", {}, box, ` ${box.value} (${numberOf(findings, "severity", box.value)})`))),
    el("span", {}, el("label", { for: "rule" }, "Rule"), " ", rule), meaning);
  apply();
  return controls;
}

const numberOf = (findings, key, value) => findings.filter((each) => each[key] === value).length;

// A square table of the labels between which probability moves.

const MIN_CONFUSION = 0.1; // probability from which on a confusion is shown
const MAX_LABELS = 40;

/**
 * The heat map; nothing if no two labels are confused.
 *
 * @param {Object[]} pairs  of `label`, `other` and `probability`, the largest first
 */
function heatMap(pairs) {
  const told = pairs.filter(({ probability }) => probability >= MIN_CONFUSION);
  if (!told.length) return null;
  const all = sideBySide(told);
  const labels = all.slice(0, MAX_LABELS);
  const cells = new Map(told.map(({ label, other, probability }) => [JSON.stringify([label, other]), probability]));
  const left = all.length - labels.length;
  return el("section", { class: "heat", "aria-labelledby": "heat-title" },
    el("h4", { id: "heat-title" }, "Labels that are confused"),
    el("p", { class: "soft" }, "How likely phrases for the label of a row are found to mean the label of a column, from "
      + `${percent(MIN_CONFUSION)} on.${left ? ` ${left} more labels are left out.` : ""}`),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Heat map" }, el("table", {},
      el("thead", {}, el("tr", {}, el("td", {}), labels.map((label) =>
        el("th", { scope: "col" }, el("span", { dir: "auto" }, visible(label)))))),
      el("tbody", {}, labels.map((label) => el("tr", {},
        el("th", { scope: "row" }, inward("label", { name: label }, visible(label))),
        labels.map((other) => cell(cells.get(JSON.stringify([label, other])), label === other))))))));
}

function cell(probability, itself) {
  if (probability === undefined) return el("td", { class: itself ? "itself" : null });
  return el("td", { class: "hot number", style: { "--heat": String(probability) } }, percent(probability));
}

/** The labels, each followed by those that it is confused with. */
function sideBySide(pairs) {
  const near = new Map();
  const join = (one, other) => near.set(one, [...(near.get(one) ?? []), other]);
  for (const { label, other } of pairs) {
    join(label, other);
    join(other, label);
  }
  const placed = new Set();
  for (const start of near.keys()) {
    const waiting = [start];
    while (waiting.length) {
      const label = waiting.pop();
      if (placed.has(label)) continue;
      placed.add(label);
      waiting.push(...near.get(label).reverse());
    }
  }
  return [...placed];
}

// The preflight report: which labels plain language will not reach, and why.

const POLL = 1500; // milliseconds between questions whether the report is ready
const AT_ONCE = 50; // findings that are shown before somebody asks for all

class Preflight {
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

  #report({ findings: unsorted, summary, expectedMissed: missed }) {
    this.#ready = true;
    const findings = SEVERITIES.flatMap((each) => unsorted.filter(({ severity }) => severity === each));
    const list = el("ul", { class: "findings plain", id: "findings" });
    const count = el("p", { class: "soft", role: "status" });
    const filters = findingFilters(findings, (chosen) => showFindings(list, count, chosen, this.#app.about));
    replace(this.state, summaryLine(summary, missed), findings.length ? [filters, count, list] : null,
      heatMap(findings.filter(({ rule, other }) => rule === "confusable" && other)));
    this.#app.announce(`The preflight report is ready. ${found(summary)}.`);
  }
}

function found({ errors, warnings, notes }) {
  const parts = [[errors, "error"], [warnings, "warning"], [notes, "note"]].filter(([number]) => number);
  return parts.map(([number, what]) => counted(number, what)).join(", ") || "Nothing found";
}

function summaryLine(summary, missed) {
  const { labels, phrases, accepted } = summary;
  return el("p", { class: "summary" }, el("b", {}, found(summary)),
    `; ${counted(labels, "label")} asked for with ${counted(phrases, "phrase")}`,
    accepted ? `; ${accepted.toLocaleString("en")} accepted` : "",
    missed ? `; about ${percent(missed.share)} of what its labels serve is expected to be no_match` : "", ".");
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

// The view Catalog health: what a preflight finds, and how well labelled queries are answered.

export function show(root, app) {
  const preflight = new Preflight(app);
  const coverage = new Coverage(app);
  root.append(el("div", { class: "health" }, el("h2", {}, "Catalog health"), preflight.element, coverage.element));
  preflight.ask();
  return {
    update() {},
    refresh: () => preflight.ask(),
    close() {
      preflight.close();
      coverage.close();
    },
  };
}
