// The view Label: the panel of one label as a page of its own.

import { el, replace } from "./dom.js";
import { labelPanel } from "./label_panel.js";

export { labelPanel } from "./label_panel.js";

/** Show the label that the address names. */
export function show(root, app) {
  let panel = null;
  return {
    update({ name }) {
      if (panel && panel.name === name) return;
      panel?.close();
      panel = name ? labelPanel(app, name, { within: "label" }) : null;
      replace(root, el("h2", { class: "unseen" }, "Label"),
        panel?.element ?? el("p", {}, "No label is named. ", el("a", { href: "#map" }, "Choose one on the map.")));
    },
    refresh() {
      panel?.again();
    },
    close() {
      panel?.close();
    },
  };
}
