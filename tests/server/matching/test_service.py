from pathlib import Path

import pytest

from server.errors import CallerError, CatalogError
from server.matching.service import Service, open_service


def test_a_blank_phrase_is_refused_with_an_example(service: Service, subtests: pytest.Subtests) -> None:
    for phrase in ["", "   ", "\n\t"]:
        with subtests.test(phrase=phrase), pytest.raises(CallerError, match=r"phrase is blank.*such as 'undo changes'"):
            service.match(phrase)


def test_at_most_three_matches_come_back(service: Service) -> None:
    assert len(service.match("zzz qqq").matches) == 3


def test_a_phrase_of_100_kb_is_read_by_its_beginning(service: Service) -> None:
    result = service.match("restore " + "zzz " * 25_000)
    assert len(result.query) == 10_000
    assert all(0 <= match.match_confidence <= 1 for match in result.matches)


def test_an_odd_phrase_has_a_sensible_answer(service: Service) -> None:
    for phrase in ["🙂", "отмени это", "撤销更改", "\x00\x1b[31m", "?!", "\u202e", "\ud800"]:
        result = service.match(phrase)
        assert result.decision == "no_match", phrase
        assert all(0 <= match.match_confidence <= 1 for match in result.matches), phrase


def test_a_folder_that_cannot_be_used_is_refused_before_any_model_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="no agents"):
        open_service(tmp_path)
