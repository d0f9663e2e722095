// Coverage of a labelled file: it is measured on the server, and nothing of it is kept.

import { ApiError } from "./api.js";
import { counted, el, replace } from "./dom.js";
import { measured } from "./coverage_results.js";

const EXAMPLE = `{"query": "undo what the agent did", "gold": ["Checkpoints"]}
{"query": "what is the weather", "gold": []}`;

export class Coverage {
  #app;
  #closed = false;

  constructor(app) {
    this.#app = app;
    this.file = el("input", {
      type: "file", id: "labelled", accept: ".jsonl,.ndjson,.json,.txt", onchange: () => this.#upload(this.file.files[0]),
    });
    this.outcome = el("div", { class: "outcome" });
    this.element = el("section", { "aria-labelledby": "coverage-title" },
      el("h3", { id: "coverage-title" }, "Coverage of labelled queries"),
      el("p", { class: "soft" }, "How well a file of queries, whose right answers are known, is answered. "
        + "Nothing of the file is kept."),
      el("div", { class: "sources" }, this.#drop(), app.about.paths ? this.#path() : null),
      format(), this.outcome);
  }

  close() {
    this.#closed = true;
  }

  #drop() {
    const zone = el("div", { class: "drop" },
      el("label", { for: "labelled" }, "Choose a file of labelled queries, or drop one here"), this.file);
    const over = (is) => (event) => {
      event.preventDefault();
      zone.classList.toggle("over", is);
    };
    zone.addEventListener("dragover", over(true));
    zone.addEventListener("dragleave", over(false));
    zone.addEventListener("drop", (event) => {
      over(false)(event);
      this.#upload(event.dataTransfer.files[0]);
    });
    return zone;
  }

  #path() {
    const field = el("input", { type: "text", id: "path", required: true, autocomplete: "off", spellcheck: "false", dir: "ltr" });
    const submit = (event) => {
      event.preventDefault();
      this.#measure(field.value, () => this.#app.api.post("coverage", { path: field.value }, "", "coverage"));
    };
    return el("form", { class: "path", onsubmit: submit }, el("label", { for: "path" }, "or a path on this machine"),
      el("span", { class: "line" }, field, el("button", {}, "Measure")));
  }

  #upload(file) {
    if (!file) return;
    const most = this.#app.about.limits?.upload ?? Infinity;
    if (file.size > most) {
      this.#problem(`${file.name} has ${counted(file.size, "byte")}; at most ${counted(most, "byte")} are taken; `
        + "give fewer queries, or run `agent-capabilities eval matcher` on the file.");
      return;
    }
    this.#measure(file.name, () => this.#app.api.post("coverage", {}, file, "coverage"));
  }

  async #measure(name, ask) {
    replace(this.outcome, el("p", { class: "running", role: "status" }, el("span", { class: "spin", "aria-hidden": "true" }),
      "Measuring ", el("bdi", {}, name), " …"));
    try {
      const answer = await ask();
      if (this.#closed) return;
      replace(this.outcome, measured(answer, name, this.#app.about));
      this.#app.announce(`${counted(answer.queries, "query", "queries")} measured.`);
    } catch (error) {
      if (!this.#closed) this.#failed(error);
    } finally {
      this.file.value = ""; // so that the same file can be chosen again after a change
    }
  }

  #failed(error) {
    if (error instanceof ApiError && error.status > 0 && error.status !== 401) this.#problem(error.message);
    else {
      if (error instanceof ApiError) this.#problem("Not measured. Give the file again when the server answers.");
      this.#app.failed(error);
    }
  }

  #problem(text) {
    replace(this.outcome, el("p", { class: "problem", role: "alert", dir: "auto" }, text));
  }
}

function format() {
  return el("details", {}, el("summary", {}, "The file's format"),
    el("p", {}, "JSON lines, as the command ", el("code", {}, "eval matcher"), " reads them: one object a line, with ",
      el("code", {}, "query"), ", the phrase, and ", el("code", {}, "gold"), ", the names of the labels of which any is "
      + "right. An empty list says that nothing fits. An optional ", el("code", {}, "stratum"),
      " names a group and makes no difference here."),
    el("pre", { tabindex: 0, "aria-label": "Example" }, el("code", {}, EXAMPLE)));
}
