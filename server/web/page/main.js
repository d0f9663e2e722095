// Starts the page: asks what there is to look at, shows the view that the address names, and says when the server is away.

import { Api, ApiError, AWAY, SiteFiles, superseded } from "./api.js";
import { add, el, replace } from "./dom.js";
import { readFragment, tokenInPath, writeFragment } from "./state.js";

// Keeps the place of whoever uses the keyboard while a view is built anew.

/**
 * Remember which element with an id has the focus, and what is selected in it.
 *
 * @returns {function(): void}  gives the focus back to the element that has this id then, if there is one
 */
function keepFocus() {
  const { id, selectionStart, selectionEnd } = document.activeElement ?? {};
  return () => {
    const element = id ? document.getElementById(id) : null;
    if (!element) return;
    element.focus();
    if (typeof selectionStart === "number") element.setSelectionRange?.(selectionStart, selectionEnd);
  };
}

// The banner below the header: what keeps the page from working, and what can be done about it.

const PASSES = 6000; // milliseconds that news are shown

const place = (id) => document.getElementById(id);

/** Show a text and what helps; an empty text hides the banner. The same text again is not announced again. */
function notice(text, ...remedy) {
  const said = place("notice");
  place("banner").hidden = !text;
  if (said.textContent !== text) said.textContent = text;
  replace(place("remedy"), remedy);
}

/** Say in passing what happened: it can be seen for a moment, and is heard. */
function news(text) {
  const said = place("news");
  said.textContent = text;
  setTimeout(() => {
    if (said.textContent === text) said.textContent = "";
  }, PASSES);
}

// Gets the token that the server asks for: from another tab of the page, else from the person.

class TokenDesk {
  /** Whether a token is being asked for. */
  open = false;
  #refocus = null; // gives back the focus that asking took

  constructor(api) {
    this.api = api;
  }

  /**
   * Ask for a token; once, however many requests were refused.
   *
   * @param {function(): Promise<void>} given  called when the api has one
   */
  async ask(given) {
    if (this.open) return;
    this.open = true;
    this.#refocus ??= keepFocus();
    const rejected = this.api.token;
    this.api.token = null;
    const another = rejected ? null : await this.api.tokenOfAnotherTab();
    if (another) await this.#use(another, given);
    else this.#form(rejected, given);
  }

  async #use(token, given) {
    this.api.token = token;
    this.open = false;
    await given();
    if (this.open) return; // it was refused
    this.#refocus?.();
    this.#refocus = null;
  }

  #form(rejected, given) {
    const field = el("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true });
    const submit = (event) => {
      event.preventDefault();
      if (field.value.trim()) this.#use(field.value.trim(), given);
    };
    const why = rejected ? "The server does not accept this token." : "This server answers callers with a token.";
    notice(`${why} This tab keeps what you give it until it is closed.`,
      el("form", { class: "line", onsubmit: submit },
        el("label", { for: "token" }, "Token"), field, el("button", { class: "main" }, "Use it")));
    field.focus();
  }
}

// The views of the page, and the links to them.

/** `within` names the view whose link leads to one that has no link of its own, and whose permission it takes. */
const VIEWS = {
  try: { title: "Try", open: () => import("./try.js") },
  map: { title: "Map", open: () => import("./map.js") },
  agents: { title: "Agents", open: () => import("./agents.js") },
  health: { title: "Catalog health", open: () => import("./health.js") },
  entry: { title: "Entry", open: () => import("./entry.js"), within: "agents" },
  label: { title: "Label", open: () => import("./labels.js"), within: "map" },
};

/** Load a view's module; without an answer of the server it fails as requests do. */
async function load(name) {
  try {
    return await VIEWS[name].open();
  } catch (error) {
    throw error instanceof TypeError ? new ApiError(0, AWAY) : error;
  }
}

/** Load the modules of all views that the caller may see, so that they open although the server is away then. */
function loadAll(about) {
  return Promise.allSettled(Object.keys(VIEWS).filter((name) => permitted(name, about)).map((name) => VIEWS[name].open()));
}

/** Whether a view is one that the server lets the caller see. */
function permitted(name, about) {
  return Object.hasOwn(VIEWS, name) && about.views.includes(VIEWS[name].within ?? name);
}

/** Mark the current view in the navigation; links that are there stay, as one of them may have the focus. */
function navigate(navigation, name, about) {
  if (!navigation.children.length) {
    const known = about.views.filter((each) => Object.hasOwn(VIEWS, each));
    add(navigation, known.map((each) => el("a", { id: `view-${each}`, href: writeFragment(each) }, VIEWS[each].title)));
  }
  const current = VIEWS[name].within ?? name;
  for (const link of navigation.children) {
    if (link.id === `view-${current}`) link.setAttribute("aria-current", name === current ? "page" : "true");
    else link.removeAttribute("aria-current");
  }
}

const RETRY = 2000; // milliseconds between questions whether the server is back
const MOVED = "The server does not know this address. If it was started again, open the address that it printed.";

class App {
  about = null;
  #shown = null; // {name, view}
  #away = null; // the timer that asks whether the server is back

  constructor() {
    const { answers } = document.documentElement.dataset;
    this.api = answers ? new SiteFiles(answers)
      : new Api({ changed: () => this.#reload("The catalog changed; the page shows the new one.") });
    this.desk = new TokenDesk(this.api);
  }

  /** The parameters of the current view. */
  get params() {
    return readFragment(location.hash).params;
  }

  /** Show a view; with `quietly`, without an entry of its own in the browser's history. */
  go(name, params = {}, { quietly = false } = {}) {
    const fragment = writeFragment(name, params);
    if (fragment === location.hash) return;
    if (quietly) history.replaceState(null, "", fragment);
    else location.hash = fragment;
  }

  /** Say something to those who hear the page. */
  announce(text) {
    place("status").textContent = text;
  }

  /** Tell of an error; one that a view cannot handle itself. A superseded request is none. */
  failed(error) {
    if (superseded(error)) return;
    const status = error instanceof ApiError ? error.status : null;
    if (status === 401) this.desk.ask(() => this.#reload());
    else if (status === 0) this.#wait(error.message);
    else notice(status === null ? `The page failed: ${error.message} Load it again.` : error.message);
  }

  async start() {
    window.addEventListener("hashchange", () => this.#show());
    place("skip").addEventListener("click", (event) => {
      event.preventDefault();
      place("view").focus();
    });
    await this.#reload();
  }

  /** Ask what there is to look at, then build the view anew; one that can `refresh` keeps what it has if nothing changed. */
  async #reload(reason = "") {
    const before = JSON.stringify(this.about);
    try {
      const today = new Date().toISOString().slice(0, 10); // a site's files do not say
      this.about = { today, ...await this.api.get("about", {}, "about") };
    } catch (error) {
      this.failed(error instanceof ApiError && error.status === 404 ? new ApiError(404, MOVED) : error);
      return;
    }
    this.api.ofPath = tokenInPath(this.about.link);
    notice("");
    place("title").textContent = this.about.title;
    if (this.#shown?.view.refresh && before === JSON.stringify(this.about)) this.#shown.view.refresh();
    else await this.#anew();
    if (reason) news(reason);
    loadAll(this.about);
  }

  async #anew() {
    const refocus = keepFocus();
    this.#close();
    replace(place("views"));
    await this.#show();
    refocus();
  }

  #close() {
    this.#shown?.view.close?.();
    this.#shown = null;
  }

  async #show() {
    if (!this.about) return;
    const { view: asked } = readFragment(location.hash);
    const name = permitted(asked, this.about) ? asked : this.about.views[0];
    if (!name) {
      notice("You may see none of the views of this page; the server's allowlist does not name you. Ask who runs it.");
      return;
    }
    navigate(place("views"), name, this.about);
    document.title = `${VIEWS[name].title} – ${this.about.title} – agent-capabilities`;
    if (this.#shown?.name === name) this.#shown.view.update(this.params);
    else await this.#open(name);
  }

  async #open(name) {
    const first = this.#shown === null;
    this.#close();
    if (!this.#away && !this.desk.open) notice("");
    const shown = { name, view: { update() {} } };
    this.#shown = shown;
    try {
      const { show } = await load(name);
      if (this.#shown !== shown) return;
      replace(place("view"));
      window.scrollTo(0, 0);
      shown.view = show(place("view"), this);
      shown.view.update(this.params);
      if (!first) this.announce(VIEWS[name].title);
    } catch (error) {
      this.failed(error);
    }
  }

  /** Ask until the server is back, then show everything anew. */
  #wait(message) {
    notice(message);
    this.#away ??= setTimeout(() => {
      this.#away = null;
      this.#reload("The server is back.");
    }, RETRY);
  }
}

new App().start();
