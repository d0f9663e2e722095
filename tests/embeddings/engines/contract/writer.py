"""A process that puts labels: `python -m tests.embeddings.engines.contract.writer URI NAME COUNT`.

It says that it is ready, and begins when it is told to.
"""

import sys

from embeddings.engines.uri import open_store
from embeddings.labels.label import Label
from embeddings.ranking.store_changes import put_label
from tests.toy import ToyEncoder


def main() -> None:
    uri, name, count = sys.argv[1:]
    store, encoder = open_store(uri), ToyEncoder()
    store.revision()
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(count)):
        put_label(store, encoder, Label(f"{name} {number}", phrasings=(f"undo {name}", f"plug in {number}")))
    store.close()


if __name__ == "__main__":
    main()
