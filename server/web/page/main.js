// Starts the page: asks what there is to look at, shows the view that the address names, and says when the server is away.

import { Api, ApiError, superseded } from "./api.js";
import { replace } from "./dom.js";
import { keepFocus } from "./focus.js";
import { news, notice } from "./notice.js";
import { readFragment, tokenInPath, writeFragment } from "./state.js";
import { TokenDesk } from "./token.js";
import { load, loadAll, navigate, permitted, VIEWS } from "./views.js";

const RETRY = 2000; // milliseconds between questions whether the server is back
const MOVED = "The server does not know this address. If it was started again, open the address that it printed.";

const place = (id) => document.getElementById(id);

class App {
  about = null;
  #shown = null; // {name, view}
  #away = null; // the timer that asks whether the server is back

  constructor() {
    this.api = new Api({ changed: () => this.#reload("The catalog changed; the page shows the new one.") });
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
    await loadAll();
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
