// The banner below the header: what keeps the page from working, and what can be done about it.

import { replace } from "./dom.js";

const PASSES = 6000; // milliseconds that news are shown

const place = (id) => document.getElementById(id);

/** Show a text and what helps; an empty text hides the banner. The same text again is not announced again. */
export function notice(text, ...remedy) {
  const said = place("notice");
  place("banner").hidden = !text;
  if (said.textContent !== text) said.textContent = text;
  replace(place("remedy"), remedy);
}

/** Say in passing what happened: it can be seen for a moment, and is heard. */
export function news(text) {
  const said = place("news");
  said.textContent = text;
  setTimeout(() => {
    if (said.textContent === text) said.textContent = "";
  }, PASSES);
}
