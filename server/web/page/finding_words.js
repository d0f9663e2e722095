// Findings of a preflight in words, as the command `preflight` says them.

import { el, percent, said } from "./dom.js";

const LONGEST = 120; // characters of a phrase that are shown
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const RULES = {
  refused: "the catalog's reader does not take it, or not whole",
  hidden: "a text has characters that a reader does not see",
  duplicate: "two labels have names that differ at most in case and punctuation",
  shadowed: "another label has this one's name or alias, too",
  thin: "the texts say too little to tell the label from others",
  unreachable: "the label is not among the first three for what it is asked with",
  confusable: "phrases for one label are as likely another's",
  long: "a text goes beyond what the encoder reads",
};

const spelled = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;

/** A text with the characters that a reader does not see spelled out. */
export const visible = (text) => text.replace(HIDDEN, spelled);

/** The same as parts of an element: what is spelled out keeps its direction beside text that runs the other way. */
export function visibleParts(text) {
  const hidden = [...text.matchAll(HIDDEN)].map(([character]) => el("code", { dir: "ltr", class: "hidden" }, spelled(character)));
  return text.split(HIDDEN).flatMap((part, place) => [part, hidden[place]]);
}

const named = (label) => (label ? said(visibleParts(label), "b") : "the catalog");
const likely = ({ phrase, probability }) => (phrase && probability !== undefined ? percent(probability) : "");

/** A phrase that is not too long to be shown. */
export function shortened(phrase) {
  const characters = [...phrase];
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join("")}…` : phrase;
}

function quoted(phrase) {
  if (!phrase) return "";
  return said(visibleParts(shortened(phrase)), "q");
}

const SENTENCES = {
  refused: ({ label, severity }) => [named(label), severity === "error" ? " is refused" : " is not read as it stands"],
  hidden: ({ label, phrase }) =>
    [named(label), " has characters that a reader does not see", phrase && [", in ", quoted(phrase)]],
  duplicate: ({ label, other }) =>
    [named(label), " and ", another(other), " have names that differ at most in case and punctuation"],
  shadowed: ({ label, other, phrase }) =>
    [named(label), " shares ", quoted(phrase) || "its name or an alias", " with ", another(other)],
  thin: (finding) => [named(finding.label), " says too little to be told from other labels",
    likely(finding) && finding.probability < 0.5 && ["; ", quoted(finding.phrase), " finds it with ", likely(finding)]],
  unreachable: ({ label, other, phrase }) => [named(label), " is not among the first three for ",
    quoted(phrase) || "what it is asked with", other && ["; ", named(other), " is likelier"]],
  confusable: (finding) => [named(finding.label), " and ", another(finding.other), " are easily confused",
    finding.phrase && ["; ", quoted(finding.phrase),
      likely(finding) ? `, meant for one, finds the other with ${likely(finding)}` : " could mean either"]],
  long: ({ label, phrase }) => [named(label), " has a text that is longer than the encoder reads",
    phrase && ["; not read: ", quoted(phrase)]],
};

function another(label) {
  return label ? named(label) : "another label";
}

/** What is the matter with which label: texts and elements, to be put into a paragraph. */
export function sentence(finding) {
  return [SENTENCES[finding.rule]?.(finding) ?? [named(finding.label), `: ${finding.rule}`], "."];
}
