// Text that can be copied.

import { el, said } from "./dom.js";

/** A text as it is typed into a terminal or a file, with a button that copies it. */
export function copyable(text, name, app) {
  const shown = said(text, "code", { tabindex: -1 });
  return el("div", { class: "copyable" }, el("pre", {}, shown),
    el("button", { type: "button", "aria-label": `Copy ${name}`, onclick: () => copy(shown, app) }, "Copy"));
}

/** Copy what an element shows; where the browser does not allow it, select it for the reader to copy. */
async function copy(element, app) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    app.announce("Copied.");
  } catch {
    getSelection().selectAllChildren(element);
    element.focus();
    app.announce("Selected. Press Ctrl+C or Command+C to copy it.");
  }
}
