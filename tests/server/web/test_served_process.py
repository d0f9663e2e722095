"""`serve --web` as processes of its own."""

import json
from pathlib import Path

import httpx2
import pytest

from tests.server.faults.served import Served, running

pytestmark = pytest.mark.processes

TOKEN = "the-token-of-ann-1"


def test_every_worker_serves_the_page(tmp_path: Path) -> None:
    (tmp_path / "tokens.json").write_text(json.dumps({"ann": TOKEN}), encoding="utf-8")
    served = Served(tmp_path, ("--web", "--workers", "2", "--tokens", str(tmp_path / "tokens.json")))
    with running(served) as process:
        served.wait_until_ready()
        for _ in range(10):
            # A connection of its own reaches either worker.
            shell, refused = httpx2.get(f"{served.site}/"), httpx2.get(f"{served.site}/api/about")
            about = httpx2.get(
                f"{served.site}/api/about", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60
            ).json()
            assert shell.text.startswith("<!doctype html>")
            assert (refused.status_code, about["views"]) == (401, ["try", "map", "agents", "health"])
        # Ended so that it ends its workers, too.
        process.terminate()
        process.wait(60)
    assert TOKEN not in served.log
