"""Processes that take turns at changing what is published."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

pytest.importorskip("pymilvus")

from embeddings.engines import milvus_state, milvus_writing
from embeddings.engines.milvus_address import Address
from embeddings.engines.milvus_connection import Connection
from embeddings.engines.milvus_writing import alone
from embeddings.errors import StoreAwayError, StoreChangedError


class Rows:
    """A server's rows; each call of it is slow, and sees all that was written before."""

    address = Address.parse("milvus+http://db.example")

    def __init__(self) -> None:
        self.rows: dict[str, str] = {}
        self._lock = threading.Lock()

    def upsert(self, name: str, rows: list[dict[str, Any]]) -> None:
        self._wait()
        with self._lock:
            self.rows |= {row["id"]: row["content"] for row in rows}

    def query(self, name: str, **given: Any) -> list[dict[str, str]]:
        self._wait()
        with self._lock:
            return [{"id": each} for each, content in self.rows.items() if f'content == "{content}"' == given["filter"]]

    def delete(self, name: str, ids: list[str]) -> None:
        self._wait()
        with self._lock:
            for each in ids:
                self.rows.pop(each, None)

    @staticmethod
    def _wait() -> None:
        time.sleep(0.002)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Rows:
    monkeypatch.setattr(milvus_writing, "TURN", 0.3)
    monkeypatch.setattr(milvus_writing, "_LONGEST_PAUSE", 0.02)
    return Rows()


def connection(rows: Rows) -> Connection:
    return cast(Connection, rows)


def test_no_two_change_at_once_and_each_gets_its_turn(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(milvus_writing, "TURN", 60)
    inside: list[int] = []
    most = []

    def change(number: int) -> None:
        with alone(connection(rows)) as check:
            inside.append(number)
            most.append(len(inside))
            time.sleep(0.005)
            inside.remove(number)
            check()

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(change, number) for number in range(20)]:
            each.result()
    assert most == [1] * 20
    assert rows.rows == {}


def test_who_died_in_its_turn_is_waited_for_no_longer_than_a_turn(rows: Rows) -> None:
    milvus_state.claim(connection(rows), "dead")
    start = time.monotonic()
    with alone(connection(rows)) as check:
        check()
    assert 0.3 <= time.monotonic() - start < 5


def test_who_took_longer_than_a_turn_changes_nothing_more(rows: Rows) -> None:
    with alone(connection(rows)) as check:
        rows.rows.clear()
        with pytest.raises(StoreChangedError):
            check()


def test_a_store_that_others_change_without_end_is_busy(rows: Rows) -> None:
    class Busy(Rows):
        def query(self, name: str, **given: Any) -> list[dict[str, str]]:
            return [{"id": f"another {time.monotonic()}"}]

    with pytest.raises(StoreAwayError, match=r"busy.*wait"), alone(connection(Busy())):
        pass
