"""Reloading a catalog in this process."""

import errno
import inspect
import json
import logging
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from embeddings.errors import ModelError
from server.matching import origins
from server.matching.encoders import EncoderLoader
from server.matching.label_service import LiveService
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.origins import AgentsFolder
from server.matching.reload import Reloader, reloading
from server.matching.service import Service, open_service
from tests.server.link_site import Gauge
from tests.toy import ToyEncoder

CLAUDE = Path("agents", "claude-code", "capabilities", "current.json")
GEMINI = Path("agents", "gemini-cli", "capabilities", "current.json")
KEPT = "the catalog was not reloaded"


class Catalog:
    """A data folder that is served."""

    def __init__(self, folder: Path, loader: EncoderLoader) -> None:
        self.folder = folder
        service = open_service(folder, loader)
        service.matchers.load()
        self.live = LiveService(service)
        self.reloader = Reloader(self.live, AgentsFolder(folder))

    @property
    def served(self) -> str | None:
        """Text about Claude Code's checkpoints."""
        found = self.live.current.catalog.entry("claude-code", "Checkpoints")
        return found.description if found else None

    def decision(self, phrase: str) -> str:
        return self.live.current.match(phrase).decision


@pytest.fixture
def catalog(toy_data: Path, encoder: ToyEncoder) -> Catalog:
    return Catalog(toy_data, lambda threads: encoder)


def catalog_anew(folder: Path, name: str, encoder: ToyEncoder) -> Catalog:
    """The same over a copy of the folder, which a test may change."""
    return Catalog(shutil.copytree(folder, folder.with_name(name)), lambda threads: encoder)


def change(path: Path, make: Callable[[Any], Any]) -> None:
    """Replace a JSON file, as an editor or a deployment does; another file is another file, whatever the clock says."""
    other = path.with_suffix(".new")
    other.write_text(json.dumps(make(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    other.replace(path)


def describe(folder: Path, text: str) -> None:
    """Say something else of Claude Code's checkpoints."""

    def described(value: Any) -> Any:
        value["capabilities"][0]["description"] = text
        return value

    change(folder / CLAUDE, described)


def add_alias(folder: Path, alias: str = "time machine") -> None:
    """Change what phrases are compared with."""
    change(folder / "aliases.json", lambda aliases: aliases | {alias: "Checkpoints"})


def test_nothing_has_changed_at_first(catalog: Catalog) -> None:
    assert not catalog.reloader.changed


def add_agent(folder: Path) -> None:
    (folder / "agents" / "copilot-cli" / "capabilities").mkdir(parents=True)
    shutil.copy(folder / CLAUDE, folder / "agents" / "copilot-cli" / "capabilities")


def touch(folder: Path) -> None:
    os.utime(folder / CLAUDE, ns=(1, 1))


CHANGES: dict[str, Callable[[Path], object]] = {
    "an edit": lambda folder: describe(folder, "new"),
    "a new time": touch,
    "an alias": add_alias,
    "a new agent": add_agent,
    "an agent that is gone": lambda folder: (folder / GEMINI).unlink(),
    "vectors that were added": lambda folder: (folder / VECTORS_FILE).write_bytes(b""),
    "a file that is gone": lambda folder: (folder / "phrasings.json").unlink(),
}


def test_a_change_is_seen_until_it_is_read(toy_data: Path, encoder: ToyEncoder) -> None:
    for how, make in CHANGES.items():
        catalog = catalog_anew(toy_data, how, encoder)
        make(catalog.folder)
        assert catalog.reloader.changed, how
        catalog.reloader.reload()
        assert not catalog.reloader.changed, how


def test_what_the_folder_now_holds_is_served(catalog: Catalog, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "server.matching.reload")
    describe(catalog.folder, "new")
    assert catalog.reloader.reload()
    assert catalog.served == "new"
    assert caplog.messages[-1] == f"the catalog was reloaded from {catalog.folder}"


def test_new_names_are_understood(catalog: Catalog) -> None:
    assert catalog.decision("time machine") != "resolved"
    add_alias(catalog.folder)
    assert catalog.reloader.reload()
    assert catalog.decision("time machine") == "resolved"


def test_the_limit_on_phrases_stays(toy_data: Path) -> None:
    service = open_service(toy_data, lambda threads: ToyEncoder(), max_phrase=9)
    live = LiveService(service)
    Reloader(live, AgentsFolder(toy_data)).reload()
    assert live.current is not service
    assert live.current.max_phrase == 9


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "broken JSON": (lambda folder: (folder / CLAUDE).write_text("{", encoding="utf-8"), str(CLAUDE)),
    "deep JSON": (lambda folder: (folder / CLAUDE).write_text("[" * 100_000, encoding="utf-8"), str(CLAUDE)),
    "not UTF-8": (lambda folder: (folder / CLAUDE).write_bytes(b"\xff"), str(CLAUDE)),
    "an empty file": (lambda folder: (folder / CLAUDE).write_bytes(b""), str(CLAUDE)),
    "an unknown capability": (
        lambda folder: change(folder / "aliases.json", lambda aliases: aliases | {"beam": "Teleport"}),
        "aliases.json names capability 'Teleport'",
    ),
    "control characters": (lambda folder: describe(folder, "\x1b[2J"), str(CLAUDE)),
    "no agents": (lambda folder: shutil.rmtree(folder / "agents"), ""),
    "no folder": (shutil.rmtree, ""),
}


def test_a_bad_catalog_is_told_and_the_old_one_stays(
    toy_data: Path, encoder: ToyEncoder, caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    for how, (spoil, named) in BAD.items():
        with subtests.test(how=how):
            catalog = catalog_anew(toy_data, how, encoder)
            caplog.clear()
            before = catalog.live.current
            spoil(catalog.folder)
            assert not catalog.reloader.reload()
            assert catalog.live.current is before
            (message,) = caplog.messages
            assert message.startswith(KEPT)
            assert named in message
            assert "Traceback" not in caplog.text


def test_the_next_good_catalog_is_served(catalog: Catalog) -> None:
    good = (catalog.folder / CLAUDE).read_bytes()
    (catalog.folder / CLAUDE).write_text("{", encoding="utf-8")
    catalog.reloader.reload()
    (catalog.folder / CLAUDE).write_bytes(good)
    describe(catalog.folder, "repaired")
    assert catalog.reloader.changed
    assert catalog.reloader.reload()
    assert catalog.served == "repaired"


def no_builds(monkeypatch: pytest.MonkeyPatch) -> EncoderLoader:
    """Loads an encoder for queries alone."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def loader(threads: int) -> ToyEncoder:
        if threads != 1:
            raise ModelError("no memory")
        return ToyEncoder()

    return loader


def test_a_catalog_that_cannot_be_embedded_does_not_replace_one_that_was(
    toy_data: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Catalog(toy_data, lambda threads: ToyEncoder())
    catalog = Catalog(toy_data, no_builds(monkeypatch))
    add_alias(catalog.folder)
    assert not catalog.reloader.reload()
    assert not catalog.live.current.matchers.get().is_degraded
    assert "could not be built" in caplog.messages[-1]


def test_one_that_was_not_embedded_either_is_replaced(toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = Catalog(toy_data, no_builds(monkeypatch))
    add_alias(catalog.folder)
    assert catalog.reloader.reload()
    assert catalog.decision("time machine") == "resolved"


def test_texts_that_have_not_changed_are_not_embedded_again(catalog: Catalog, encoder: ToyEncoder) -> None:
    embedded = len(encoder.encoded)
    describe(catalog.folder, "new")
    assert catalog.reloader.reload()
    trials = encoder.encoded[embedded:]
    assert set(trials) == {"Checkpoints", "new"}
    add_alias(catalog.folder)
    assert catalog.reloader.reload()
    assert set(encoder.encoded[embedded + len(trials) :]) == {"Checkpoints", "time machine"}


def test_facets_that_have_not_changed_are_not_embedded_again(toy_data: Path, encoder: ToyEncoder) -> None:
    facets = [{"id": "shell", "question": "Are shell changes undone?"}]
    (toy_data / "facets.json").write_text(json.dumps({"facets": {"Checkpoints": facets}}), encoding="utf-8")
    ask(toy_data, "undo shell changes")
    catalog = Catalog(toy_data, lambda threads: encoder)
    embedded = len(encoder.encoded)
    ask(toy_data, "undo shell changes", "revert what bash did")
    assert catalog.reloader.reload()
    assert set(encoder.encoded[embedded:]) == {"Checkpoints", "revert what bash did"}


def ask(folder: Path, *asked: str) -> None:
    """Set the phrasings of the one facet."""
    change(folder / "phrasings.json", lambda file: file | {"facets": {"Checkpoints/shell": asked}})


def test_reloads_come_one_after_the_other(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    gauge = Gauge(1)

    def held(*arguments: Any) -> Service:
        gauge.hold()
        return open_service(*arguments)

    monkeypatch.setattr(origins, "open_service", held)
    threads = [threading.Thread(target=catalog.reloader.reload) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gauge.peak == 1


def test_reloads_do_not_pile_up(toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    depths = []

    def loader(threads: int) -> ToyEncoder:
        if threads != 1:
            depths.append(len(inspect.stack(context=0)))
        return ToyEncoder()

    catalog = Catalog(toy_data, loader)
    for number in range(4):
        add_alias(catalog.folder, f"time machine {number}")
        assert catalog.reloader.reload()
    assert len(set(depths[-4:])) == 1


def unreachable(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """A file system that fails a number of times."""
    is_dir, left = Path.is_dir, iter(range(times))

    def failing(path: Path) -> bool:
        if next(left, None) is not None:
            raise OSError(errno.EIO, "not now", str(path))
        return is_dir(path)

    monkeypatch.setattr(Path, "is_dir", failing)


def test_a_folder_that_cannot_be_looked_at_is_told(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    unreachable(monkeypatch, 1_000_000)
    assert not catalog.reloader.reload()
    assert caplog.messages[0].startswith(KEPT)
    assert "not now" in caplog.messages[0]


@pytest.mark.anyio
async def test_a_folder_that_could_not_be_looked_at_is_looked_at_again(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(catalog.folder, "new")
    unreachable(monkeypatch, 5)
    with anyio.fail_after(60):
        async with reloading(catalog.reloader, 0.01):
            while catalog.served != "new":
                await anyio.sleep(0.01)
