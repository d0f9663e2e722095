"""Files of the model are changed under a server that runs, and found so by one that starts."""

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from tests.server.faults.clean import assert_clean
from tests.server.faults.copied import copy_of_the_project, model_folder
from tests.server.faults.messages import ERAS, lookup, post_call
from tests.server.faults.served import Served, running

pytestmark = pytest.mark.processes

FILES: Final = ("model.onnx", "tokenizer.json", "MANIFEST.json")


def overwrite(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def put_another_in_its_place(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(os.urandom(1000))
    other.replace(path)


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def remove(path: Path) -> None:
    path.unlink()


DONE: Final[tuple[Callable[[Path], None], ...]] = (overwrite, put_another_in_its_place, cut_short, remove)
minutes = count(1)
"""So that no phrase is asked twice: the vectors of the last ones are kept."""

each_file = pytest.mark.parametrize("file", FILES)


@pytest.fixture(scope="module")
def module_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("model")
    served = Served(folder, root=copy_of_the_project(folder / "project"))
    with running(served):
        served.wait_until_ready()
        yield served


@pytest.fixture
def model(module_server: Served) -> Iterator[Path]:
    """Yield the folder of the model that the server has loaded, put right after the test."""
    folder = model_folder(module_server.root)
    content = {file: (folder / file).read_bytes() for file in FILES}
    yield folder
    for file, whole in content.items():
        (folder / file).write_bytes(whole)


@each_file
@pytest.mark.parametrize("done", DONE)
def test_a_server_that_runs_goes_on_with_right_answers(
    server: Served, model: Path, file: str, done: Callable[[Path], None]
) -> None:
    done(model / file)
    fresh = [f"can it undo what it did {next(minutes)} minutes ago?" for _ in ERAS]
    assert [server.answers(era, phrase) for era, phrase in zip(ERAS, fresh, strict=True)] == ["Checkpoints"] * 2


@each_file
def test_a_server_that_starts_answers_degraded_and_says_why(
    server: Served, model: Path, client: httpx2.Client, tmp_path: Path, file: str
) -> None:
    overwrite(model / file)
    late = Served(tmp_path, root=server.root)
    with running(late):
        late.wait_until_ready("degraded")
        assert client.get(f"{late.site}/readyz").status_code == 503
        assert client.get(f"{late.site}/healthz").status_code == 200
        for era in ERAS:
            answer = degraded_answer(client, late, era, "checkpoints")
            assert answer["capability"]["name"] == "Checkpoints"
    assert file in late.log
    assert "reinstall" in late.log
    assert "Traceback" not in late.log


def degraded_answer(client: httpx2.Client, served: Served, era: str, phrase: str) -> Any:
    response = post_call(client, served.address, era, lookup(phrase))
    assert_clean(response.status_code, response.text)
    content = response.json()["result"]["structuredContent"]
    assert content["degraded"] is True, content
    return content
