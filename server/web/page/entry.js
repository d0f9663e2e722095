// The view Entry: one capability, up to four agents side by side.

import { ApiError } from "./api.js";
import { copyLink } from "./copy_link.js";
import { el, inward, replace, said } from "./dom.js";
import { facts, sections } from "./entry_sections.js";
import { agentName, loadMatrix } from "./matrix_data.js";
import { MOST_ENTRIES, remembered, sideBySide } from "./matrix_state.js";

/** Show the capability that the address names. */
export function show(root, app) {
  return new EntryView(root, app);
}

class EntryView {
  #asked = 0; // counts what was asked, so that an older answer is left out

  constructor(root, app) {
    this.app = app;
    this.head = el("div", {});
    this.columns = el("div", { class: "columns" }, el("p", {}, "Loading."));
    root.append(el("div", { class: "entry" },
      el("p", { class: "links" }, inward("agents", remembered(), "Back to the matrix", { id: "entry-back" })), this.head, this.columns));
  }

  async update(params) {
    const asked = (this.#asked += 1);
    try {
      const matrix = await loadMatrix(this.app);
      const name = await this.#canonical(params.capability ?? "", matrix);
      const wanted = (params.agents || params.agent || "").split(",").filter(Boolean);
      const agents = sideBySide(wanted, name, matrix);
      const entries = await Promise.all(agents.map((agent) => this.#entry(agent, name)));
      if (asked === this.#asked) this.#show(name, agents, entries, matrix);
    } catch (error) {
      if (asked !== this.#asked) return;
      if (error instanceof ApiError && [400, 404].includes(error.status)) this.#refuse(error.message);
      else this.app.failed(error);
    }
  }

  /** The catalog's own name of a capability, which the address may write another way. */
  async #canonical(name, matrix) {
    if (matrix.capabilities.some((each) => each.name === name)) return name;
    return (await this.#entry(matrix.agents[0].id, name)).name;
  }

  #entry(agent, capability) {
    return this.app.api.get("entry", { agent, capability });
  }

  #refuse(message) {
    replace(this.head);
    replace(this.columns, said(message, "p", { class: "problem" }));
  }

  refresh() {
    this.update(this.app.params);
  }

  close() {
    this.#asked += 1;
  }

  #show(name, agents, entries, matrix) {
    const { views } = this.app.about;
    const known = matrix.capabilities.find((each) => each.name === name);
    const focused = document.activeElement?.id;
    replace(this.head, said(known?.name ?? name, "h2"),
      known && el("p", {}, said(known.definition), " ", said(known.category, "span", { class: "chip" })),
      el("p", { class: "links" }, views.includes("try") && inward("try", { q: name }, "Try its name"),
        views.includes("map") && inward("label", { name }, "Its phrases and reliability"), copyLink(this.app, () => {})),
      this.#chooser(name, agents, matrix));
    this.columns.style.setProperty("--columns", String(entries.length));
    replace(this.columns, entries.map((entry, place) => this.#column(entry, agentName(matrix, agents[place]))));
    if (focused) document.getElementById(focused)?.focus();
  }

  /** The agents to show: one to four of them. */
  #chooser(name, agents, matrix) {
    const full = agents.length >= MOST_ENTRIES;
    const choose = (id, ticked) => {
      const next = matrix.agents.map((agent) => agent.id).filter((each) => (each === id ? ticked : agents.includes(each)));
      this.app.go("entry", { capability: name, agents: next.join(",") });
    };
    const tick = ({ id, name: called }) => {
      const on = agents.includes(id);
      const box = el("input", {
        type: "checkbox", id: `entry-agent-${id}`, checked: on, disabled: on ? agents.length === 1 : full,
        onchange: (event) => choose(id, event.target.checked),
      });
      return el("label", { class: "tick", dir: "auto" }, box, " ", called);
    };
    return el("fieldset", { class: "ticks" }, el("legend", {}, `Agents side by side, up to ${MOST_ENTRIES}`), matrix.agents.map(tick));
  }

  #column(entry, called) {
    const part = ([title, content]) => el("section", {}, el("h4", {}, title), content || el("p", { class: "soft" }, "None stated."));
    return el("article", { "aria-label": called }, said(called, "h3"), el("div", { class: "facts" }, facts(entry)),
      entry.documented && sections(entry, this.app).map(part));
  }
}
