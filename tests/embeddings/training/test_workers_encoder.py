import functools
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from embeddings.arrays import FloatArray
from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import official_model_folder
from embeddings.errors import WorkerError
from embeddings.training.workers_encoder import Load, WorkersEncoder
from tests.embeddings.training import workers
from tests.toy import ToyEncoder

pytestmark = pytest.mark.processes

SECONDS = 60


def vectors(load: Load, batches: Sequence[Sequence[str]], count: int = 2) -> list[FloatArray]:
    with WorkersEncoder(ToyEncoder(), load, count) as spread:
        return [*spread.encode_batches(batches)]


def test_each_batch_comes_back_in_its_place() -> None:
    batches = [[f"{word} {row}" for row in range(size)] for size in (3, 0, 40, 1, 1, 7) for word in ("undo", "see")] * 5
    for found, batch in zip(vectors(ToyEncoder, batches, 3), batches, strict=True):
        np.testing.assert_array_equal(found, ToyEncoder().encode(batch))


def test_vectors_are_the_same_bit_for_bit_as_in_one_process(shipped_encoder: Encoder) -> None:
    batches = [[f"{verb} my {thing}" for verb in ("cancel", "find", "sort")] for thing in ("order", "door", "\ud800")]
    with WorkersEncoder(shipped_encoder, functools.partial(Encoder.load, official_model_folder(), 1), 2) as spread:
        found = [*spread.encode_batches(batches)]
    assert [each.tobytes() for each in found] == [shipped_encoder.encode(batch).tobytes() for batch in batches]


def test_processes_are_used_again_for_more_batches() -> None:
    with WorkersEncoder(ToyEncoder(), ToyEncoder, 2) as spread:
        list(spread.encode_batches([["undo"], ["see"]]))
        first = [worker._process.pid for worker in spread._workers]
        list(spread.encode_batches([["undo"], ["see"]]))
        assert [worker._process.pid for worker in spread._workers] == first


def test_a_process_that_dies_ends_the_build_and_says_what_to_do() -> None:
    with pytest.raises(WorkerError, match=r"ended with status -?\d+ .* must run .* start the build again"):
        vectors(workers.Mortal, [["undo"], [workers.DEADLY], ["see"], ["see"]])


@pytest.mark.parametrize(
    ("load", "why"), [(workers.Failing, "MemoryError: none is left"), (workers.without_model, "no such model")]
)
def test_a_process_that_cannot_embed_says_why(load: Load, why: str) -> None:
    with pytest.raises(WorkerError, match=why):
        vectors(load, [["undo"], ["see"]])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("by", ["SIGKILL", "SIGTERM", "SIGINT"])
def test_processes_end_with_the_one_that_started_them(by: str) -> None:
    started = subprocess.Popen(
        [sys.executable, "-m", "tests.embeddings.training.workers"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert started.stdout
    assert len(started.stdout.readline().split()) == 2
    # A terminal sends Ctrl-C to all of them.
    send = os.killpg if by == "SIGINT" else os.kill
    send(started.pid, getattr(signal, by))
    # The pipes are closed once all processes that have them are gone.
    _, errors = started.communicate(timeout=SECONDS)
    assert errors.count("Traceback") == (by == "SIGINT")
