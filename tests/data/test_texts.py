from collections import Counter

from embeddings.text.normalization import fold
from tests.data.shipped import NAMES, read

MIN_ALIASES = 12
ALIASES: dict[str, list[str]] = {
    alias: [target] if isinstance(target, str) else target for alias, target in read("aliases.json").items()
}
PHRASINGS: dict[str, list[str]] = read("phrasings.json")["phrasings"]


def test_every_capability_has_at_least_twelve_aliases() -> None:
    counts = Counter(name for names in ALIASES.values() for name in names)
    assert {name: counts[name] for name in NAMES if counts[name] < MIN_ALIASES} == {}


def test_every_alias_is_of_known_capabilities() -> None:
    assert {name for names in ALIASES.values() for name in names} == set(NAMES)


def test_aliases_that_fold_alike_stand_for_the_same() -> None:
    meant: dict[str, set[str]] = {}
    for alias, names in ALIASES.items():
        meant.setdefault(fold(alias), set()).update(names)
    assert [alias for alias, names in ALIASES.items() if set(names) != meant[fold(alias)]] == []


def test_no_alias_is_another_capabilitys_name() -> None:
    names = {fold(name) for name in NAMES}
    assert [alias for alias in ALIASES if fold(alias) in names] == []


def test_no_alias_folds_to_nothing() -> None:
    assert [alias for alias in ALIASES if not fold(alias)] == []


def test_phrasings_are_of_all_capabilities_in_their_order() -> None:
    assert list(PHRASINGS) == NAMES
