// Starts the page: asks what there is to look at, shows the view that the address names, and says when the server is away.

import { Api, ApiError, superseded } from "./api.js";
import { add, el, replace } from "./dom.js";
import { keepFocus } from "./focus.js";
import { askForToken, news, notice } from "./notice.js";
import { readFragment, tokenInPath, writeFragment } from "./state.js";

const VIEWS = {
  try: { title: "Try", open: () => import("./try.js") },
  map: { title: "Map", open: () => import("./map.js") },
  agents: { title: "Agents", open: () => import("./agents.js") },
  health: { title: "Catalog health", open: () => import("./health.js") },
  entry: { title: "Entry", open: () => import("./entry.js"), within: "agents" },
  label: { title: "Label", open: () => import("./label.js"), within: "map" },
};
const RETRY = 2000; // milliseconds between questions whether the server is back
const MOVED = "The server does not know this address. If it was started again, open the address that it printed.";

const place = (id) => document.getElementById(id);

class App {
  about = null;
  #shown = null; // {name, view}
  #away = null; // the timer that asks whether the server is back
  #asking = false; // for the token

  constructor() {
    this.api = new Api({ changed: () => this.#reload("The catalog changed; the page shows the new one.") });
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
    if (status === 401) this.#askToken();
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
      this.about = await this.api.get("about", {}, "about");
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
    const name = this.#permitted(asked) ? asked : this.about.views[0];
    if (!name) {
      notice("You may see none of the views of this page; the server's allowlist does not name you. Ask who runs it.");
      return;
    }
    this.#navigation(name);
    if (this.#shown?.name === name) this.#shown.view.update(this.params);
    else await this.#open(name);
  }

  async #open(name) {
    const first = this.#shown === null;
    this.#close();
    if (!this.#away && !this.#asking) notice("");
    const shown = { name, view: { update() {} } };
    this.#shown = shown;
    try {
      const { show } = await VIEWS[name].open();
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

  #permitted(name) {
    const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : null;
    return view !== null && this.about.views.includes(view.within ?? name);
  }

  /** Mark the current view; the links stay, as one of them may have the focus. */
  #navigation(name) {
    document.title = `${VIEWS[name].title} – ${this.about.title} – agent-capabilities`;
    const views = place("views");
    const known = this.about.views.filter((each) => Object.hasOwn(VIEWS, each));
    if (!views.children.length) {
      add(views, known.map((each) => el("a", { id: `view-${each}`, href: writeFragment(each) }, VIEWS[each].title)));
    }
    const current = `view-${VIEWS[name].within ?? name}`;
    for (const link of views.children) {
      if (link.id === current) link.setAttribute("aria-current", name === current.slice(5) ? "page" : "true");
      else link.removeAttribute("aria-current");
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

  async #askToken() {
    if (this.#asking) return;
    this.#asking = true;
    const rejected = this.api.token;
    this.api.token = null;
    const use = (token) => {
      this.api.token = token;
      this.#asking = false;
      this.#reload();
    };
    const another = rejected ? null : await this.api.tokenOfAnotherTab();
    if (another) {
      use(another);
      return;
    }
    const why = rejected ? "The server does not accept this token." : "This server answers callers with a token.";
    askForToken(`${why} This tab keeps what you give it until it is closed.`, use);
  }
}

new App().start();
