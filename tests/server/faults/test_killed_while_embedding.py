"""The process dies while it embeds a catalog of one's own, and once it has."""

import json
import sys
from pathlib import Path

import pytest

from tests.server.faults.messages import ERAS
from tests.server.faults.served import Served, labels_cached, supervised, until
from tests.toy import BOOK, write_data

pytestmark = [pytest.mark.processes, pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")]
EMBEDDING = "embedding the catalog"


def slow_data(folder: Path) -> Path:
    """Return the toy catalog with so many phrasings that embedding them takes a second or more."""
    data = write_data(folder)
    more = [f"put my files back as they were {number} hours ago" for number in range(250)]
    phrasings = {label.name: list(label.phrasings) for label in BOOK.labels} | {"Checkpoints": more}
    text = json.dumps({"phrasings": phrasings, "outOfScope": list(BOOK.out_of_scope)})
    (data / "phrasings.json").write_text(text, encoding="utf-8")
    return data


def test_the_next_process_embeds_the_catalog_anew_and_those_after_it_never(tmp_path: Path) -> None:
    data = slow_data(tmp_path / "data")
    served = Served(tmp_path, ["--data", str(data)])
    first = served.start()
    until(lambda: EMBEDDING in served.log, "the catalog is being embedded")
    first.kill()
    first.wait()
    assert not (tmp_path / "cache").exists()
    with supervised(served) as supervisor:
        (stored,) = labels_cached(data, tmp_path / "cache")
        content = stored.read_bytes()
        supervisor.process.kill()
        until(lambda: supervisor.starts == 2, "the server is started again")
        served.wait_until_ready()
        assert served.answers(ERAS[0], "bring my files back") == "Checkpoints"
    assert labels_cached(data, tmp_path / "cache") == [stored]
    assert stored.read_bytes() == content
    assert served.log.count(EMBEDDING) == 2
