import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from server.enrichment.answers import Answer
from tests.server.cli.commands import Commands
from tests.server.enrichment.enriching import QUERIES, Enrich
from tests.server.evals.asking import KEY
from tests.server.label_catalog import CATALOG, TOOLS
from tests.server.providers.model_server import ModelServer
from tests.server.providers.wire_shapes import Say
from tests.toy import BOOK

FULL: Final = {
    "labels": [
        {
            "name": "Refund",
            "id": "r",
            "metadata": {"queue": [7, None]},
            "fields": {"parameters": ["order: its number"]},
        },
        {"name": "Parcel", "phrasings": ["where is it", {"text": "did it arrive", "origin": "generated"}]},
    ],
    "outOfScope": ["sing a song"],
    "outOfScopeShare": 0.3,
}
"""A catalog with all that a catalog may hold."""


def answer_file(enrich: Enrich, *names: str) -> str:
    """Return a file that answers the prompts of some labels."""
    path = enrich.out.with_name("replies.jsonl")
    ids = {identifier.partition("#")[0]: identifier for identifier in enrich.prompts()}
    path.write_bytes(b"".join(Answer(ids[name], json.dumps(QUERIES[name])).to_line() for name in names))
    return str(path)


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_a_model_enriches_a_catalog(command: Commands, model_server: ModelServer, vendor: str, tmp_path: Path) -> None:
    enrich = Enrich(command, model_server, vendor, tmp_path)
    enrich.script()
    assert enrich.ask() == 0
    assert enrich.generated() == QUERIES
    assert len(model_server.requests) == 4
    assert all("tools" not in request.body for request in model_server.requests)


def enriched_with(enrich: Enrich, content: Any) -> tuple[PhraseBook, PhraseBook]:
    """Return a catalog as it is read, and what it is after the first label's prompt was answered."""
    enrich.catalog.write_text(json.dumps(content), encoding="utf-8")
    first = next(iter(enrich.prompts()))
    replies = enrich.out.with_name("replies.jsonl")
    replies.write_bytes(Answer(first, json.dumps(QUERIES["Vision"])).to_line())
    assert enrich("--answers", str(replies), "--folds", "0") == 1
    return PhraseBook.from_json(enrich.catalog), PhraseBook.from_json(enrich.out)


@pytest.mark.parametrize("content", [TOOLS, CATALOG, FULL], ids=["tools", "ids", "all"])
def test_all_that_a_catalog_holds_is_in_the_enriched_one(enrich: Enrich, content: Any) -> None:
    given, found = enriched_with(enrich, content)
    first, *others = found.labels
    assert first.generated == set(QUERIES["Vision"])
    kept = tuple(text for text in first.phrasings if text not in first.generated)
    labels = (replace(first, phrasings=kept, generated=given.labels[0].generated), *others)
    assert replace(found, labels=labels) == given


def test_what_was_in_the_catalog_stays_first_and_unmarked(enrich: Enrich) -> None:
    enrich.script()
    enrich.ask()
    assert enrich.written()["Checkpoints"][:3] == [
        *BOOK.labels[0].phrasings,
        {"text": QUERIES["Checkpoints"][0], "origin": "generated"},
    ]
    assert PhraseBook.from_json(enrich.out).labels[0].generated == set(QUERIES["Checkpoints"])
    assert PhraseBook.from_json(enrich.catalog) == BOOK


def test_the_journal_is_a_file_of_answers(enrich: Enrich) -> None:
    ids = enrich.script()
    enrich.ask()
    assert {answer.id for answer in enrich.answers()} == set(ids.values())
    first = enrich.out.read_bytes()
    kept = enrich.journal.rename(enrich.journal.with_name("replies"))
    enrich.out.unlink()
    assert enrich("--answers", str(kept), "--folds", "0") == 0
    assert enrich.out.read_bytes() == first


def test_a_second_run_asks_nothing_and_writes_the_same(enrich: Enrich) -> None:
    enrich.script()
    enrich.ask()
    first = enrich.out.read_bytes()
    enrich.server.requests.clear()
    assert enrich.ask() == 0
    assert enrich.server.requests == []
    assert enrich.out.read_bytes() == first


def test_only_missing_prompts_are_printed(enrich: Enrich) -> None:
    prompts = enrich.prompts()
    left = enrich.prompts("--answers", answer_file(enrich, "Vision", "Checkpoints"))
    assert list(left) == list(prompts)[1:2] + list(prompts)[3:]


def test_prompts_are_written_to_a_file(enrich: Enrich, tmp_path: Path) -> None:
    printed = enrich.prompts()
    assert enrich("--prompts", str(tmp_path / "prompts.jsonl")) == 0
    lines = (tmp_path / "prompts.jsonl").read_text(encoding="utf-8").splitlines()
    assert {value["id"]: value["prompt"] for value in map(json.loads, lines)} == printed
    assert enrich.command.out == ""


def test_prompts_need_no_out(enrich: Enrich) -> None:
    assert enrich.command("enrich", str(enrich.catalog), "--prompts") == 0
    assert len(enrich.command.objects()) == 4


def test_answers_without_a_model_leave_the_rest_for_later(enrich: Enrich) -> None:
    path = answer_file(enrich, "Vision")
    assert enrich("--answers", path, "--folds", "0") == 1
    assert enrich.command.err.startswith("3 of 4 prompts have no usable answer; ")
    assert enrich.generated()["Vision"] == QUERIES["Vision"]


def test_a_model_is_asked_what_a_file_does_not_answer(enrich: Enrich) -> None:
    enrich.script()
    assert enrich.ask("--answers", answer_file(enrich, "Vision")) == 0
    assert len(enrich.server.requests) == 3
    assert enrich.generated() == QUERIES


def test_the_text_tells_counts_and_reasons(enrich: Enrich) -> None:
    enrich.script(Vision=[Say(json.dumps(["Image input?", "посмотри на фото", *QUERIES["Vision"]]))])
    assert enrich.ask() == 0
    lines = [line.split() for line in enrich.command.out.splitlines()]
    assert lines[:3] == [["label", "queries", "dropped"], ["Checkpoints", "3"], ["MCP", "Support", "3"]]
    assert lines[3] == ["Vision", "3", "near", "copy", "1,", "not", "english", "1"]
    assert lines[-1][1:] == ["9", "queries", "and", "3", "out-of-scope", "queries", "added"]


def test_the_json_has_a_line_for_each_prompt_and_ends_with_the_totals(enrich: Enrich) -> None:
    ids = enrich.script(Vision=[Say(json.dumps(["Image input?"]))])
    assert enrich.ask("--json") == 1
    *prompts, summary = enrich.command.objects()
    assert prompts[0] == {"label": "Checkpoints", "id": ids["Checkpoints"], "queries": 3, "dropped": {}}
    assert prompts[2] == {
        "label": "Vision",
        "id": ids["Vision"],
        "queries": 0,
        "dropped": {"near_copy": 1},
        "missing": True,
    }
    assert list(prompts[3]) == ["nearMissesOf", "id", "queries", "dropped"]
    assert summary == {"summary": {"out": str(enrich.out), "queries": 6, "outOfScope": 3, "missing": 1}}


def test_the_gain_is_estimated_before_and_after(enrich: Enrich) -> None:
    enrich.script()
    assert enrich.ask("--folds", "3", "--json") == 0
    (found,) = [value["estimate"] for value in enrich.command.objects() if "estimate" in value]
    assert (found["queries"], found["outOfScope"], found["folds"]) == (9, 3, 3)
    assert found["measuredOn"] == "generated queries"
    assert set(found["before"]) == set(found["after"]) == {"top1", "top3", "noMatch", "falseResolve"}
    assert enrich("--folds", "3") == 0
    assert "measured on the generated queries themselves, not on users'" in enrich.command.out


def test_a_confusable_pair_is_reported_and_its_queries_are_kept(enrich: Enrich) -> None:
    odd = "rewind, undo, back"
    enrich.script(Vision=[Say(json.dumps([odd, *QUERIES["Vision"][:2]]))])
    assert enrich.ask("--folds", "3", "--json") == 0
    pairs = [value["confusable"] for value in enrich.command.objects() if "confusable" in value]
    (queries,) = [pair["queries"] for pair in pairs if (pair["label"], pair["takenFor"]) == ("Vision", "Checkpoints")]
    assert odd in queries
    assert odd in enrich.generated()["Vision"]


def test_a_label_that_changed_is_asked_again_and_its_answers_stay(enrich: Enrich) -> None:
    old = enrich.script()["Vision"]
    enrich.ask()
    enrich.write(replace(BOOK, labels=(*BOOK.labels[:2], Label("Vision", description="reads a picture"), Label("New"))))
    enrich.server.requests.clear()
    (new, other) = [key for key in enrich.prompts() if not key.startswith("near:")]
    assert (new.partition("#")[0], other.partition("#")[0]) == ("Vision", "New")
    assert enrich("--folds", "0") == 1
    assert f"answers to {old!r} are not used: the label's texts have changed since" in enrich.command.out
    assert old in {answer.id for answer in enrich.answers()}
    assert enrich.generated()["Checkpoints"] == QUERIES["Checkpoints"]


def test_names_that_are_not_in_the_catalog_are_told_with_the_nearest(enrich: Enrich, tmp_path: Path) -> None:
    path = tmp_path / "replies"
    path.write_bytes(
        Answer("Visoin#1234abcd/3", "[]").to_line() + Answer(next(iter(enrich.prompts())), '["oh no"]').to_line()
    )
    assert enrich("--answers", str(path), "--folds", "0") == 1
    assert (
        "answers to 'Visoin#1234abcd/3' are not used: no label of the catalog has this name; the nearest is 'Vision'"
        in enrich.command.out
    )
    assert enrich.generated()["Checkpoints"] == ["oh no"]


def test_a_key_that_a_server_sends_back_is_not_kept(enrich: Enrich) -> None:
    enrich.script(Vision=[Say(json.dumps([f"what is {KEY}"]))])
    enrich.ask()
    assert KEY not in enrich.journal.read_text(encoding="utf-8") + enrich.out.read_text(encoding="utf-8")


MISTAKES: list[tuple[list[str], str]] = [
    (["--out", "{catalog}"], "which is read"),
    (["--out", "{folder}/link"], "which is read"),
    (["--out", "{folder}/new", "--prompts", "{catalog}"], "which is read"),
    (["--out", "{folder}/new", "--answers", "{folder}/none"], "cannot be read"),
    (["--out", "{folder}/new"], "nothing answers the 4 prompts"),
    (["--out", "{folder}", "--model", "m"], "is a folder"),
    ([], "no --out was given"),
    (["--out", "{folder}/new", "--folds", "1"], "neither 0 nor a whole number of 2 or more"),
    (["--out", "{folder}/new", "--per-label", "0"], "--per-label"),
    (["--out", "{catalog}/new", "--model", "m"], "cannot be written"),
    (["--model", "m", "--prompts", "-"], "not allowed with"),
    (["--out", "{folder}/new", "--model", "m", "--key-variable", "NO_SUCH_KEY"], "no key in NO_SUCH_KEY"),
]


def test_a_callers_mistake_is_status_2_and_changes_nothing(enrich: Enrich, subtests: pytest.Subtests) -> None:
    folder = enrich.catalog.parent
    (folder / "link").symlink_to(enrich.catalog)
    before = enrich.catalog.read_bytes()
    for options, told in MISTAKES:
        with subtests.test(options=options):
            given = [option.format(catalog=enrich.catalog, folder=folder) for option in options]
            assert enrich.command("enrich", str(enrich.catalog), *given) == 2
            assert told in enrich.command.err
            assert enrich.catalog.read_bytes() == before
            assert {path.name for path in folder.iterdir()} == {"catalog.json", "link"}


def test_without_the_model_of_the_matcher_the_catalog_is_enriched_all_the_same(
    enrich: Enrich, monkeypatch: pytest.MonkeyPatch
) -> None:
    from embeddings.encoder.encoder import Encoder
    from embeddings.errors import ModelError

    def broken(*_: object, **__: object) -> None:
        raise ModelError("no model here")

    monkeypatch.setattr(Encoder, "load", broken)
    enrich.script()
    assert enrich.ask("--folds", "3") == 0
    assert "there is no estimate: no model here" in enrich.command.err
    assert enrich.generated() == QUERIES
