// What the matcher's terms mean, in words for people who have not read its documentation.

/** @type {Object<string, {title: string, meaning: function(string): string}>} */
export const DECISIONS = {
  resolved: {
    title: "Resolved",
    meaning: (first) => `Sure enough to answer for “${first}” alone.`,
  },
  ambiguous: {
    title: "Ambiguous",
    meaning: () => "Not sure enough to answer for one alone: the caller gets the first three, and none is chosen.",
  },
  no_match: {
    title: "No match",
    meaning: () => "Nothing is plausible enough: the caller hears so, and gets the first three as weak candidates.",
  },
};

/** What each decision would have the caller do; of costs. */
export const CHOICES = {
  resolved: "answer with the first",
  ambiguous: "offer the first three",
  no_match: "say that nothing fits",
};

export const MATCHED_BY = {
  exact: "by its name",
  alias: "by an alias",
  embedding: "by meaning",
  lexical: "by wording",
};

export const MATCHED_BY_MEANING = {
  exact: "The phrase is the label's name.",
  alias: "The phrase is an alias of the label.",
  embedding: "The meaning, as the embedding model sees it, decided.",
  lexical: "Words and spelling decided; the embedding model alone would have put another label first.",
};

export const NOTES = {
  several_needs: "The message seems to hold several needs. Both are among the candidates; ask for one at a time.",
  negated: "The message refuses something. The rest was matched; what is refused is not resolved.",
  not_english: "The phrase seems not to be English, but the model and the catalog are. It was matched as English, "
    + "with the confidence measured for such phrases.",
  truncated: "The text is too long to be read whole. Its beginning and its end were read.",
};

/** What a nearest phrase is of its label. */
export const KINDS = {
  name: "name",
  alias: "alias",
  description: "description",
  phrasing: "phrasing",
  generated: "example by a model",
  whole: "name and description",
  background: "what fits no catalog",
};

/** Names of signals: in short, and what they compare. */
const SIGNALS = {
  kernel: ["learned likeness", "what the ranking learned from all phrases of the catalog"],
  cosine: ["likeness to two phrases", "mean likeness of meaning to the label's two nearest phrases"],
  nearest: ["nearest phrase", "likeness of meaning to the label's nearest phrase"],
  whole: ["name and description", "likeness of meaning to the name and the description together"],
  part: ["likest clause", "the same for the clause of the query that is likest"],
  words: ["shared words", "words that the query and the label share; rare words count more"],
  coverage: ["words covered", "share of the query's words, by their weight, that the label has"],
  spelling: ["spelling", "likeness letter by letter to one of the label's phrases; survives typing errors"],
  substring: ["part of the name", "how much of the query is the label's name or alias, or the other way round"],
  none: ["head start", "what “none of them” has from the beginning"],
  "catalog size": ["size of the catalog", "the more labels, the nearer is the best of those that are not meant"],
  "none kernel": ["learned likeness", "learned likeness to phrases that fit no label"],
  "none cosine": ["likeness to out-of-scope phrases", "likeness of meaning to phrases that fit no label"],
  "none spelling": ["spelling", "likeness letter by letter to phrases that fit no label"],
};

export const signalName = (signal) => SIGNALS[signal]?.[0] ?? signal;
export const signalMeaning = (signal) => SIGNALS[signal]?.[1] ?? "";
