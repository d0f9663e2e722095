// The views of the page, and the links to them.

import { ApiError, AWAY } from "./api.js";
import { add, el } from "./dom.js";
import { writeFragment } from "./state.js";

/** `within` names the view whose link leads to one that has no link of its own, and whose permission it takes. */
export const VIEWS = {
  try: { title: "Try", open: () => import("./try.js") },
  map: { title: "Map", open: () => import("./map.js") },
  agents: { title: "Agents", open: () => import("./agents.js") },
  health: { title: "Catalog health", open: () => import("./health.js") },
  entry: { title: "Entry", open: () => import("./entry.js"), within: "agents" },
  label: { title: "Label", open: () => import("./label.js"), within: "map" },
};

/** Load a view's module; without an answer of the server it fails as requests do. */
export async function load(name) {
  try {
    return await VIEWS[name].open();
  } catch (error) {
    throw error instanceof TypeError ? new ApiError(0, AWAY) : error;
  }
}

/** Load the modules of all views, so that they open although the server is away then. */
export function loadAll() {
  return Promise.allSettled(Object.values(VIEWS).map(({ open }) => open()));
}

/** Whether a view is one that the server lets the caller see. */
export function permitted(name, about) {
  return Object.hasOwn(VIEWS, name) && about.views.includes(VIEWS[name].within ?? name);
}

/** Mark the current view in the navigation; links that are there stay, as one of them may have the focus. */
export function navigate(navigation, name, about) {
  if (!navigation.children.length) {
    const known = about.views.filter((each) => Object.hasOwn(VIEWS, each));
    add(navigation, known.map((each) => el("a", { id: `view-${each}`, href: writeFragment(each) }, VIEWS[each].title)));
  }
  const current = VIEWS[name].within ?? name;
  for (const link of navigation.children) {
    if (link.id === `view-${current}`) link.setAttribute("aria-current", name === current ? "page" : "true");
    else link.removeAttribute("aria-current");
  }
}
