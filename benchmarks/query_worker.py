"""The process of `benchmarks.query` that matches with the code of one checkout; it imports that checkout alone."""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

WORKER: Final = Path(__file__).resolve()


class Remembering:
    """An encoder that encodes each text once."""

    def __init__(self, encoder: Any) -> None:
        """Encode with `encoder`."""
        self._encoder = encoder
        self._vectors: dict[str, Any] = {}
        self.languages = encoder.languages
        self.dimensions = encoder.dimensions
        self.fingerprint = encoder.fingerprint
        self.knows = encoder.knows

    def encode(self, texts: Sequence[str]) -> Any:
        """Return the vector of one text, as the matcher encodes them."""
        (text,) = texts
        if text not in self._vectors:
            self._vectors[text] = self._encoder.encode([text])
        return self._vectors[text]


def main() -> None:
    """Match the queries of standard input, JSON lines of one string each."""
    from embeddings.encoder.encoder import Encoder
    from embeddings.encoder.model_files import official_model_folder
    from embeddings.matcher import Matcher

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("vectors", type=Path)
    options.add_argument("--after-encoder", action="store_true")
    chosen = options.parse_args()
    encoder = Encoder.load(official_model_folder())
    matcher = Matcher.load(chosen.vectors, Remembering(encoder))
    for line in sys.stdin:
        print(
            json.dumps([_timed(matcher, encoder, query, chosen.after_encoder) for query in json.loads(line)]),
            flush=True,
        )


def _timed(matcher: Any, encoder: Any, query: str, after_encoder: bool) -> dict[str, Any]:
    """Match a query after the model ran for another text, if it is to."""
    if after_encoder:
        encoder.encode([f"{time.perf_counter_ns()} {query}"])
    start = time.thread_time()
    result = matcher.match(query)
    return {
        "microseconds": (time.thread_time() - start) * 1e6,
        "decision": result.decision,
        "names": [match.name for match in result.matches],
        "confidences": [match.match_confidence for match in result.matches],
        "notes": list(result.notes),
    }


if __name__ == "__main__":
    # The folder of this file is no place to import from.
    sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != WORKER.parent]
    main()
