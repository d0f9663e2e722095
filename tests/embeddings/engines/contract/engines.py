"""The engines that the contract's tests run against. Another one is one more entry."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from embeddings.engines.uri import open_store
from tests.embeddings.engines.contract import file_engine, milvus_engine, postgres_engine
from tests.embeddings.engines.contract.engine import Engine, Places, Source

VARIABLE = "AGENT_CAPABILITIES_TEST_STORE"
"""A URI under which the tests may write what they like; what is stored there is lost."""


@contextmanager
def _given() -> Iterator[Places]:
    uri = os.environ[VARIABLE]
    yield lambda _: Engine(open=lambda: open_store(uri), uri=uri, transactions="milvus" not in uri, empty=False)


STORES: Mapping[str, Source] = {
    "file": Source(file_engine.started, processes=False),
    "milvus-file": Source(milvus_engine.started_as_file),
    "milvus-server": Source(milvus_engine.started_as_server),
    "postgres": Source(postgres_engine.started),
    **({"given": Source(_given)} if os.environ.get(VARIABLE) else {}),
}
