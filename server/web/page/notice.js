// The banner below the header: what keeps the page from working, and what can be done about it.

import { el, replace } from "./dom.js";

const PASSES = 6000; // milliseconds that news are shown

const place = (id) => document.getElementById(id);

/** Show a text and what helps; an empty text hides the banner. The same text again is not announced again. */
export function notice(text, ...remedy) {
  const said = place("notice");
  place("banner").hidden = !text;
  if (said.textContent !== text) said.textContent = text;
  replace(place("remedy"), remedy);
}

/** Say in passing what happened: it can be seen for a moment, and is heard. */
export function news(text) {
  const said = place("news");
  said.textContent = text;
  setTimeout(() => {
    if (said.textContent === text) said.textContent = "";
  }, PASSES);
}

/**
 * Ask the person for the token.
 *
 * @param {string} text  why it is needed
 * @param {function(string): void} given  takes the token
 */
export function askForToken(text, given) {
  const field = el("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const submit = (event) => {
    event.preventDefault();
    if (field.value.trim()) given(field.value.trim());
  };
  notice(text, el("form", { class: "line", onsubmit: submit },
    el("label", { for: "token" }, "Token"), field, el("button", { class: "main" }, "Use it")));
  field.focus();
}
