// The view Agents: capabilities by agents, with filters.

import { copyLink } from "./copy_link.js";
import { counted, el, replace } from "./dom.js";
import { loadMatrix } from "./matrix_data.js";
import { MatrixFilters } from "./matrix_filters.js";
import { rankedBy } from "./matrix_ranking.js";
import { rows } from "./matrix_rows.js";
import { readFilters, remember, writeFilters } from "./matrix_state.js";
import { matrixTable } from "./matrix_table.js";

const PAUSE = 600; // milliseconds after the last change until the number of rows is announced
const LEGEND = "✓ has it, from the plan and with the maturity named; ✕ looked for and not there; – the catalog says nothing. "
  + "Days are since the oldest source was read; above 90 they are marked. ↻ part of it ages fast. Choose a name to compare up to four agents.";

/** Show the matrix. */
export function show(root, app) {
  return new AgentsView(root, app);
}

class AgentsView {
  #params = {};
  #matrix = null;
  #filters = null;
  #ranked = { text: "", ranking: null, note: "" };
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
      ? matrixTable(shown, { matrix: this.#matrix, filters, today: this.app.about.today, grouped })
      : el("p", {}, "No capability passes these filters. Choose fewer of them."));
    clearTimeout(this.#announcing);
    this.#announcing = setTimeout(() => this.app.announce(this.count.textContent), PAUSE);
  }
}
