// Which findings are shown: by severity and by rule.

import { el } from "./dom.js";
import { RULES } from "./finding_words.js";

/** The gravest first. */
export const SEVERITIES = ["error", "warning", "note"];

/**
 * Controls over findings.
 *
 * @param {Object[]} findings
 * @param {function(Object[]): void} chosen  called with those that are to be shown, once at the start
 */
export function findingFilters(findings, chosen) {
  const boxes = SEVERITIES.filter((each) => findings.some(({ severity }) => severity === each)).map((severity) =>
    el("input", { type: "checkbox", checked: true, value: severity, id: `severity-${severity}` }));
  const rules = Object.keys(RULES).filter((each) => findings.some(({ rule }) => rule === each));
  const rule = el("select", { id: "rule" }, el("option", { value: "" }, `all rules (${findings.length})`),
    rules.map((each) => el("option", { value: each }, `${each} (${numberOf(findings, "rule", each)})`)));
  const meaning = el("p", { class: "soft" });
  const apply = () => {
    const severities = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    meaning.textContent = rule.value ? `${rule.value}: ${RULES[rule.value]}.` : "";
    chosen(findings.filter((each) => severities.includes(each.severity) && (!rule.value || each.rule === rule.value)));
  };
  const controls = el("div", { class: "filters", onchange: apply },
    el("fieldset", {}, el("legend", {}, "Severity"), boxes.map((box) =>
      el("label", {}, box, ` ${box.value} (${numberOf(findings, "severity", box.value)})`))),
    el("span", {}, el("label", { for: "rule" }, "Rule"), " ", rule), meaning);
  apply();
  return controls;
}

const numberOf = (findings, key, value) => findings.filter((each) => each[key] === value).length;
