import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes

LOAD = "from embeddings import Encoder; Encoder.load().encode(['undo'])"


@pytest.mark.skipif(sys.platform == "win32", reason="there it is written nowhere")
def test_loading_the_model_writes_nothing_into_the_home_of_the_user(tmp_path: Path) -> None:
    # In what looks like a build machine onnxruntime never reports.
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    root = Path(__file__).resolve().parents[3]
    subprocess.run([sys.executable, "-c", LOAD], env=kept | home, cwd=root, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []
