"""The weights of the signals of statements: `weights.json`, which `benchmarks/fit_statements.py` writes."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from embeddings.arrays import DoubleArray

FILE: Final = Path(__file__).with_name("weights.json")


def weights(kind: Literal["evidence", "relevance"], signals: Sequence[str]) -> DoubleArray:
    """Return the stored weights of these signals: float64 (signals,)."""
    stored = _stored()[kind]
    return np.array([stored[signal] for signal in signals])


@cache
def _stored() -> Any:
    return json.loads(FILE.read_text(encoding="utf-8"))
