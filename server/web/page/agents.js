// The view Agents: capabilities by agents, with filters.

import { copyLink, counted, el, inward, percent, replace, said } from "./dom.js";
import {
  age, agentName, fastMark, loadMatrix, rankedBy, readFilters, remember, rows, sideBySide, stateOf, writeFilters,
} from "./matrix.js";

// The form with the matrix's filters.

class MatrixFilters {
  /**
   * @param {Object} matrix  of api/agents
   * @param {function(Object, {typed: boolean}): void} changed  called with the filters after each change
   */
  constructor(matrix, changed) {
    this.matrix = matrix;
    const change = () => changed(this.value, { typed: false });
    this.text = el("input", {
      id: "matrix-text", type: "search", autocomplete: "off", dir: "auto", placeholder: "what you need, in your own words",
      oninput: () => changed(this.value, { typed: true }),
    });
    this.category = select("matrix-category", "All", matrix.categories.map(({ name }) => name), change);
    this.tier = select("matrix-tier", "Any", matrix.tiers, change);
    this.maturity = select("matrix-maturity", "Any", matrix.maturityLevels, change);
    this.agents = matrix.agents.map((agent) => ({ id: agent.id, box: box(`matrix-agent-${agent.id}`, change), name: agent.name }));
    this.differences = box("matrix-differences", change);
    this.hideSame = box("matrix-same", change);
    this.element = this.#form();
  }

  #form() {
    const field = (text, input) => el("p", {}, el("label", { for: input.id }, text), input);
    const tick = (text, input) => el("label", { class: "tick", dir: "auto" }, input, " ", text);
    return el("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
      el("div", { class: "fields" }, field("Need", this.text), field("Category", this.category),
        field("Plan, at most", this.tier), field("Maturity", this.maturity)),
      el("fieldset", { class: "ticks" }, el("legend", {}, "Agents"),
        this.agents.map(({ box: input, name }) => tick(name, input))),
      el("fieldset", { class: "ticks" }, el("legend", {}, "Differences between these agents"),
        tick("first", this.differences), tick("only", this.hideSame)));
  }

  /** The filters as the form has them. No agent chosen is the same as all. */
  get value() {
    const ticked = this.agents.filter(({ box: input }) => input.checked).map(({ id }) => id);
    return {
      agents: ticked.length ? ticked : this.agents.map(({ id }) => id),
      category: this.category.value, tier: this.tier.value, maturity: this.maturity.value, text: this.text.value,
      differences: this.differences.checked, hideSame: this.hideSame.checked,
    };
  }

  set value(filters) {
    for (const name of ["category", "tier", "maturity", "text"]) {
      if (this[name].value !== filters[name]) this[name].value = filters[name];
    }
    this.differences.checked = filters.differences;
    this.hideSame.checked = filters.hideSame;
    for (const { id, box: input } of this.agents) input.checked = filters.agents.includes(id);
  }
}

function select(id, all, names, change) {
  return el("select", { id, onchange: change }, el("option", { value: "" }, all),
    names.map((name) => el("option", { value: name, dir: "auto" }, name)));
}

const box = (id, change) => el("input", { id, type: "checkbox", onchange: change });

// The matrix as a table.

const MARKS = { has: "✓", not: "✕", unknown: "–" };

/**
 * The table.
 *
 * @param {Object[]} rows  of `rows`
 * @param {Object} context  {matrix, filters, today, grouped: boolean, opened: Set<string>}; grouped puts rows under their
 *     category, opened are the capabilities whose questions are shown
 */
function matrixTable(rows, context) {
  const { matrix, filters } = context;
  const head = filters.agents.map((id) => said(agentName(matrix, id), "th", { scope: "col" }));
  return el("table", { class: "matrix" },
    el("caption", { class: "unseen" }, "Capabilities by agents"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Capability"), head)),
    context.grouped ? grouped(rows, context) : el("tbody", {}, rows.map((row) => lines(row, context))));
}

/** A body for each category, headed by its name. */
function grouped(rows, context) {
  const categories = [...new Set(rows.map((row) => row.capability.category))];
  const span = context.filters.agents.length + 1;
  return categories.map((category) => el("tbody", {},
    el("tr", { class: "category" },
      el("th", { scope: "rowgroup", colspan: span }, said(category, "span", { class: "stay" }))),
    rows.filter((row) => row.capability.category === category).map((row) => lines(row, context))));
}

/** A row, and below it one for each question about the capability, which its button shows and hides. */
function lines(row, context) {
  const { matrix, filters, opened } = context;
  const { name } = row.capability;
  const verdicts = (id, place) => matrix.verdicts?.[id]?.[name]?.[place];
  const below = (matrix.questions?.[name] ?? []).map((question, place) => el("tr", { class: "facet", hidden: !opened.has(name) },
    said(question, "th", { scope: "row" }),
    filters.agents.map((id) => el("td", { class: `says-${verdicts(id, place) ?? "undocumented"}` }, verdicts(id, place) ?? "–"))));
  return [line(row, context, below.length ? opener(name, below, opened) : null), below];
}

function opener(name, below, opened) {
  const toggle = ({ currentTarget }) => {
    const open = !opened.delete(name);
    if (open) opened.add(name);
    for (const each of below) each.hidden = !open;
    currentTarget.setAttribute("aria-expanded", String(open));
  };
  return el("button", { type: "button", class: "open", "aria-expanded": String(opened.has(name)), onclick: toggle },
    counted(below.length, "question"), el("span", { class: "unseen" }, ` about ${name}`));
}

function line({ capability, cells, confidence }, context, button) {
  const { matrix, filters, grouped: under } = context;
  const agents = sideBySide(filters.agents, capability.name, matrix).join(",");
  const heading = el("th", { scope: "row" },
    inward("entry", { capability: capability.name, agents }, capability.name, { title: capability.definition || null }),
    !under && said(capability.category, "span", { class: "gloss" }),
    confidence !== undefined && el("span", { class: "gloss" }, `confidence ${percent(confidence)}`), button);
  return el("tr", {}, heading, cells.map((cell) => cellOf(cell, context)));
}

function cellOf({ entry, fits }, { today }) {
  const state = stateOf(entry);
  const mark = el("span", { class: "mark", "aria-hidden": "true" }, MARKS[state]);
  return el("td", { class: `is-${state}${fits ? "" : " outside"}` },
    el("div", { class: "state" }, mark, " ", words(entry, state)),
    entry && el("div", { class: "soft" }, age(entry.oldestSource, today, { short: true }),
      entry.agesFast && [" ", fastMark()], entry.status && [" ", el("span", { class: "chip" }, entry.status)]));
}

function words(entry, state) {
  if (state === "unknown") return el("span", { class: "soft" }, "not documented");
  if (state === "not") return "no";
  const facts = [planOf(entry), entry.maturityLevel].filter(Boolean).join(", ");
  return facts ? [el("span", { class: "unseen" }, "yes, "), el("span", { title: entry.needs ?? null }, facts)] : "yes";
}

/** The plan, and whether one's own key will do instead; the title has all that opens it. */
const planOf = ({ tier, access }) => [tier, access?.includes("ownKey") && "own key"].filter(Boolean).join(" or ");

const PAUSE = 600; // milliseconds after the last change until the number of rows is announced
const LEGEND = "✓ has it, from the plan and with the maturity named, and without a plan with your own key where that is named; ✕ looked for and not there; – the catalog says nothing. "
  + "Days are since the oldest source was read; above 90 they are marked. ↻ part of it ages fast. Choose a name to compare up to four agents, "
  + "or open its questions: yes, no, partly, or undocumented, which is no yes.";

/** Show the matrix. */
export function show(root, app) {
  return new AgentsView(root, app);
}

class AgentsView {
  #params = {};
  #matrix = null;
  #filters = null;
  #ranked = { text: "", ranking: null, note: "" };
  #opened = new Set(); // capabilities whose questions are shown
  #announcing = 0;
  #closed = false;

  constructor(root, app) {
    this.app = app;
    this.count = el("p", { class: "count" });
    this.table = el("div", { class: "matrix-scroll", id: "matrix", role: "region", tabindex: 0, "aria-label": "Matrix of capabilities by agents" },
      el("p", {}, "Loading."));
    this.body = el("div", { class: "agents" });
    root.append(el("div", { class: "agents" }, el("h2", {}, "Agents"), this.body,
      el("div", { class: "line" }, this.count, copyLink(app, () => {})), this.table, el("p", { class: "soft legend" }, LEGEND)));
    this.#load();
  }

  update(params) {
    this.#params = params;
    remember(params);
    if (this.#matrix) this.#take(readFilters(params, this.#matrix));
  }

  /** The server is back, with the same catalog. */
  refresh() {
    if (this.#matrix) this.update(this.app.params);
    else this.#load();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#announcing);
  }

  async #load() {
    try {
      const matrix = await loadMatrix(this.app);
      if (this.#closed) return;
      this.#matrix = matrix;
    } catch (error) {
      this.app.failed(error);
      return;
    }
    this.#filters = new MatrixFilters(this.#matrix, (filters) => this.#changed(filters));
    replace(this.body, this.#filters.element);
    this.#take(readFilters(this.#params, this.#matrix));
  }

  #changed(filters) {
    const params = writeFilters(filters, this.#matrix);
    this.app.go("agents", params, { quietly: true });
    remember(params);
    this.#take(filters);
  }

  async #take(filters) {
    this.#filters.value = filters;
    const { text } = filters;
    if (text === this.#ranked.text) {
      this.#show(filters);
      return;
    }
    try {
      const ranked = await rankedBy(text, this.#matrix, this.app);
      if (this.#closed || this.#filters.value.text !== text) return;
      this.#ranked = { text, ...ranked };
      this.#show(this.#filters.value);
    } catch (error) {
      this.app.failed(error);
    }
  }

  #show(filters) {
    const { ranking, note } = this.#ranked;
    const shown = rows(this.#matrix, filters, ranking);
    const grouped = !ranking && !filters.differences;
    const news = `${shown.length} of ${counted(this.#matrix.capabilities.length, "capability", "capabilities")}`;
    this.count.textContent = note ? `${news}. ${note}` : news;
    replace(this.table, shown.length
      ? matrixTable(shown, { matrix: this.#matrix, filters, today: this.app.about.today, grouped, opened: this.#opened })
      : el("p", {}, "No capability passes these filters. Choose fewer of them."));
    clearTimeout(this.#announcing);
    this.#announcing = setTimeout(() => this.app.announce(this.count.textContent), PAUSE);
  }
}
