"""Judging a catalog in a process of its own."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from embeddings.errors import ModelError
from embeddings.ranking.decision import DEFAULT_COSTS
from server.errors import CallerError
from server.matching.encoders import SharedEncoder, load_encoder
from server.web.answers import catalog_health
from server.web.answers.catalog_health import judged_apart
from tests.server.label_catalog import CATALOG

pytestmark = pytest.mark.processes


def test_a_catalog_is_judged_with_the_model_of_the_loader() -> None:
    report = judged_apart(SharedEncoder(load_encoder), CATALOG, DEFAULT_COSTS)
    assert report.labels == len(CATALOG["labels"])


def test_what_judging_raises_is_raised_here(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        judged_apart(SharedEncoder(partial(load_encoder, folder=tmp_path)), CATALOG, DEFAULT_COSTS)


def test_a_process_that_is_killed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        catalog_health, "_COMMAND", [sys.executable, "-c", "import sys; sys.stdin.read(1); sys.exit(9)"]
    )
    with pytest.raises(CallerError, match="status 9; it takes up to three gigabytes"):
        judged_apart(SharedEncoder(load_encoder), CATALOG, DEFAULT_COSTS)


def test_it_ends_when_nobody_waits_for_it() -> None:
    code = (
        "import sys\nfrom server.web.answers.catalog_health import _end_with\n_end_with(sys.stdin.buffer)\nprint('on')"
    )
    ended = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, b"")
