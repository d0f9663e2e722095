// Asks the server, or reads the answers of a site without one.

const TOKEN = "agent-capabilities-token";
const CHANNEL = "agent-capabilities-tabs";
const LONG = 8000; // characters of a query that servers and proxies may refuse
const PATIENCE = 300; // milliseconds that another tab has to hand over the token

export const AWAY = "The server does not answer. Start it again, or wait until it is back.";

/** An answer that is an error: its HTTP status, 0 if no server answered, null if there is none, and its text. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Whether an error says that a later request took the place of this one. */
export const superseded = (error) => error instanceof DOMException && error.name === "AbortError";

/** What an answer without an explanation means, such as one of a proxy. */
function unexplained(status, length) {
  if (length > LONG) return `The server answered ${status}: the phrase is too long for an address. Shorten it.`;
  return `The server answered ${status} without saying why. Try again in a moment.`;
}

/** The store of this tab; where the browser keeps none for the page, one that a reload empties. */
function tabStore() {
  try {
    return window.sessionStorage;
  } catch {
    const kept = new Map();
    return {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => kept.set(key, value),
      removeItem: (key) => kept.delete(key),
    };
  }
}

/** The answers of a site without a server: files that `site` wrote beside the page. Has what `Api` has. */
export class SiteFiles {
  token = null;
  ofPath = null;
  #kept = new Map();

  /** @param {string} folder  of the answers */
  constructor(folder) {
    this.folder = folder;
  }

  tokenOfAnotherTab() {
    return Promise.resolve(null);
  }

  /** Read an answer; as `Api.get`. */
  async get(name, { agent, capability } = {}) {
    if (name !== "entry") return this.#file(name);
    const { addresses } = await this.#file("about");
    const entries = Object.hasOwn(addresses, capability) ? await this.#file(`entries/${addresses[capability]}`) : {};
    if (!Object.hasOwn(entries, agent)) throw new ApiError(404, `The catalog has no capability “${capability}” of “${agent}”.`);
    return entries[agent];
  }

  #file(name) {
    if (!this.#kept.has(name)) this.#kept.set(name, this.#read(name));
    return this.#kept.get(name);
  }

  async #read(name) {
    try {
      const response = await fetch(`${this.folder}/${name}.json`, { credentials: "omit" });
      if (response.ok) return await response.json();
    } catch {
      // As a file that is not there: there is no server that could come back.
    }
    this.#kept.delete(name);
    throw new ApiError(null, `A file of this site, ${this.folder}/${name}.json, cannot be read.`);
  }
}

export class Api {
  #store = tabStore();
  #catalog = null;
  #latest = new Map();
  /** The token that is in this tab's address instead; null if none is. Other tabs may ask for it. */
  ofPath = null;

  /** @param {{changed: function(): void}} listeners  `changed` is called when another catalog begins to answer */
  constructor(listeners) {
    this.listeners = listeners;
    this.tabs = "BroadcastChannel" in window ? new BroadcastChannel(CHANNEL) : null;
    this.tabs?.addEventListener("message", ({ data }) => {
      const token = this.token ?? this.ofPath;
      if (data === "token?" && token) this.tabs.postMessage({ token });
    });
  }

  /** The caller's token; this tab keeps it until it is closed. */
  get token() {
    return this.#store.getItem(TOKEN);
  }

  set token(value) {
    if (value) this.#store.setItem(TOKEN, value);
    else this.#store.removeItem(TOKEN);
  }

  /** The token of another open tab of this page; null if none answers. */
  tokenOfAnotherTab() {
    if (!this.tabs) return Promise.resolve(null);
    return new Promise((resolve) => {
      const listen = ({ data }) => data?.token && done(data.token);
      const done = (token) => {
        clearTimeout(timer);
        this.tabs.removeEventListener("message", listen);
        resolve(token);
      };
      const timer = setTimeout(() => done(null), PATIENCE);
      this.tabs.addEventListener("message", listen);
      this.tabs.postMessage("token?");
    });
  }

  /**
   * GET an answer.
   *
   * @param {string} name  such as "match"
   * @param {Object} params  of the query
   * @param {string} [lane]  a later request in the same lane takes the place of this one, which then throws AbortError
   */
  get(name, params = {}, lane = undefined) {
    return this.#request(name, params, { method: "GET" }, lane);
  }

  /** POST a body; as `get`. */
  post(name, params, body, lane = undefined) {
    return this.#request(name, params, { method: "POST", body }, lane);
  }

  async #request(name, params, options, lane) {
    const aborting = new AbortController();
    if (lane) {
      this.#latest.get(lane)?.abort();
      this.#latest.set(lane, aborting);
    }
    const query = new URLSearchParams(params).toString();
    const headers = this.token ? { Authorization: `Bearer ${this.token}` } : {};
    const response = await this.#answer(`api/${name}${query ? `?${query}` : ""}`, {
      ...options, headers, signal: aborting.signal, cache: "no-store", credentials: "omit",
    });
    const value = await this.#json(response);
    if (aborting.signal.aborted) throw new DOMException("A later request took its place.", "AbortError");
    if (!response.ok) throw new ApiError(response.status, value?.error ?? unexplained(response.status, query.length));
    if (value === null) throw new ApiError(0, "The server's answer broke off. Wait until it is back.");
    this.#note(value.catalog);
    return value;
  }

  async #answer(address, options) {
    try {
      return await fetch(address, options);
    } catch (error) {
      if (superseded(error)) throw error;
      throw new ApiError(0, AWAY);
    }
  }

  async #json(response) {
    try {
      return await response.json();
    } catch (error) {
      if (superseded(error)) throw error;
      return null;
    }
  }

  #note(catalog) {
    if (!catalog) return;
    const changed = this.#catalog !== null && this.#catalog !== catalog;
    this.#catalog = catalog;
    if (changed) this.listeners.changed();
  }
}
