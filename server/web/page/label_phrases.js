// A label's aliases and phrasings, each linked to Try.

import { add, el, replace, said } from "./dom.js";
import { writeFragment } from "./state.js";

const FIRST = 12; // phrasings that are shown at once

/** A phrase, linked to Try where the reader may use it. */
export function tried(phrase, app) {
  if (!app.about.views.includes("try")) return said(phrase);
  return el("a", { href: writeFragment("try", { q: phrase }), dir: "auto" }, phrase);
}

/** The aliases; nothing if there are none. */
export function aliases(texts, app, level) {
  if (!texts?.length) return null;
  return el("section", {}, el(level, {}, `Aliases (${texts.length})`),
    el("ul", { class: "chips" }, texts.map((text) => el("li", {}, tried(text, app)))));
}

/** The phrasings, the first of them until the reader asks for all. */
export function phrasings(texts, app, level) {
  const list = el("ul", { class: "phrasings" });
  const items = (some) => some.map((text) => el("li", {}, tried(text, app)));
  const section = el("section", {}, el(level, {}, `Phrasings (${texts.length})`));
  if (!texts.length) {
    add(section, el("p", {}, "It has none: only its name and aliases, and what they mean, lead to it."));
    return section;
  }
  replace(list, items(texts.slice(0, FIRST)));
  add(section, list);
  if (texts.length > FIRST) add(section, moreButton(list, items, texts, app));
  return section;
}

function moreButton(list, items, texts, app) {
  const button = el("button", {
    type: "button", onclick: () => {
      const before = list.children.length;
      replace(list, items(texts));
      button.remove();
      (list.children[before]?.querySelector("a") ?? list).focus();
      app.announce(`${texts.length} phrasings`);
    },
  }, `Show all ${texts.length}`);
  return button;
}
