import functools
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.engines.file_store import FileStore
from embeddings.errors import WorkerError
from embeddings.training import ray_encoder
from embeddings.training.ray_encoder import RayEncoder
from embeddings.training.store_build import build_store
from tests.embeddings.training import workers
from tests.embeddings.training.test_store_build import book
from tests.toy import ToyEncoder


def test_without_ray_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_BACKEND_LOG_LEVEL"):
        monkeypatch.setenv(name, "before")
    with pytest.raises(WorkerError, match=r"'ray' is missing; .*; install it with: pip install 'agent-capabilities"):
        RayEncoder(ToyEncoder(), ToyEncoder, "auto")


def test_parts_of_any_length_are_cut_into_batches() -> None:
    cases: list[list[int]] = [[10], [1] * 10, [4, 0, 6], [7, 3]]
    others: list[list[int]] = [[10], [3, 0, 7], [0, 0, 5, 5]]
    for parts in cases:
        for sizes in others:
            rows = np.arange(20, dtype=np.float32).reshape(10, 2)
            given = iter(np.split(rows, np.cumsum(parts)[:-1]))
            found = [*ray_encoder._cut(given, sizes, 2)]
            assert [len(each) for each in found] == sizes, (parts, sizes)
            np.testing.assert_array_equal(np.concatenate(found), rows)


def test_a_run_takes_whole_batches_up_to_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_encoder, "MAX_TEXTS", 4)
    batches = iter([["a", "b", "c"], ["d", "e"], ["f"]])
    assert ray_encoder._window(batches) == [["a", "b", "c"], ["d", "e"]]
    assert ray_encoder._window(batches) == [["f"]]
    assert ray_encoder._window(batches) == []


@pytest.fixture(scope="module")
def home() -> Iterator[None]:
    """Ray writes a token to the home folder; the paths of its sockets must be short."""
    # Not imported here, because it reads when it is imported where to listen.
    if find_spec("ray") is None:
        pytest.skip("needs the extra ray")
    folder = tempfile.mkdtemp(prefix="ray-")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "RAY_TMPDIR"):
            patch.setenv(name, folder)
        for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"):
            patch.setenv(name, "0")
        patch.setenv("RAY_BACKEND_LOG_LEVEL", "fatal")
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
        yield
    shutil.rmtree(folder, ignore_errors=True)


def of_one_thread(encoder: object, load: object = None) -> RayEncoder:
    return RayEncoder(
        encoder,  # type: ignore[arg-type]
        load or functools.partial(Encoder.load, official_model_folder(), 1),  # type: ignore[arg-type]
        "local",
        2,
        few=0,
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("home")
class TestWithRay:
    def test_vectors_are_the_same_bit_for_bit_as_in_one_process(self, shipped_encoder: Encoder) -> None:
        texts = [
            f"{verb} my {thing} {n}" for verb in ("cancel", "find") for thing in ("order", "\ud800") for n in range(300)
        ]
        batches = [texts[:100], [], texts[100:1100], texts[1100:]]
        with of_one_thread(shipped_encoder) as spread:
            found = [*spread.encode_batches(batches)]
            assert [node["NodeManagerAddress"] for node in spread._ray.nodes()] == ["127.0.0.1"]
        assert [each.tobytes() for each in found] == [shipped_encoder.encode(batch).tobytes() for batch in batches]

    def test_a_build_has_the_same_bytes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("embeddings.training.store_writer.MAX_FITTED", 300)
        here, there = tmp_path / "here.labels", tmp_path / "there.labels"
        build_store(book(), ToyEncoder(), FileStore(here))
        with of_one_thread(ToyEncoder(), ToyEncoder) as spread:
            build_store(book(), spread, FileStore(there))
        assert there.read_bytes() == here.read_bytes()

    def test_an_actor_that_cannot_embed_says_why(self) -> None:
        with (
            of_one_thread(ToyEncoder(), workers.Failing) as spread,
            pytest.raises(WorkerError, match=r"MemoryError: none is left.*start the build again"),
        ):
            list(spread.encode_batches([["undo"], ["see"]]))

    def test_an_actor_with_another_model_is_refused(self) -> None:
        with (
            of_one_thread(ToyEncoder(), functools.partial(ToyEncoder, "toy-2")) as spread,
            pytest.raises(WorkerError, match="'toy-2', not 'toy-1'"),
        ):
            list(spread.encode_batches([["undo"]]))

    def test_no_cluster_is_told(self) -> None:
        with pytest.raises(WorkerError, match=r"Ray cannot embed .*; the cluster must run"):
            RayEncoder(ToyEncoder(), ToyEncoder, "127.0.0.1:1")
