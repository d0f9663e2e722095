// The form with the matrix's filters.

import { el } from "./dom.js";

export class MatrixFilters {
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
