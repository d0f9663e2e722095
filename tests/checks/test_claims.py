"""What a statement claims of a program: read from its words."""

import pytest

from checks.claims import ClaimReader
from server.catalog.models import CapabilityEntry
from server.catalog.statement_text import EntryStatement
from tests.checks.toy_program import toy_program
from tests.toy import entry

READER = ClaimReader(toy_program(), CapabilityEntry.model_validate(entry("Checkpoints", "agent-orchestration")))


def claims(text: str, field: str = "details") -> list[tuple[str, str, bool]]:
    found = READER.claims(EntryStatement(field, "it", text))
    return [(claim.kind, claim.subject, claim.denied) for claim in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`toy run --json` prints JSON.", [("subcommand", "toy run"), ("flag", "toy run --json")]),
        ("Type `/undo`.", [("slashCommand", "/undo")]),
        ("`TOY_HOME` names the folder.", [("environment", "TOY_HOME")]),
        ("Set `ui.theme` in settings.json.", [("configKey", "ui.theme")]),
        ('Set `{"ui": {"theme": "dark"}}` in settings.json.', [("configKey", "ui.theme")]),
        ("Give it --model to choose.", [("flag", "--model")]),
    ],
)
def test_commands_flags_keys_and_variables_are_claims(text: str, found: list[tuple[str, str]]) -> None:
    assert [(kind, subject) for kind, subject, _ in claims(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "`@toy /review` in a comment starts it.",
        "`npm install --global toy` installs it.",
        "The setting `editor.fontSize` of VS Code counts.",
        "It reads files under /etc and /tmp.",
        "Whoever needs it opens the settings.",
    ],
)
def test_what_belongs_to_others_is_no_claim(text: str) -> None:
    assert claims(text) == []


def test_what_a_sentence_denies_may_be_missing() -> None:
    said = claims("There is no `/redo`. Type `/undo` instead.")
    assert said == [("slashCommand", "/redo", True), ("slashCommand", "/undo", False)]


def test_a_config_file_claims_its_path_and_the_keys_in_brackets() -> None:
    assert [each[:2] for each in claims("~/.toy/settings.json (theme, model)", "configFile")] == [
        ("configFile", "~/.toy/settings.json"),
        ("configKey", "theme"),
        ("configKey", "model"),
    ]
