// The box of the view Try, with its button and what its keys do.

import { copyLink } from "./copy_link.js";
import { el } from "./dom.js";

/**
 * The form.
 *
 * @param {Object} app
 * @param {{typed: function(): void, before: function(): void}} listeners  `typed` is called at every change of the
 *     text, `before` before the address is copied
 */
export function tryForm(app, { typed, before }) {
  const box = el("input", {
    id: "phrase", type: "text", dir: "auto", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    enterkeyhint: "search", autofocus: true, "aria-describedby": "keys", oninput: typed,
  });
  const element = el("div", { class: "ask" },
    el("h2", { class: "unseen" }, "Try a phrase"),
    el("label", { for: "phrase" }, "What is wanted, in any words"),
    el("div", { class: "line" }, box, copyLink(app, before)),
    el("p", { id: "keys", class: "soft keys" }, el("kbd", {}, "↓"), " ", el("kbd", {}, "↑"), " or ",
      el("kbd", {}, "Tab"), " move through the candidates, ", el("kbd", {}, "Enter"), " opens one, ",
      el("kbd", {}, "Esc"), " returns to the box."));
  return { element, box };
}
