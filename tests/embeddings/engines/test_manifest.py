from dataclasses import replace

import pytest

from embeddings.stores import manifest
from embeddings.stores.manifest import DRAWN, FEW, FEW_PHRASES, FEW_THIN, drawn, few
from tests.embeddings.engines.sample import manifest_of, records


def test_a_catalog_is_read_as_a_whole_if_it_is_small() -> None:
    cases = [
        (FEW, 10 * FEW_PHRASES, True),
        (FEW + 1, FEW_PHRASES + 1, False),
        (FEW_THIN, FEW_PHRASES, True),
        (FEW_THIN + 1, FEW_PHRASES, False),
    ]
    for labels, phrases, whole in cases:
        assert few(labels, phrases) == whole, labels


def test_a_catalog_that_gets_too_many_phrases_is_not_read_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "FEW", 2)
    monkeypatch.setattr(manifest, "FEW_PHRASES", 12)
    *given, more, most = records(5)
    known = replace(manifest_of(given), keys=tuple(each.key for each in given))
    assert known.changed([more], []).keys == tuple(each.key for each in [*given, more])
    assert known.changed([more, most], []).keys == ()
    assert known.changed([more, most], given[:1]).keys == tuple(each.key for each in [*given[1:], more, most])


def test_the_sample_after_a_change_is_that_of_the_labels_that_are_there() -> None:
    found = records(2 * DRAWN)
    keys = [each.key for each in found]
    known = replace(manifest_of(found[:-1]), sample=drawn(keys[:-1]))
    assert len(known.sample) == DRAWN
    assert known.changed(found[-1:], []).sample == drawn(keys)
    gone = [each for each in found if each.key == known.sample[0]]
    assert known.changed([], gone).sample == known.sample[1:]
    assert known.changed(gone, gone).sample == known.sample
    assert manifest.Manifest.unpack(known.pack()).sample == known.sample


def test_labels_are_drawn_in_any_order_alike() -> None:
    keys = [f"id:{number}" for number in range(1000)]
    assert drawn(keys) == drawn(reversed(keys))
    assert 300 < sum(int(key[3:]) for key in drawn(keys)) / DRAWN < 700
