// Builds elements. Texts become text nodes and nothing else, so that no text can become markup.

import { shareable, writeFragment } from "./state.js";

/**
 * Build an element.
 *
 * @param {string} tag
 * @param {Object} attributes  by name; a name that begins with "on" takes a listener, "style" an object of CSS
 *     properties; null, undefined and false leave the attribute out, true gives it without a value
 * @param {...(Node|string|number|null|undefined|false|Array)} children  anything but a node is shown as text
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Build an SVG element; as `el`. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

/** Add children to an element; as in `el`. */
export function add(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replace all that an element holds. */
export function replace(element, ...children) {
  element.replaceChildren();
  add(element, ...children);
}

/** A text of the catalog or of a user (or its parts), which may run in either direction. */
export function said(text, tag = "span", attributes = {}) {
  return el(tag, { dir: "auto", ...attributes }, text);
}

/** A link to a view of this page; its text may be of the catalog. */
export function inward(view, params, text, attributes = {}) {
  return el("a", { href: writeFragment(view, params), dir: "auto", ...attributes }, text);
}

/** A link to another site if the address is http(s); otherwise the address as text. */
export function outward(address, text = address) {
  let safe = false;
  try {
    safe = ["http:", "https:"].includes(new URL(address).protocol);
  } catch {
    safe = false;
  }
  if (!safe) return said(text === address ? address : `${text} (${address})`);
  return el("a", { href: address, rel: "noreferrer noopener", target: "_blank", dir: "auto" }, text);
}

/** A probability or share as a percentage. */
export function percent(value) {
  if (value > 0 && value < 0.01) return "<1%";
  if (value < 1 && value > 0.99) return ">99%";
  return `${Math.round(value * 100)}%`;
}

/** A number of things, such as "1 label" or "1,200 labels". */
export function counted(number, what, several = `${what}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? what : several}`;
}

/** A bar for a value between 0 and 1; screen readers hear its name and value. */
export function bar(given, name, attributes = {}) {
  const value = Math.min(1, Math.max(0, given));
  return el("span", {
    class: "bar", role: "meter", "aria-label": name, "aria-valuemin": 0, "aria-valuemax": 1,
    "aria-valuenow": value.toFixed(3), "aria-valuetext": percent(value), style: { "--value": String(value) },
    ...attributes,
  }, el("span", {}));
}

// Text that can be copied.

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

// The button that copies an address of what the page shows, without the token of an inspection's run.

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
