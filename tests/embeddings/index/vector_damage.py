"""Ways to damage a vector file, and how it is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import VectorFileError
from embeddings.matcher import Matcher
from tests.toy import ToyEncoder

Arrays = dict[str, npt.NDArray[Any]]
Change = Callable[[Arrays], Arrays]


def raw(content: bytes) -> npt.NDArray[np.uint8]:
    return np.frombuffer(content, dtype=np.uint8)


def json_array(value: object) -> npt.NDArray[np.uint8]:
    return raw(json.dumps(value).encode())


def header(**changes: object) -> Change:
    """Other values of fields of the header."""
    return lambda arrays: {"header": json_array(json.loads(arrays["header"].tobytes()) | changes)}


def put(name: str, value: float, at: int = -1) -> Change:
    """Return another number at one place of an array."""

    def change(arrays: Arrays) -> Arrays:
        changed = arrays[name].copy()
        changed.flat[at] = value
        return {name: changed}

    return change


def rewrite(path: Path, change: Change) -> None:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez_compressed(path, allow_pickle=True, **(arrays | change(arrays)))


def assert_refused(path: Path, why: str, encoder: TextEncoder | None = None) -> None:
    """The message names the file, what is wrong with it, and the next step."""
    try:
        Matcher.load(path, encoder or ToyEncoder())
    except VectorFileError as error:
        message = str(error)
    else:
        pytest.fail(f"the file was loaded; expected: {why}")
    assert repr(str(path)) in message
    assert "agent-capabilities build-vectors" in message
    assert why in message
