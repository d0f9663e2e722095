"""The outcome as one HTML page that needs no other file: summary, findings, and a heat map of confusable labels."""

from typing import Final
from xml.etree.ElementTree import Element

from embeddings.preflight.finding import RULES, SEVERITIES, Finding
from server.html_page import add, html, new_page, table
from server.output import percent
from server.preflight.heat_map import LEAST, HeatMap, heat_map
from server.preflight.messages import HELP, counted, sentence, stale, summary
from server.preflight.outcome import Outcome

_STYLE: Final = """\
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
td { overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.heat { font-size: .8rem; }
.heat th, .heat td { padding: .15rem .35rem; white-space: nowrap; }
.heat thead th[scope=col] { writing-mode: vertical-rl; }
.heat td { text-align: right; background: color-mix(in srgb, var(--hot) calc(var(--p, 0) * 100%), transparent); }
"""


def to_html(outcome: Outcome) -> str:
    """Write the page; the same outcome gives the same bytes."""
    title = f"Preflight of {outcome.source.name}"
    root, main = new_page(title, _STYLE)
    add(main, "h1", title)
    add(main, "p", f"{summary(outcome)}.")
    _findings(main, outcome)
    _heat(main, heat_map(outcome.report.confusions))
    _accepted(main, outcome)
    _rules(main, outcome)
    return html(root)


def _findings(main: Element, outcome: Outcome) -> None:
    for severity in SEVERITIES:
        found = [finding for finding in outcome.new if finding.severity == severity]
        if found:
            add(main, "h2", counted(len(found), severity))
            head = ("rule", *(("line",) if outcome.places else ()), "what is the matter", "what to do")
            table(main, f"Findings of severity {severity}", head, [_row(outcome, finding) for finding in found])


def _row(outcome: Outcome, finding: Finding) -> list[str]:
    place = outcome.places.get(finding.pointer)
    lines = [str(place.line) if place else ""] if outcome.places else []
    return [finding.rule, *lines, sentence(finding), finding.suggestion]


def _heat(main: Element, found: HeatMap) -> None:
    if not found.labels:
        return
    add(main, "h2", "Labels that are confused")
    box = add(main, "div", class_="scroll", tabindex="0", role="region", aria_label="heat map")
    heat = add(box, "table", class_="heat")
    left_out = f"; {counted(found.left_out, 'label')} left out" if found.left_out else ""
    caption = f"How likely phrases for the label of a row are found to mean that of a column, from {percent(LEAST)} on"
    add(heat, "caption", f"{caption}{left_out}")
    line = add(add(heat, "thead"), "tr")
    add(line, "th", "asked for", scope="row")
    for label in found.labels:
        add(line, "th", label, scope="col")
    body = add(heat, "tbody")
    for label in found.labels:
        line = add(body, "tr")
        add(line, "th", label, scope="row")
        for other in found.labels:
            _cell(line, label, other, found.cells.get((label, other)))


def _cell(line: Element, label: str, other: str, probability: float | None) -> None:
    if probability is None:
        add(line, "td")
        return
    shown = percent(probability)
    add(line, "td", shown, style=f"--p:{probability:.2f}", title=f"{label} is taken for {other}: {shown}")


def _accepted(main: Element, outcome: Outcome) -> None:
    if outcome.accepted:
        box = add(main, "details")
        add(box, "summary", f"{len(outcome.accepted)} accepted")
        rows = [(finding.rule, sentence(finding), entry.reason) for finding, entry in outcome.accepted]
        table(box, "Findings that the baseline accepts", ("rule", "what is the matter", "reason"), rows)
    if outcome.stale:
        add(main, "h2", "Stale in the baseline")
        lines = add(main, "ul")
        for entry in outcome.stale:
            add(lines, "li", stale(entry))


def _rules(main: Element, outcome: Outcome) -> None:
    found = {finding.rule for finding in outcome.report.findings}
    if found:
        box = add(main, "details")
        add(box, "summary", "What the rules mean")
        rows = [(rule, RULES[rule], HELP[rule]) for rule in RULES if rule in found]
        table(box, "Rules", ("rule", "what it finds", "why it matters"), rows)
