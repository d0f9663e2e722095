"""How well `smart_load` places intents: `python -m benchmarks.intents [FILE.jsonl ...] [--write]`.

A line of a file is `{"query": intent, "gold": [family]}`, with an empty list where no tool serves the intent.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from server.caller import Caller
from server.paths import shipped_data
from server.service import open_service
from server.start import Start
from server.tool_matcher import ToolMatcher
from server.tools import registry
from server.tools.smart_load import SmartLoadRequest, smart_load

FOLDER: Final = Path(__file__).parent
FILES: Final = tuple(FOLDER / f"{name}.jsonl" for name in ("intents", "held_out_intents"))
NOTHING: Final = "nothing"
RESULTS: Final = FOLDER / "results" / "intents.json"


@dataclass(frozen=True)
class Placed:
    """Counts over one file.

    Attributes:
        fitting: intents that a family serves.
        right: of these, those for which it was taken.
        unfitting: intents that nothing serves.
        refused: of these, those for which nothing was loaded.
        misses: intent, wanted and taken family, for those placed wrongly.
    """

    fitting: int
    right: int
    unfitting: int
    refused: int
    misses: tuple[tuple[str, str, str], ...]

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {name: value for name, value in asdict(self).items() if name != "misses"}


def measure(paths: Sequence[Path] = FILES) -> dict[str, Placed]:
    """Place every intent of some files. Returns each file's stem with its counts."""
    service = open_service(shipped_data())
    matcher = ToolMatcher(registry.TOOLS, service.loader)
    caller = Caller(service, Start(dynamic=True), registry.TOOLS, matcher)
    return {path.stem: _placed(caller, path) for path in paths}


def _placed(caller: Caller, path: Path) -> Placed:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    said = []
    for row in rows:
        result = smart_load(caller, SmartLoadRequest(intent=row["query"])).result
        said.append((row["query"], (row["gold"] or [NOTHING])[0], result.family if result else NOTHING))
    fits = [wanted == got for _, wanted, got in said if wanted != NOTHING]
    none = [wanted == got for _, wanted, got in said if wanted == NOTHING]
    misses = tuple(line for line in said if line[1] != line[2])
    return Placed(len(fits), sum(fits), len(none), sum(none), misses)


def table(results: Mapping[str, Mapping[str, int]]) -> str:
    """Stored counts as a Markdown table."""
    lines = ["| intents | right family | nothing loaded where nothing fits |", "|---|---:|---:|"]
    for name, found in results.items():
        counts = "{right} of {fitting} | {refused} of {unfitting}".format(**found)
        lines.append(f"| `{name}` | {counts} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", metavar="FILE.jsonl", nargs="*", type=Path, help="intents (default: those here)")
    options.add_argument("--write", action="store_true", help="store the counts for the README")
    chosen = options.parse_args()
    found = measure(chosen.files or FILES)
    counts = {
        name: {key: value for key, value in asdict(each).items() if key != "misses"} for name, each in found.items()
    }
    print(table(counts))
    for name, each in found.items():
        for intent, wanted, got in each.misses:
            print(f"{name}: {wanted} taken as {got}: {intent}")
    if chosen.write:
        RESULTS.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
