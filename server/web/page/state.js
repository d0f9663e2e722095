// The state of the page is in the address's fragment: "#view?name=value&...".

/** The view and its parameters that a fragment names; the view is "" if it names none. */
export function readFragment(fragment) {
  const [view, query = ""] = fragment.replace(/^#/, "").split(/\?(.*)/s);
  return { view, params: Object.fromEntries(new URLSearchParams(query)) };
}

/** The fragment of a view; parameters that are empty are left out. */
export function writeFragment(view, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(given).toString();
  return query ? `#${view}?${query}` : `#${view}`;
}

const RUN_TOKEN = /^\/[\w-]{32}\/$/; // a path that is nothing but the token of an inspection's run

/**
 * An address of what the page shows that can be given to others: without the token of an inspection's run.
 *
 * @param {string|undefined} path  where the server has the page without a token; the page's own path if it has none
 */
export function shareable(path) {
  const address = new URL(location.href);
  address.pathname = path ?? address.pathname.replace(RUN_TOKEN, "/");
  address.search = "";
  return address.href;
}

/**
 * The token in the path of an inspection's address; null if there is none.
 *
 * @param {string|undefined} path  where the server has the page without a token
 */
export function tokenInPath(path) {
  if (path === undefined || !location.pathname.startsWith(path)) return null;
  return location.pathname.slice(path.length).split("/")[0] || null;
}
