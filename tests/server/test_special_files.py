"""A FIFO, a device, a socket or a folder in place of a file that a server reads: refused at once, by name."""

import asyncio
import contextlib
import json
import os
import shutil
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.errors import ModelError, PhraseBookError, VectorFileError
from embeddings.files import MAX_TEXT
from embeddings.labels.phrase_book import PhraseBook
from embeddings.matcher import Matcher
from server.catalog.loading import load_catalog
from server.catalog.reading import read_capabilities_file
from server.errors import CallerError, CatalogError
from server.http.tokens import TokenFile
from server.matching.label_service import LiveService
from server.matching.matcher_provider import VECTORS_FILE
from server.matching.origins import AgentsFolder
from server.matching.reload import Reloader
from server.matching.service import open_service
from server.toolset.permissions import Allowlist
from tests.server.cli.commands import Commands
from tests.special_files import SPECIAL, in_time, posix, put_in_place
from tests.toy import BOOK, ToyEncoder, write_data

pytestmark = posix

CLAUDE: Final = "agents/claude-code/capabilities/current.json"
TOKEN: Final = "a token that nobody guesses"


def test_a_catalog_is_refused_with_the_file(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name in [CLAUDE, "capabilities.json", "aliases.json", "phrasings.json"]:
        for kind in SPECIAL:
            data = write_data(tmp_path / Path(name).stem / kind)
            put_in_place(data / name, kind)
            with subtests.test(name=name, kind=kind), pytest.raises(CatalogError, match=f"{name} cannot be read"):
                in_time(partial(load_catalog, data))


READERS: Final[dict[str, tuple[Callable[[Path], object], type[Exception]]]] = {
    "vectors": (lambda path: Matcher.load(path, ToyEncoder()), VectorFileError),
    "catalog file": (PhraseBook.from_json, PhraseBookError),
    "tokens": (TokenFile, CallerError),
    "allowlist": (Allowlist.read, CallerError),
}


def test_a_file_is_refused_by_name(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for reader, (read, refused) in READERS.items():
        for number, kind in enumerate(SPECIAL):
            path = tmp_path / reader / str(number) / "file"
            path.parent.mkdir(parents=True)
            put_in_place(path, kind)
            with subtests.test(reader=reader, kind=kind), pytest.raises(refused, match=str(path)):
                in_time(partial(read, path))


def test_a_model_is_refused_with_the_file(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name in ["MANIFEST.json", "model.onnx", "tokenizer.json"]:
        folder = Path(shutil.copytree(official_model_folder(), tmp_path / name))
        put_in_place(folder / name, "FIFO")
        with subtests.test(name=name), pytest.raises(ModelError, match=name):
            in_time(partial(Encoder.load, folder))


@pytest.mark.parametrize("name", [CLAUDE, "aliases.json"])
def test_a_reload_keeps_the_old_catalog(toy_data: Path, name: str, caplog: pytest.LogCaptureFixture) -> None:
    service = open_service(toy_data, lambda threads: ToyEncoder())
    live = LiveService(service)
    service.matchers.load()
    reloader = Reloader(live, AgentsFolder(toy_data))
    put_in_place(toy_data / name, "FIFO")
    assert reloader.changed
    in_time(reloader.reload)
    assert live.current is service
    assert name in caplog.messages[-1]


def test_special_vectors_are_built_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    for number, kind in enumerate(SPECIAL):
        data = write_data(tmp_path / f"data-{number}")
        put_in_place(data / VECTORS_FILE, kind)
        service = open_service(data, lambda threads: ToyEncoder())
        with subtests.test(kind=kind):
            in_time(service.matchers.load)
            assert not service.matchers.get().is_degraded
            assert f"vectors not used: vector file {str(data / VECTORS_FILE)!r}" in caplog.text


def test_tokens_stay_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(json.dumps({"ann": TOKEN}), encoding="utf-8")
    tokens = TokenFile(path)
    put_in_place(path, "FIFO")

    def ask() -> None:
        found = asyncio.run(tokens.verify_token(TOKEN))
        assert found is not None
        assert found.client_id == "ann"

    in_time(ask)


def piped(path: Path, content: str) -> None:
    """A pipe that another program writes to, as the shell's `<(command)` makes one."""

    def write() -> None:
        with contextlib.suppress(BrokenPipeError):
            path.write_text(content, encoding="utf-8")

    os.mkfifo(path)
    threading.Thread(target=write, daemon=True).start()


def test_a_person_may_name_a_pipe_as_the_catalog_to_match_against(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Commands(capsys)
    piped(tmp_path / "pipe", json.dumps(BOOK.to_dict()))
    in_time(lambda: run("match", "mcp", "--catalog", str(tmp_path / "pipe"), "--json"))
    assert run.objects()[0]["matches"][0]["name"] == "MCP Support"


def test_a_person_may_name_a_pipe_of_phrases(
    toy_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Commands(capsys)
    piped(tmp_path / "pipe", "mcp\n")
    in_time(lambda: run("match", "--batch", str(tmp_path / "pipe"), "--json", "--data", str(toy_data)))
    assert run.objects()[0]["query"] == "mcp"


def test_a_catalog_of_a_pipe_is_read_up_to_the_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Commands(capsys)
    piped(tmp_path / "pipe", " " * (MAX_TEXT + 1))
    in_time(lambda: run("match", "mcp", "--catalog", str(tmp_path / "pipe")))
    assert f"over {MAX_TEXT:,} bytes" in run.err


def test_a_file_over_the_limit_is_refused(toy_data: Path) -> None:
    with (toy_data / "capabilities.json").open("r+b") as file:
        file.truncate(MAX_TEXT + 1)
    with pytest.raises(CatalogError, match=f"over {MAX_TEXT:,} bytes"):
        read_capabilities_file(toy_data / "capabilities.json")
