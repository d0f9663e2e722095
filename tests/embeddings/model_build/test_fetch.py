import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub import Hub
from tests.threaded_server import serving

pytestmark = pytest.mark.processes

REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
OFFICIAL = {"model.safetensors": b"w" * 24_000_000, "tokenizer.json": b'{"tokens": []}'}

FETCH = """
import json, sys
from pathlib import Path
from embeddings.model_build import weights
weights.SOURCE_SHA256.clear()
weights.SOURCE_SHA256.update(json.loads(sys.argv[1]))
from embeddings.errors import ModelError
from embeddings.model_build.command import fetch_source
try:
    print(fetch_source(Path(sys.argv[2]) if len(sys.argv) > 2 else None))
except ModelError as error:
    sys.exit(f"error: {error}")
"""


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(Hub(REPOSITORY, REVISION, dict(OFFICIAL))) as server:
        yield server


def fetch(hub: Hub, home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Return a process of its own: huggingface-hub reads the environment when it is imported."""
    digests = "{" + ", ".join(f'"{n}": "{hashlib.sha256(c).hexdigest()}"' for n, c in OFFICIAL.items()) + "}"
    settings = {"HF_ENDPOINT": hub.address, "HF_HOME": str(home), "HF_HUB_DISABLE_TELEMETRY": "1"} | environment
    return subprocess.run(
        [sys.executable, "-c", FETCH, digests, *arguments],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_the_official_files_are_fetched_at_the_pinned_revision_through_redirects(hub: Hub, tmp_path: Path) -> None:
    done = fetch(hub, tmp_path)
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.strip())
    assert {name: (folder / name).read_bytes() for name in OFFICIAL} == OFFICIAL
    asked = {path for _, path, _ in hub.requests if REPOSITORY in path}
    assert asked == {f"/{REPOSITORY}/resolve/{REVISION}/{name}" for name in OFFICIAL}


def test_files_land_in_the_folder_that_is_asked_for(hub: Hub, tmp_path: Path) -> None:
    out = tmp_path / "official"
    assert fetch(hub, tmp_path / "home", str(out)).returncode == 0
    assert (out / "tokenizer.json").read_bytes() == OFFICIAL["tokenizer.json"]


def test_what_is_in_the_cache_is_found_offline(hub: Hub, tmp_path: Path) -> None:
    fetch(hub, tmp_path)
    before = len(hub.requests)
    assert fetch(hub, tmp_path, HF_HUB_OFFLINE="1").returncode == 0
    assert len(hub.requests) == before


def test_a_cut_connection_is_resumed_where_it_broke(hub: Hub, tmp_path: Path) -> None:
    hub.cut = {"model.safetensors"}
    done = fetch(hub, tmp_path)
    assert done.returncode == 0, done.stderr
    ranges = [wanted for _, path, wanted in hub.requests if path == "/cdn/model.safetensors" and wanted]
    assert any(not str(wanted).startswith("bytes=0-") for wanted in ranges)


def test_wrong_content_is_refused_by_digest(hub: Hub, tmp_path: Path) -> None:
    hub.files["model.safetensors"] = b"something else"
    done = fetch(hub, tmp_path)
    assert done.returncode == 1
    assert "model.safetensors" in done.stderr
    assert hashlib.sha256(b"something else").hexdigest() in done.stderr


def test_a_file_that_the_hub_lacks_is_named(hub: Hub, tmp_path: Path) -> None:
    del hub.files["tokenizer.json"]
    done = fetch(hub, tmp_path)
    assert done.returncode == 1
    assert "tokenizer.json of sentence-transformers/all-MiniLM-L6-v2" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_no_connection_says_what_is_needed(hub: Hub, tmp_path: Path) -> None:
    done = fetch(hub, tmp_path, HF_ENDPOINT="http://127.0.0.1:9")
    assert done.returncode == 1
    assert "could not be fetched" in done.stderr
    assert "Traceback" not in done.stderr
