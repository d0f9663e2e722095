"""The outcome in the Static Analysis Results Interchange Format (SARIF), version 2.1.0."""

import hashlib
from typing import Any, Final

from embeddings.preflight.finding import RULES, Finding
from embeddings.text.invisible import escaped
from server import SERVER_NAME, package_version
from server.preflight.baseline import Entry, Key
from server.preflight.formats.json_ import as_dict, totals
from server.preflight.json_text import json_text
from server.preflight.messages import HELP, advised
from server.preflight.outcome import Outcome
from server.preflight.paths import repository_uri

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

FINGERPRINT: Final = "ruleLabelsTexts/v1"
"""Name of the fingerprint: a hash of what makes two findings the same."""

_ORDER: Final = list(RULES)


def to_sarif(outcome: Outcome) -> str:
    """Write all findings; those that are accepted are suppressed."""
    run = {
        "tool": {"driver": _driver()},
        "invocations": [{"executionSuccessful": True}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(outcome, finding) for finding in outcome.report.findings],
        "properties": totals(outcome),
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _driver() -> dict[str, Any]:
    return {
        "name": f"{SERVER_NAME} preflight",
        "version": package_version(),
        "rules": [
            {
                "id": rule,
                "shortDescription": {"text": _capitalized(clause)},
                "fullDescription": {"text": HELP[rule]},
                "help": {"text": HELP[rule]},
            }
            for rule, clause in RULES.items()
        ],
    }


def _capitalized(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


def _plain(text: str) -> str:
    """A message in which a label's text makes no link: viewers show `[text](address)` as one."""
    return text.replace("](", "] (")


def _result(outcome: Outcome, finding: Finding) -> dict[str, Any]:
    entry, location = outcome.entry(finding), _location(outcome, finding)
    return {
        "ruleId": finding.rule,
        "ruleIndex": _ORDER.index(finding.rule),
        "level": finding.severity,
        "message": {"text": _plain(_capitalized(advised(finding)))},
        "locations": [location] if location else [],
        "partialFingerprints": {FINGERPRINT: _fingerprint(finding)},
        **({"baselineState": "unchanged" if entry else "new"} if outcome.baseline else {}),
        **({"suppressions": [_suppression(entry)]} if entry else {}),
        "properties": {name: value for name, value in as_dict(finding).items() if name not in {"rule", "severity"}},
    }


def _location(outcome: Outcome, finding: Finding) -> dict[str, Any]:
    """Where a finding is: its label, and the file and the line if there is a file; empty if there is neither."""
    named = {"logicalLocations": [{"name": escaped(finding.label), "kind": "object"}]} if finding.label else {}
    place = outcome.places.get(finding.pointer)
    if place is None:
        return named
    region = {"startLine": place.line, "startColumn": place.column}
    artifact = {"uri": repository_uri(outcome.source.path)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}, **named}


def _suppression(entry: Entry) -> dict[str, str]:
    reason = {"justification": escaped(entry.reason)} if entry.reason else {}
    return {"kind": "external", "status": "accepted", **reason}


def _fingerprint(finding: Finding) -> str:
    return hashlib.sha256(json_text(Key.of(finding)).encode()).hexdigest()
