import json
from pathlib import Path

import pytest

from server.matching.vector_cache import cache_folder
from tests.server.cli.commands import Commands
from tests.server.known_tools import EXAMPLES, STATUS
from tests.toy import BOOK


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    path = tmp_path / "catalog.json"
    path.write_text(json.dumps(BOOK.to_dict()), encoding="utf-8")
    return str(path)


def test_each_argument_is_one_phrase_answered_in_order(run: Commands, toy_data: Path) -> None:
    assert run("match", "mcp", "restore my files", "--json", "--data", str(toy_data)) == 0
    assert [(found["query"], found["matches"][0]["name"]) for found in run.objects()] == [
        ("mcp", "MCP Support"),
        ("restore my files", "Checkpoints"),
    ]


def test_json_has_the_agreed_fields(run: Commands, toy_data: Path) -> None:
    assert run("match", "rewind", "--top", "1", "--json", "--data", str(toy_data)) == 0
    assert run.objects() == [
        {
            "query": "rewind",
            "decision": "resolved",
            "degraded": False,
            "noneConfidence": 0.0,
            "matches": [{"name": "Checkpoints", "matchConfidence": 1.0, "matchedBy": "alias"}],
        }
    ]


def test_top_limits_the_matches_of_names_too(run: Commands, toy_data: Path) -> None:
    assert run("match", "rewind", "--top", "2", "--json", "--data", str(toy_data)) == 0
    assert [found["matchConfidence"] for found in run.objects()[0]["matches"]] == [1.0, 0.0]
    for top, count in [("1", 1), ("2", 2), ("9", 3)]:
        assert run("match", "zzz", "--top", top, "--json", "--data", str(toy_data)) == 0, top
        assert len(run.objects()[0]["matches"]) == count, top


def test_text_shows_the_decision_and_a_line_for_each_match_safely(run: Commands, toy_data: Path) -> None:
    assert run("match", "rewind", "--data", str(toy_data)) == 0
    assert [line.split() for line in run.out.splitlines()] == [
        ["'rewind':", "resolved"],
        ["label", "confidence", "matched", "by"],
        ["Checkpoints", "100%", "alias"],
    ]
    assert run("match", "\x1b[31m\x07", "--data", str(toy_data)) == 0
    assert "\x1b" not in run.out


def test_explain_lays_the_candidates_open(run: Commands, toy_data: Path) -> None:
    assert run("match", "restore it", "--explain", "--json", "--data", str(toy_data)) == 0
    candidates = run.objects()[0]["explanation"]["candidates"]
    assert candidates[0]["name"] == "Checkpoints"
    assert candidates[0]["parts"]
    assert candidates[-1]["name"] == "(none of them)"
    assert run("match", "restore my files", "--explain", "--data", str(toy_data)) == 0
    assert "nearest phrasing" in run.out


def test_a_catalog_file_is_embedded_once_and_cached(
    run: Commands, catalog: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert run("match", "mcp", "--catalog", catalog, "--json") == 0
    first = run.objects()
    (cached,) = cache_folder().glob("*.npz")
    written = cached.stat().st_mtime_ns
    assert run("match", "mcp", "--catalog", catalog, "--json") == 0
    assert (run.objects(), cached.stat().st_mtime_ns) == (first, written)


def test_a_vector_file_is_enough(run: Commands, catalog: str, tmp_path: Path) -> None:
    out = str(tmp_path / "out.npz")
    assert run("build-vectors", "--catalog", catalog, "--out", out) == 0
    assert run("match", "images", "--vectors", out, "--json") == 0
    assert run.objects()[0]["matches"][0]["name"] == "Vision"


def test_a_catalog_that_is_missing_or_bad_is_the_callers_mistake(run: Commands, tmp_path: Path) -> None:
    for option in ["--catalog", "--vectors"]:
        assert run("match", "x", option, str(tmp_path / "none")) == 2, option
        assert str(tmp_path / "none") in run.err, option
    for content in ["", "{", "[]", '{"labels": []}', '{"labels": [{"name": "A"}, {"name": "a"}]}', '{"labels": [{}]}']:
        path = tmp_path / "bad.json"
        path.write_text(content, encoding="utf-8")
        assert run("match", "x", "--catalog", str(path)) == 2, content
        assert run.err.startswith("error: "), content


def test_a_catalogs_names_cannot_steer_the_terminal(run: Commands, tmp_path: Path) -> None:
    path = tmp_path / "catalog.json"
    names = ["Undo\x1b[2J", "Redo\x1b]8;;https://example.com\x07", "Save\x9b31m"]
    path.write_text(json.dumps({"labels": [{"name": name, "phrasings": ["go back"]} for name in names]}))
    assert run("match", "go back", "--catalog", str(path), "--explain") == 0
    assert "Undo\\x1b[2J" in run.out
    assert not {"\x1b", "\x07", "\x9b"} & set(run.out)


def test_the_chance_that_nothing_is_meant_is_a_line_of_its_own(run: Commands, catalog: str) -> None:
    assert run("match", "how much does the service cost", "undo and see", "rewind", "--catalog", catalog) == 0
    none = [line for line in run.out.splitlines() if line.startswith("(none of them)")]
    assert none
    assert "rewind" not in "".join(none)


@pytest.mark.usefixtures("one_known")
def test_known_tools_have_the_examples_that_ship_for_them_unless_these_are_refused(
    run: Commands, tmp_path: Path
) -> None:
    tools = [{"name": "git_status", "description": STATUS}, {"name": "git_show", "description": "Shows a commit"}]
    (path := tmp_path / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    confidences = []
    for options in ((), ("--no-known-tools",)):
        assert run("match", EXAMPLES[0], "--catalog", str(path), "--json", *options) == 0
        found = {match["name"]: match["matchConfidence"] for match in run.objects()[0]["matches"]}
        confidences.append(found["git_status"])
    assert confidences[0] > 0.5 > confidences[1]


def test_coverage_shows_the_set_that_has_what_is_meant(run: Commands, catalog: str, tmp_path: Path) -> None:
    assert run("match", "zzz the picture", "--catalog", catalog, "--coverage", "0.6") == 0
    assert "60% sure to be among: " in run.out
    labelled = tmp_path / "labelled.jsonl"
    rows = [{"query": f"zzz the picture {number}", "gold": ["MCP Support"]} for number in range(9)]
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    asked = ("match", "zzz the picture 3", "--catalog", catalog, "--coverage", "0.8")
    assert run(*asked, "--labelled", str(labelled)) == 0
    assert "MCP Support" in run.out.rpartition("sure to be among: ")[2]


def test_labelled_queries_need_a_coverage_and_known_labels(run: Commands, catalog: str, tmp_path: Path) -> None:
    labelled = tmp_path / "labelled.jsonl"
    labelled.write_text('{"query": "undo", "gold": ["Gone"]}', encoding="utf-8")
    assert run("match", "undo", "--catalog", catalog, "--labelled", str(labelled)) == 2
    assert "--labelled was given without --coverage" in run.err
    assert run("match", "undo", "--catalog", catalog, "--labelled", str(labelled), "--coverage", "0.6") == 2
    assert "gold labels that the catalog lacks: Gone" in run.err
