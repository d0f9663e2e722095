// Gets the token that the server asks for: from another tab of the page, else from the person.

import { el } from "./dom.js";
import { keepFocus } from "./focus.js";
import { notice } from "./notice.js";

export class TokenDesk {
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
