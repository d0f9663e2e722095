// The button that copies an address of what the page shows, without the token of an inspection's run.

import { el, replace } from "./dom.js";
import { shareable } from "./state.js";

/**
 * The button, with a place for what came of it.
 *
 * @param {Object} app
 * @param {function(): void} before  called before the address is read, so that it is up to date
 */
export function copyLink(app, before) {
  const outcome = el("span", { class: "outcome" });
  const copy = async () => {
    before();
    const address = shareable(app.about.link);
    try {
      await navigator.clipboard.writeText(address);
      replace(outcome, "Link copied");
      app.announce("Link copied");
    } catch {
      byHand(outcome, address, app);
    }
  };
  return el("span", { class: "copy" }, el("button", { type: "button", id: "copy-link", onclick: copy }, "Copy link"), outcome);
}

/** Without a clipboard: a field with the address selected. */
function byHand(outcome, address, app) {
  const field = el("input", { type: "text", readonly: true, value: address, "aria-label": "Link to copy", dir: "ltr" });
  replace(outcome, field);
  field.focus();
  field.select();
  app.announce("The browser does not let the page copy. The link is selected: copy it with the keyboard.");
}
