// The panel of the chosen label beside the map.

import { el, replace } from "./dom.js";
import { labelPanel } from "./label_panel.js";

export class MapSide {
  #panel = null;

  /**
   * @param {Object} app
   * @param {function(): void} leave  called by the panel's close button
   */
  constructor(app, leave) {
    this.app = app;
    this.leave = leave;
    this.element = el("div", { class: "map-panel", hidden: true });
  }

  /** The id or name of the label that is shown; undefined if there is none. */
  get key() {
    return this.#panel?.name;
  }

  /** Show a label, or none. */
  show(key) {
    this.#panel?.close();
    this.#panel = key ? labelPanel(this.app, key, { within: "map", leave: this.leave }) : null;
    this.element.hidden = !this.#panel;
    replace(this.element, this.#panel?.element);
  }

  focus() {
    this.#panel?.focus();
  }

  /** Ask once more, as the server was away. */
  again() {
    this.#panel?.again();
  }

  close() {
    this.#panel?.close();
  }
}
