// What to type, while nothing is typed: phrasings of the catalog itself.

import { el, said } from "./dom.js";

const ASKED = "how can I do this"; // near to nothing, so that its candidates are a few labels of any catalog
const SHOWN = 5;

/** Words on what to type; examples follow once the catalog has answered. */
export function examples(app, choose) {
  const list = el("ul", { class: "plain examples" });
  fill(list, app, choose);
  return el("div", { class: "empty" },
    el("p", {}, "Type what is wanted, in the words of somebody who does not know the catalog: a few words, a question, "
      + "or a whole message. The candidates follow while you type."),
    list);
}

async function fill(list, app, choose) {
  let answer;
  try {
    answer = await app.api.get("match", { q: ASKED, top: SHOWN });
  } catch {
    return; // the page works without them
  }
  const phrases = answer.candidates.map(({ name, nearest = [] }) =>
    nearest.find(({ kind }) => kind === "phrasing")?.text ?? name);
  list.append(...phrases.map((phrase) =>
    el("li", {}, said(phrase, "button", { type: "button", onclick: () => choose(phrase) }))));
}
