"""A labelled file that takes longer to measure than a request may."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio
import numpy as np
import numpy.typing as npt
import pytest

from embeddings.encoder.encoder import Encoder
from tests.server.faults.in_process import application_client
from tests.toy import ToyEncoder

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("few_intents")]

QUERIES: Final = 1_000
CONTENT: Final = "\n".join(json.dumps({"query": f"undo it {number}", "gold": []}) for number in range(QUERIES))
SHORT: Final = json.dumps({"query": "rewind", "gold": []})


class Slow(ToyEncoder):
    """Takes 20 ms for a text that is measured."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if texts and texts[0].startswith("undo it "):
            time.sleep(0.02)
        return super().encode(texts)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Slow:
    encoder = Slow()
    monkeypatch.setattr(Encoder, "load", lambda folder=None, threads=1, split=1: encoder)
    return encoder


def measured(encoder: Slow) -> int:
    return sum(text.startswith("undo it ") for text in encoder.encoded)


async def test_a_file_is_measured_no_further_when_the_time_of_its_request_is_up(toy_data: Path, encoder: Slow) -> None:
    async with application_client("--web", "--data", str(toy_data), "--request-timeout", "1") as client:
        assert (await client.post("/api/coverage", content=CONTENT)).status_code == 504
        # The next file has the same lane.
        assert (await client.post("/api/coverage", content=SHORT)).status_code == 200
        assert measured(encoder) < QUERIES / 2


async def test_other_files_are_measured_meanwhile(toy_data: Path, encoder: Slow) -> None:
    async with (
        application_client("--web", "--data", str(toy_data), "--request-timeout", "30") as client,
        anyio.create_task_group() as group,
    ):
        group.start_soon(lambda: client.post("/api/coverage", content=CONTENT))
        with anyio.fail_after(30):
            while not measured(encoder):
                await anyio.sleep(0.01)
        assert (await client.post("/api/coverage", content=SHORT)).status_code == 200
        assert measured(encoder) < QUERIES / 2
        group.cancel_scope.cancel()
