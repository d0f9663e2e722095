"""The subcommand `preflight`, with findings in place of what a matcher would find."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from embeddings.preflight.finding import SEVERITIES, Finding, Report
from server.cli.preflight import FORMATS
from server.matching.encoders import EncoderLoader
from server.preflight.formats import WRITERS
from tests.embeddings.preflight.judging import LimitedToyEncoder
from tests.server.cli.commands import Commands
from tests.server.preflight.found import ALL, CONFUSABLE, REFUSED, TEXT, THIN

FINDING: Final = {"error": REFUSED, "warning": CONFUSABLE, "note": THIN}


class Judge:
    """Finds what a test says, and keeps what it was given to judge."""

    def __init__(self) -> None:
        self.findings: tuple[Finding, ...] = ALL
        self.judged: list[Any] = []

    def __call__(self, content: Any, progress: Callable[[int, int], None], _: EncoderLoader) -> Report:
        self.judged.append(content)
        progress(1, 2)
        return Report(self.findings, 2, 5)


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    found = Judge()
    monkeypatch.setattr("server.cli.preflight.judge", found)
    return found


@pytest.fixture
def catalog(tmp_path: Path, judge: Judge) -> str:
    path = tmp_path / "catalog.json"
    path.write_text(TEXT, encoding="utf-8-sig")
    return str(path)


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    return tmp_path / "baseline.json"


def given(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_the_status_says_whether_a_finding_is_grave_enough(run: Commands, catalog: str, judge: Judge) -> None:
    cases: list[tuple[str, str | None, int]] = [
        ("error", None, 1),
        ("warning", None, 1),
        ("note", None, 0),
        ("error", "error", 1),
        ("warning", "error", 0),
        ("warning", "note", 1),
        ("note", "note", 1),
        ("note", "warning", 0),
        ("error", "never", 0),
    ]
    for severity, fail_on, status in cases:
        judge.findings = (FINDING[severity],)
        assert run("preflight", "--catalog", catalog, *(["--fail-on", fail_on] if fail_on else [])) == status, severity
        assert f"1 {severity}" in run.out, severity
        assert run.err == "", severity


def test_nothing_found_is_said_and_fails_at_no_severity(run: Commands, catalog: str, judge: Judge) -> None:
    judge.findings = ()
    for severity in SEVERITIES:
        assert run("preflight", "--catalog", catalog, "--fail-on", severity) == 0
        assert run.out.splitlines()[-1].endswith("nothing found")


def test_each_format_is_printed(run: Commands, catalog: str) -> None:
    cases = [
        ("text", "1 error\n"),
        ("json", '{"findings": ['),
        ("sarif", "{\n"),
        ("github", "::error "),
    ]
    for form, start in cases:
        assert run("preflight", "--catalog", catalog, "--format", form) == 1, form
        assert run.out.startswith(start), form


def test_json_is_one_of_the_formats_that_can_be_written(run: Commands, catalog: str) -> None:
    assert tuple(WRITERS) == FORMATS
    assert run("preflight", "--catalog", catalog, "--json") == 1
    (value,) = run.objects()
    assert value["summary"]["labels"] == 2


def test_a_file_is_judged_as_it_is_and_findings_have_its_lines(run: Commands, catalog: str, judge: Judge) -> None:
    assert run("preflight", "--catalog", catalog) == 1
    assert judge.judged == [json.loads(TEXT)]
    assert "line 3  'Shipping'" in run.out


def test_what_a_catalogs_reader_refuses_is_judged_all_the_same(run: Commands, catalog: str, judge: Judge) -> None:
    Path(catalog).write_text('{"labels": [{"nam": 1}], "labels": 2}', encoding="utf-8")
    assert run("preflight", "--catalog", catalog) == 1
    assert judge.judged == [{"labels": 2}]


def test_what_is_found_is_what_the_matcher_finds(
    run: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embeddings.encoder.encoder.Encoder.load", lambda *_, **__: LimitedToyEncoder())
    path = tmp_path / "catalog.json"
    path.write_text(json.dumps({"labels": [{"name": "Undo it"}, {"name": "undo-it"}]}, indent=1), encoding="utf-8")
    assert run("preflight", "--catalog", str(path), "--json") == 1
    (value,) = run.objects()
    duplicates = [each for each in value["findings"] if each["rule"] == "duplicate"]
    assert [(each["severity"], each["label"], each["other"]) for each in duplicates] == [
        ("error", "Undo it", "undo-it"),
        ("error", "undo-it", "Undo it"),
    ]
    assert run("preflight", "--catalog", str(path)) == 1
    assert "duplicate    line 3  'Undo it' and 'undo-it'" in run.out


def test_standard_input_is_judged(run: Commands, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, TEXT.encode("utf-8-sig"))
    assert run("preflight", "--catalog", "-") == 1
    assert judge.judged == [json.loads(TEXT)]
    assert "line " not in run.out


def test_without_a_catalog_the_capabilities_of_the_data_folder_are_judged(run: Commands, judge: Judge) -> None:
    assert run("preflight") == 1
    (book,) = judge.judged
    assert "Checkpoints" in [label["name"] for label in book["labels"]]
    assert book["outOfScope"]


def test_what_is_not_json_is_the_callers_mistake(
    run: Commands, catalog: str, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    for content in [b"nothing", b"", b"\xff{}", b"[" * 200_000]:
        for piped in [False, True]:
            Path(catalog).write_bytes(content)
            given(monkeypatch, content)
            assert run("preflight", "--catalog", "-" if piped else catalog) == 2, (content, piped)
            assert run.err.startswith("error: "), (content, piped)
            assert run.err.count("; ") >= 2, (content, piped)
            assert (run.out, judge.judged) == ("", []), (content, piped)


def test_a_standard_input_without_end_is_the_callers_mistake(
    run: Commands, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.cli.preflight_input.MAX_TEXT", 10)
    given(monkeypatch, TEXT.encode())
    assert run("preflight", "--catalog", "-") == 2
    assert "over 10 bytes" in run.err
    assert judge.judged == []


def test_wrong_arguments_are_the_callers_mistake(run: Commands, judge: Judge) -> None:
    cases: list[tuple[list[str], str]] = [
        (["--catalog", "nowhere.json"], "'nowhere.json' cannot be read"),
        (["--data", "nowhere"], "nowhere"),
        (["--catalog", "a.json", "--data", "b"], "not allowed with"),
        (["--json", "--format", "sarif"], "not allowed with"),
        (["--format", "xml"], "invalid choice"),
        (["--fail-on", "always"], "invalid choice"),
        (["--write-baseline"], "without --baseline"),
        (["--baseline", "nowhere.json"], "'nowhere.json' cannot be read"),
    ]
    for arguments, told in cases:
        assert run("preflight", *arguments) == 2, arguments
        assert told in run.err.replace('"', "'"), arguments
        assert (run.out, judge.judged) == ("", []), arguments


def test_neither_a_catalog_nor_what_is_no_baseline_is_written_over(run: Commands, catalog: str, baseline: Path) -> None:
    cases: list[list[str]] = [["--out"], ["--write-baseline", "--baseline"]]
    for options in cases:
        before = Path(catalog).read_bytes()
        assert run("preflight", "--catalog", catalog, *options, catalog) == 2, options
        assert "never overwritten" in run.err, options
        assert Path(catalog).read_bytes() == before, options
    baseline.write_text('{"mine": 1}', encoding="utf-8")
    assert run("preflight", "--catalog", catalog, "--baseline", str(baseline), "--write-baseline") == 2
    assert baseline.read_text(encoding="utf-8") == '{"mine": 1}'


def test_a_report_is_written_to_a_file_and_summed_up_on_stderr(run: Commands, catalog: str, tmp_path: Path) -> None:
    out = tmp_path / "new" / "report.sarif"
    assert run("preflight", "--catalog", catalog, "--format", "sarif", "--out", str(out)) == 1
    assert json.loads(out.read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert run.out == ""
    assert run.err.startswith(f"{out}: 2 labels asked for with 5 phrases: 1 error, ")


def test_a_report_that_cannot_be_written_is_the_callers_mistake(run: Commands, catalog: str, tmp_path: Path) -> None:
    assert run("preflight", "--catalog", catalog, "--out", str(tmp_path)) == 2
    assert "cannot be written" in run.err


def test_accepted_findings_do_not_count(run: Commands, catalog: str, baseline: Path) -> None:
    arguments = ("preflight", "--catalog", catalog, "--baseline", str(baseline), "--fail-on", "note")
    assert run(*arguments, "--write-baseline") == 0
    assert "nothing found, 3 accepted" in run.out
    written = baseline.read_bytes()
    assert run(*arguments) == 0
    assert baseline.read_bytes() == written
    assert run.err == ""


def test_a_new_finding_counts_beside_accepted_ones(run: Commands, catalog: str, baseline: Path, judge: Judge) -> None:
    arguments = ("preflight", "--catalog", catalog, "--baseline", str(baseline))
    run(*arguments, "--write-baseline")
    judge.findings = (*ALL, replace(CONFUSABLE, label="Parcels"))
    assert run(*arguments) == 1
    assert "1 warning, 3 accepted" in run.out


def test_a_stale_entry_is_told_and_changes_no_status(run: Commands, catalog: str, baseline: Path, judge: Judge) -> None:
    arguments = ("preflight", "--catalog", catalog, "--baseline", str(baseline))
    run(*arguments, "--write-baseline")
    judge.findings = (REFUSED, CONFUSABLE)
    assert run(*arguments) == 0
    assert run.err == f"{baseline}: thin of 'Shipping' is accepted but was not found; remove the entry\n"
    assert run(*arguments, "--json") == 0
    assert run.objects()[0]["summary"]["stale"] == 1


def test_writing_a_baseline_again_drops_stale_entries(
    run: Commands, catalog: str, baseline: Path, judge: Judge
) -> None:
    arguments = ("preflight", "--catalog", catalog, "--baseline", str(baseline), "--write-baseline")
    run(*arguments)
    judge.findings = (THIN,)
    assert run(*arguments) == 0
    assert [entry["rule"] for entry in json.loads(baseline.read_text(encoding="utf-8"))["accepted"]] == ["thin"]
    assert run.err == ""


def test_a_terminal_shows_progress_before_anything_is_judged(
    run: Commands, catalog: str, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    def look(content: Any, progress: Callable[[int, int], None], loader: EncoderLoader) -> Report:
        shown.append(run._capsys.readouterr().err)
        return judge(content, progress, loader)

    monkeypatch.setattr("server.cli.preflight.judge", look)
    run("preflight", "--catalog", catalog)
    assert "preflight: " in shown[0]


@pytest.mark.parametrize("option", ["--skills", "--catalog"])
def test_a_folder_of_skills_is_judged(run: Commands, tmp_path: Path, judge: Judge, option: str) -> None:
    (tmp_path / "skills" / "undo").mkdir(parents=True)
    (tmp_path / "skills" / "undo" / "SKILL.md").write_text("---\nname: undo\n---\ntake back", encoding="utf-8")
    run("preflight", option, str(tmp_path / "skills"), "--fail-on", "never")
    (content,) = judge.judged
    assert [skill["name"] for skill in content["skills"]] == ["undo"]
