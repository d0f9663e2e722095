import json

import pytest

from server.errors import CallerError
from server.matching.service import Service
from server.paths import shipped_data
from server.tools.categories import category

KNOWN = json.loads((shipped_data() / "capabilities.json").read_text("utf-8"))["capabilities"]
CATEGORIES = sorted({each["category"] for each in KNOWN})


def test_a_category_is_known_by_its_name(shipped_service: Service) -> None:
    for name in CATEGORIES:
        for value in (name, name.upper(), name.replace("-", " ")):
            assert category(shipped_service, value) == (name, None), name


def test_a_typo_does_no_harm(shipped_service: Service) -> None:
    for value, name in [("perfomance", "performance"), ("agent orchestraton", "agent-orchestration")]:
        assert category(shipped_service, value) == (name, None)


def test_words_of_one_name_are_enough(shipped_service: Service) -> None:
    for value, name in [
        ("orchestration", "agent-orchestration"),
        ("completion", "code-completion"),
        ("models", "model-selection"),
    ]:
        found, reading = category(shipped_service, value)
        assert (found, reading and reading.confidence) == (name, 1.0), (value, name)


def test_among_categories_of_one_word_the_others_are_told(shipped_service: Service) -> None:
    found, reading = category(shipped_service, "integration")
    assert (found, reading and reading.others) == ("api-integration", ["ide-integration"])


def test_a_phrase_is_understood_by_its_meaning(shipped_service: Service, subtests: pytest.Subtests) -> None:
    for value, name in [
        ("wired up with the outside world", "api-integration"),
        ("Planning first, splitting work up, running detached, rolling back, resuming", "agent-orchestration"),
        ("keeping it from doing harm: rules, isolation, lockdown by admins", "security"),
        ("working together on code, like PRs and reviewing", "collaboration"),
        ("logs, quotas, traces", "observability"),
        ("hooking it to outside services", "api-integration"),
        ("what it is allowed to do", "security"),
        ("shell", "command-line"),
        ("autocomplete", "code-completion"),
        ("troubleshooting", "debugging"),
        ("plugins, hooks and skills", "customization"),
    ]:
        with subtests.test(value=value, name=name):
            found, reading = category(shipped_service, value)
            assert found == name
            assert reading is not None
            assert reading.query == value
            assert 0.3 < reading.confidence <= 1


def test_what_favours_no_category_is_refused_with_the_known_ones(
    shipped_service: Service, subtests: pytest.Subtests
) -> None:
    for value in ["cooking", "banana", "weather", "zzz qqq", "best features", "stuff", "", " \n", "?!"]:
        with subtests.test(value=value):
            with pytest.raises(CallerError) as caught:
                category(shipped_service, value)
            assert f"known: {', '.join(CATEGORIES)}" in str(caught.value)


def test_every_category_is_described(shipped_service: Service) -> None:
    assert sorted(shipped_service.catalog.category_definitions) == CATEGORIES
