"""A catalog file that changes while it is served."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.matcher import Matcher
from embeddings.ranking.decision import Costs
from server.matching import encoders
from server.matching.label_service import (
    MAX_WARNINGS,
    LabelService,
    LiveService,
    open_labels,
    read_catalog,
    vectors_beside,
)
from server.matching.origins import CatalogFile
from server.matching.reload import Reloader
from server.matching.vector_cache import cache_folder
from tests.server.faults.served import until
from tests.server.label_catalog import CATALOG, TOOLS, label_service, written
from tests.small_model import write_small_model
from tests.toy import ToyEncoder


class Served:
    def __init__(self, folder: Path, content: Any) -> None:
        self.live: LiveService[LabelService] = LiveService(label_service(folder, content))
        self.path = folder / "catalog.json"
        self.reloader = Reloader(self.live, CatalogFile(self.path))


def test_nothing_has_changed_at_first(tmp_path: Path) -> None:
    assert not Served(tmp_path, CATALOG).reloader.changed


def test_what_the_file_now_holds_is_served(tmp_path: Path) -> None:
    served = Served(tmp_path, CATALOG)
    written(served.path, TOOLS)
    assert served.reloader.changed
    assert served.reloader.reload()
    assert served.live.current.size == {"labels": 3}
    assert served.live.current.match("look").decision == "resolved"


@pytest.mark.parametrize("content", [{"labels": []}, {"labels": [{"name": "A", "phrases": []}]}, {"tools": []}])
def test_a_bad_file_is_told_and_the_old_catalog_stays(
    tmp_path: Path, content: Any, caplog: pytest.LogCaptureFixture
) -> None:
    served = Served(tmp_path, CATALOG)
    before = served.live.current
    written(served.path, content)
    assert not served.reloader.reload()
    assert served.live.current is before
    assert caplog.messages[-1].startswith(f"the catalog was not reloaded: {served.path}")


def test_a_reload_keeps_the_costs_and_the_model(tmp_path: Path) -> None:
    model = write_small_model(tmp_path / "model")
    path, costs = written(tmp_path / "catalog.json", CATALOG), Costs(wrong=0.5)
    origin = CatalogFile(path, costs)
    live = LiveService(origin.open(partial(encoders.load_encoder, folder=model)))
    written(path, TOOLS)
    assert Reloader(live, origin).reload()
    matcher = live.current.matchers.get()
    assert live.current.size == {"labels": 3}
    assert live.current.matchers.costs == costs
    assert matcher.model_fingerprint == Encoder.load(model).fingerprint


def test_new_metadata_are_served_without_embedding_anything(tmp_path: Path) -> None:
    encoder = ToyEncoder()
    path = written(tmp_path / "catalog.json", CATALOG)
    open_labels(path, lambda threads: encoder).matchers.load()
    embedded = len(encoder.encoded)
    labels = [{**label, "metadata": {"new": True}} for label in CATALOG["labels"]]
    matcher = open_labels(written(path, {**CATALOG, "labels": labels}), lambda threads: encoder).matchers.load()
    assert matcher.match("rewind").matches[0].metadata == {"new": True}
    assert set(encoder.encoded[embedded:]) == {"Checkpoints"}


def test_vectors_beside_the_file_are_used(tmp_path: Path) -> None:
    path = written(tmp_path / "catalog.json", CATALOG)
    Matcher.build(read_catalog(path), ToyEncoder()).save(vectors_beside(path))
    assert vectors_beside(path) in CatalogFile(path).files()
    open_labels(path, lambda threads: ToyEncoder()).matchers.load()
    assert list(cache_folder().iterdir()) == []


def test_a_cached_catalog_that_is_used_again_is_the_last_to_go(tmp_path: Path) -> None:
    path = written(tmp_path / "catalog.json", CATALOG)
    open_labels(path, lambda threads: ToyEncoder()).matchers.load()
    (cached,) = cache_folder().iterdir()
    os.utime(cached, (0, 0))
    open_labels(path, lambda threads: ToyEncoder()).matchers.load()
    assert cached.stat().st_atime > 0


def test_warnings_are_logged_up_to_a_limit(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path / "tools.json", {"tools": [{"name": "look"}, *[{"name": ""}] * (MAX_WARNINGS + 5)]})
    read_catalog(path)
    assert len(caplog.messages) == MAX_WARNINGS + 1
    assert caplog.messages[0].startswith(f"{path}: tools[1]")
    assert "5 more" in caplog.messages[-1]


def test_a_changed_label_embeds_its_new_texts_alone(tmp_path: Path) -> None:
    encoder = ToyEncoder()
    path = written(tmp_path / "catalog.json", CATALOG)
    origin = CatalogFile(path)
    live = LiveService(origin.open(lambda threads: encoder))
    live.current.matchers.load()
    embedded = len(encoder.encoded)
    first, *others = CATALOG["labels"]
    changed = {**first, "phrasings": [*first.get("phrasings", ()), "turn back the clock"]}
    written(path, {**CATALOG, "labels": [changed, *others]})
    assert Reloader(live, origin).reload()
    assert encoder.encoded[embedded:].count("turn back the clock") == 1
    assert not {text for text in encoder.encoded[embedded:] if text in encoder.encoded[:embedded]} - {first["name"]}
    assert live.current.matchers.get().is_approximate


def test_a_catalog_that_changed_while_it_was_served_is_fitted_anew_at_the_next_start(tmp_path: Path) -> None:
    path = written(tmp_path / "catalog.json", CATALOG)
    origin = CatalogFile(path)
    live = LiveService(origin.open(lambda threads: ToyEncoder()))
    live.current.matchers.load()
    written(path, {**CATALOG, "labels": [*CATALOG["labels"], {"name": "Time Travel"}]})
    assert Reloader(live, origin).reload()
    again = origin.open(lambda threads: ToyEncoder()).matchers
    again.start()
    until(lambda: again.ready and not again.get().is_approximate, "the catalog is fitted anew")


def test_another_catalog_is_built_from_nothing(tmp_path: Path) -> None:
    served = Served(tmp_path, CATALOG)
    written(served.path, TOOLS)
    assert served.reloader.reload()
    assert not served.live.current.matchers.get().is_approximate


def test_a_skill_that_is_added_to_a_folder_is_served(tmp_path: Path) -> None:
    encoder = ToyEncoder()
    for name in ("undo", "see"):
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / "skills" / name / "SKILL.md").write_text(f"---\nname: {name}\n---\n", encoding="utf-8")
    origin = CatalogFile(tmp_path / "skills")
    live = LiveService(origin.open(lambda threads: encoder))
    reloader = Reloader(live, origin)
    before = reloader.changed
    (tmp_path / "skills" / "plug").mkdir()
    (tmp_path / "skills" / "plug" / "SKILL.md").write_text("---\nname: plug\n---\n", encoding="utf-8")
    assert (before, reloader.changed) == (False, True)
    assert reloader.reload()
    assert live.current.size == {"labels": 3}
