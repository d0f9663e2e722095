// Starts the page: asks what there is to look at, shows the view that the address names, and says when the server is away.

import { Api, ApiError, superseded } from "./api.js";
import { el, replace } from "./dom.js";
import { readFragment, writeFragment } from "./state.js";

const VIEWS = {
  try: { title: "Try", open: () => import("./try.js") },
  map: { title: "Map", open: () => import("./map.js") },
  agents: { title: "Agents", open: () => import("./agents.js") },
  health: { title: "Catalog health", open: () => import("./health.js") },
  entry: { open: () => import("./entry.js"), within: "agents" },
  label: { open: () => import("./label.js"), within: "map" },
};
const RETRY = 2000; // milliseconds between questions whether the server is back

const place = (id) => document.getElementById(id);

class App {
  about = null;
  #shown = null; // {name, view}
  #away = null;

  constructor() {
    this.api = new Api({ changed: () => this.#reload() });
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
    if (error instanceof ApiError && error.status === 401) this.#askToken();
    else if (error instanceof ApiError && error.status === 0) this.#wait(error.message);
    else this.#banner(error instanceof ApiError ? error.message : `The page failed: ${error.message}`);
  }

  async start() {
    window.addEventListener("hashchange", () => this.#show());
    place("skip").addEventListener("click", (event) => {
      event.preventDefault();
      place("view").focus();
    });
    await this.#reload();
  }

  async #reload() {
    try {
      this.about = await this.api.get("about", {}, "about");
    } catch (error) {
      this.failed(error);
      return;
    }
    this.#banner("");
    place("title").textContent = this.about.title;
    document.title = `${this.about.title} – agent-capabilities`;
    this.#shown?.view.close?.();
    this.#shown = null;
    await this.#show();
  }

  async #show() {
    if (!this.about) return;
    const { view: asked, params } = readFragment(location.hash);
    const name = this.#permitted(asked) ? asked : this.about.views[0];
    if (!name) return;
    this.#navigation(VIEWS[name].within ?? name);
    if (this.#shown?.name === name) {
      this.#shown.view.update(params);
      return;
    }
    this.#shown?.view.close?.();
    this.#shown = { name, view: { update() {} } };
    const shown = this.#shown;
    try {
      const { show } = await VIEWS[name].open();
      if (this.#shown !== shown) return;
      replace(place("view"));
      shown.view = show(place("view"), this);
      shown.view.update(readFragment(location.hash).params);
    } catch (error) {
      this.failed(error);
    }
  }

  #permitted(name) {
    const view = VIEWS[name];
    return view !== undefined && this.about.views.includes(view.within ?? name);
  }

  #navigation(current) {
    const links = this.about.views.map((name) =>
      el("a", { href: writeFragment(name), "aria-current": name === current ? "page" : null }, VIEWS[name].title));
    replace(place("views"), links);
  }

  #banner(text, ...more) {
    const banner = place("banner");
    banner.hidden = !text;
    replace(banner, text && el("p", {}, text), more);
  }

  /** Ask until the server is back, then show everything anew. */
  #wait(message) {
    this.#banner(message);
    if (this.#away) return;
    this.#away = setTimeout(() => {
      this.#away = null;
      this.#reload();
    }, RETRY);
  }

  async #askToken() {
    const rejected = this.api.token;
    this.api.token = null;
    const another = rejected ? null : await this.api.tokenOfAnotherTab();
    if (another) {
      this.api.token = another;
      this.#reload();
      return;
    }
    const field = el("input", { id: "token", type: "password", autocomplete: "off", required: true });
    const form = el("form", {
      onsubmit: (event) => {
        event.preventDefault();
        this.api.token = field.value.trim();
        this.#reload();
      },
    }, el("label", { for: "token" }, "Token"), field, el("button", {}, "Use it"));
    const news = rejected ? "The server does not accept this token. " : "This server answers callers with a token. ";
    this.#banner(`${news}This tab keeps what you give it until it is closed.`, form);
    field.focus();
  }
}

new App().start();
