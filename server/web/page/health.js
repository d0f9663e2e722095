// The view Catalog health: what a preflight finds, and how well labelled queries are answered.

import { Coverage } from "./coverage.js";
import { el } from "./dom.js";
import { Preflight } from "./preflight.js";

export function show(root, app) {
  const preflight = new Preflight(app);
  const coverage = new Coverage(app);
  root.append(el("div", { class: "health" }, el("h2", {}, "Catalog health"), preflight.element, coverage.element));
  preflight.ask();
  return {
    update() {},
    refresh: () => preflight.ask(),
    close() {
      preflight.close();
      coverage.close();
    },
  };
}
