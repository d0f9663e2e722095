from dataclasses import replace

from server.preflight.formats import to_github
from tests.server.preflight.found import ALL, CONFUSABLE, THIN, accepting, outcome


def test_each_finding_is_an_annotation_of_its_severity_at_its_line() -> None:
    lines = to_github(outcome(*ALL)).splitlines()
    assert [line.partition("::'")[0].partition("::the")[0] for line in lines[:3]] == [
        "::error file=catalog.json,line=1,col=1,title=preflight%3A refused",
        "::warning file=catalog.json,line=2,col=3,title=preflight%3A confusable",
        "::notice file=catalog.json,line=3,col=3,title=preflight%3A thin",
    ]


def test_the_message_is_escaped_as_workflow_commands_need() -> None:
    (line, _) = to_github(outcome(replace(CONFUSABLE, suggestion="say 100%"))).splitlines()
    assert line.endswith("finds the other with 46%25: say 100%25")


def test_properties_are_escaped_as_workflow_commands_need() -> None:
    (line, _) = to_github(outcome(THIN, path="a,b:c%.json")).splitlines()
    assert line.startswith("::notice file=a%2Cb%3Ac%25.json,line=3,")


def test_a_label_cannot_start_a_command_of_its_own() -> None:
    bad = replace(THIN, label="x\n::stop-commands::y", suggestion="\r\n::error::z")
    found = replace(outcome(bad), source=replace(outcome().source, name="\n::error::z"))
    assert [line[:5] for line in to_github(found).splitlines()] == ["::not", "prefl"]


def test_without_a_file_an_annotation_has_no_place() -> None:
    assert to_github(outcome(THIN, path="")).startswith("::notice title=preflight%3A thin::'Shipping' says")


def test_accepted_findings_are_not_annotated() -> None:
    assert to_github(outcome(*ALL, baseline=accepting(*ALL))).startswith("preflight of catalog.json: ")
