"""Catalogs whose texts a page must withstand."""

from pathlib import Path
from typing import Any, Final

from tests.server.web.browser.running import written_json
from tests.toy import entry, source, write_data

VERBS: Final = (
    "book",
    "cancel",
    "move",
    "rename",
    "print",
    "export",
    "import",
    "archive",
    "restore",
    "share",
    "lock",
    "unlock",
    "translate",
    "summarize",
    "forward",
    "approve",
    "reject",
    "split",
    "merge",
    "count",
)
THINGS: Final = (
    "invoice",
    "meeting",
    "parcel",
    "photo",
    "contract",
    "holiday",
    "room",
    "printer",
    "password",
    "newsletter",
    "order",
    "refund",
    "report",
    "backup",
    "playlist",
    "recipe",
    "flight",
    "ticket",
    "survey",
    "budget",
    "calendar",
    "document",
    "address",
    "subscription",
    "warranty",
)
MARKUP: Final = '<img src=x onerror="window.planted=1">'
SCRIPT: Final = "</script><script>window.planted=2</script>"
ATTRIBUTE: Final = '" onmouseover="window.planted=3" x=\''
PAYLOADS: Final = (MARKUP, SCRIPT, ATTRIBUTE)
PLANTED_URL: Final = "https://example.com/#\"onmouseover='window.planted=4'/><script>window.planted=5</script>"
PLANTED_CATEGORY: Final = f"category {MARKUP}"
PLANTED_CAPABILITY: Final = f"Checkpoints {MARKUP}"
PLANTED_AGENT: Final = f"Claude {MARKUP}"
WORDS_OF_THE_WORLD: Final = {
    "Türöffnungsübungsgerät": "größere Fußgängerübergänge schließen",
    "音声入力": "声で入力できますか",
    "التراجع عن التغييرات": "هل يمكنه التراجع عما فعله",
}


def many_labels() -> dict[str, Any]:
    """500 labels with two phrasings each."""
    return {
        "labels": [
            {
                "name": f"{verb} {thing}".capitalize(),
                "description": f"{verb} a {thing} for a customer",
                "phrasings": [f"please {verb} my {thing}", f"the {thing} should be {verb}ed"],
            }
            for verb in VERBS
            for thing in THINGS
        ],
        "outOfScope": ["what is the weather", "tell me a joke"],
    }


def few_labels(*more: str) -> dict[str, Any]:
    """Three labels in scripts of three kinds, two plain ones, and more that a test names."""
    named = {"Print page": "put it on paper", "Play music": "start a song", **WORDS_OF_THE_WORLD}
    named |= {name: f"{name} now" for name in more}
    return {"labels": [{"name": name, "phrasings": [phrasing]} for name, phrasing in named.items()]}


def planted_labels() -> dict[str, Any]:
    """Labels whose names, aliases, descriptions and phrasings try to be markup."""
    return {
        "labels": [
            {
                "name": f"{name} {payload}",
                "aliases": [f"{name} alias {payload}"],
                "description": f"{name} description {payload}",
                "phrasings": [f"{name} phrasing {payload}", f"{name} now"],
            }
            for name, payload in zip(("Undo", "Print", "Translate"), PAYLOADS, strict=True)
        ],
        "outOfScope": [f"weather {MARKUP}"],
    }


def _planted_entry(name: str, category: str, **more: Any) -> dict[str, Any]:
    notes = {
        "setup": f"setup {MARKUP}",
        "configFile": f"file {SCRIPT}",
        "startUrl": PLANTED_URL,
        "gotchas": [f"gotcha {ATTRIBUTE}"],
    }
    return entry(
        name,
        category,
        terminology=f"term {MARKUP}",
        description=f"description {SCRIPT}",
        limitations=[f"limitation {MARKUP}"],
        requirements=[f"requirement {ATTRIBUTE}"],
        since="v1+<img/src=x/onerror=window.planted=6>",
        sources=[source(PLANTED_URL) | {"description": f"page {SCRIPT}"}],
        implementationNotes=notes,
        **more,
    )


def planted_data(folder: Path) -> Path:
    """Return a data folder whose agents, capabilities, entries, sources and phrasings try to be markup."""
    agents = {
        agent: {
            "agent": {
                "name": name,
                "vendor": f"vendor {MARKUP}",
                "version": f"2 {SCRIPT}",
                "lastUpdated": "2026-08-22T00:00:00Z",
            },
            "capabilities": [
                _planted_entry(PLANTED_CAPABILITY, PLANTED_CATEGORY),
                _planted_entry(f"Vision {ATTRIBUTE}", "performance"),
            ],
        }
        for agent, name in (("claude-code", PLANTED_AGENT), ("gemini-cli", f"Gemini {SCRIPT}"))
    }
    write_data(folder, agents, texts=False)
    names = {PLANTED_CAPABILITY: PLANTED_CATEGORY, f"Vision {ATTRIBUTE}": "performance"}
    written_json(
        folder / "capabilities.json",
        {
            "capabilities": [
                {"name": name, "category": category, "definition": f"definition {MARKUP}"}
                for name, category in names.items()
            ]
        },
    )
    written_json(folder / "aliases.json", {f"rewind {SCRIPT}": PLANTED_CAPABILITY})
    phrasings = {name: [f"phrasing {payload}" for payload in PAYLOADS] for name in names}
    written_json(folder / "phrasings.json", {"phrasings": phrasings, "outOfScope": [f"price {MARKUP}"]})
    return folder
