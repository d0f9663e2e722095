from dataclasses import replace

from embeddings.preflight.finding import RULES, Finding
from server.preflight.messages import HELP, advised, sentence, stale, summary
from tests.server.preflight.found import ALL, CONFUSABLE, REFUSED, THIN, accepting, outcome

OF_THE_CATALOG = {"uneven", "missed", "outside"}
PLAIN = [Finding(rule, "warning", "Refund", "do this") for rule in RULES]
FULL = [replace(finding, other="Shipping", phrase="where is it", probability=0.25) for finding in PLAIN]


def test_every_finding_is_one_sentence_that_names_its_label() -> None:
    cases: list[Finding] = [*PLAIN, *FULL]
    for finding in cases:
        said = sentence(finding)
        assert said.startswith("'Refund' "), finding
        assert not said.endswith("."), finding
        assert "None" not in said, finding


def test_a_finding_about_two_labels_names_both() -> None:
    for finding in [
        each for each in FULL if each.rule not in {"refused", "hidden", "thin", "long", "unkept", *OF_THE_CATALOG}
    ]:
        assert "'Shipping'" in sentence(finding), finding


def test_the_phrase_that_shows_it_is_quoted() -> None:
    for finding in [each for each in FULL if each.rule not in {"refused", "duplicate", *OF_THE_CATALOG}]:
        assert '"where is it"' in sentence(finding), finding


def test_what_a_phrase_is_likely_to_mean_is_a_percentage() -> None:
    assert sentence(CONFUSABLE) == (
        "'Refund' and 'Shipping' are easily confused; \"where is it\", meant for one, finds the other with 46%"
    )


def test_a_phrase_that_finds_a_thin_label_shows_nothing_and_is_left_out() -> None:
    assert "where" not in sentence(replace(THIN, phrase="where is it", probability=0.5))
    assert sentence(replace(THIN, phrase="where is it", probability=0.4)).endswith('; "where is it" finds it with 40%')


def test_a_finding_without_a_label_is_about_the_catalog() -> None:
    assert sentence(REFUSED) == "the catalog is refused"


def test_a_long_phrase_is_cut() -> None:
    assert len(sentence(replace(THIN, phrase="long " * 999, probability=0.1))) < 250


def test_hidden_characters_are_spelled_out() -> None:
    said = advised(replace(CONFUSABLE, label="a\u202eb", other="c\n", phrase="d\x1b", suggestion="e\u200b"))
    for shown in (r"'a\u202eb'", r"'c\n'", r'"d\x1b"', r"e\u200b"):
        assert shown in said


def test_every_rule_has_help() -> None:
    assert HELP.keys() == RULES.keys()


def test_the_summary_counts_what_was_judged_and_found() -> None:
    assert summary(outcome(*ALL)) == "2 labels asked for with 5 phrases: 1 error, 1 warning, 1 note"


def test_the_summary_says_so_if_nothing_was_found() -> None:
    assert summary(outcome()) == "2 labels asked for with 5 phrases: nothing found"


def test_the_summary_counts_accepted_and_stale_findings_apart() -> None:
    found = outcome(THIN, baseline=accepting(THIN, CONFUSABLE))
    assert summary(found).endswith(": nothing found, 1 accepted, 1 stale in the baseline")


def test_a_stale_entry_is_told_by_rule_and_labels() -> None:
    (entry,) = outcome(baseline=accepting(CONFUSABLE)).stale
    assert stale(entry) == "confusable of 'Refund' and 'Shipping' is accepted but was not found; remove the entry"
