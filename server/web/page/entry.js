// The view Entry: one capability, up to four agents side by side.

import { ApiError } from "./api.js";
import { copyable, copyLink, el, inward, outward, replace, said } from "./dom.js";
import { age, agentName, agesFast, loadMatrix, MAX_ENTRIES, remembered, sideBySide } from "./matrix.js";

// The parts of an entry: what one agent offers of a capability. Each agent has the same ones, so that they line up.

/** The sections of an entry, as [title, content or null]; null says that the entry has none. */
function sections(entry, app) {
  const notes = entry.implementationNotes ?? {};
  return [
    ["What it is", entry.description && said(entry.description, "p")],
    ["Questions", questions(entry.questions)],
    ["Setup", setup(notes, entry, app)],
    ["Limits", texts(entry.limitations)],
    ["Requirements", texts(entry.requirements)],
    ["Gotchas", texts(notes.gotchas)],
    ["Sources", sources(entry.sources, app.about.today)],
  ];
}

/** Whether an agent has it, on which plan, how mature, since when. */
function facts(entry) {
  if (!entry.documented) return el("p", { class: "is-unknown" }, "– The catalog says nothing of it.");
  const rows = [["Needs", entry.needs], ["Maturity", entry.maturityLevel], ["Called", entry.terminology],
    ["From version", entry.since], ["Until version", entry.until], ["State", entry.status === "active" ? null : entry.status]];
  return [
    el("p", { class: entry.available ? "is-has" : "is-not" },
      entry.available ? "✓ Has it" : "✕ Looked for on the pages below, and not there", entry.agesFast && [" ", agesFast()]),
    el("dl", {}, rows.filter(([, value]) => value).map(([name, value]) =>
      el("div", {}, el("dt", {}, name), said(value, "dd")))),
  ];
}

/** Questions with what the catalog answers, and the sentence that says so. */
function questions(given) {
  if (!given?.length) return null;
  return el("dl", { class: "questions" }, given.map(({ question, verdict, value, because }) => el("div", {},
    said(question, "dt"), el("dd", {}, el("strong", { class: `says-${verdict ?? "value"}`, dir: "auto" }, verdict ?? value),
      because && [" ", said(because)]))));
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
    const full = agents.length >= MAX_ENTRIES;
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
    return el("fieldset", { class: "ticks" }, el("legend", {}, `Agents side by side, up to ${MAX_ENTRIES}`), matrix.agents.map(tick));
  }

  #column(entry, called) {
    const part = ([title, content]) => el("section", {}, el("h4", {}, title), content || el("p", { class: "soft" }, "None stated."));
    return el("article", { "aria-label": called }, said(called, "h3"), el("div", { class: "facts" }, facts(entry)),
      entry.documented && sections(entry, this.app).map(part));
  }
}
