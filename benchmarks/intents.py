"""Measures how often `smart_load` picks the right family: `python -m benchmarks.intents [FILE.jsonl ...] [--write]`.

Each line of a file is `{"query": intent, "gold": [family]}`; the list is empty if no tool serves the intent.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.labelled_data import read_rows
from server.matching.service import open_service
from server.paths import shipped_data
from server.tools.meta.smart_load import SmartLoadRequest, smart_load
from server.toolset import registry
from server.toolset.registry import offered
from server.toolset.session import CallerSession
from server.toolset.start import Start
from server.toolset.tool_matcher import ToolMatcher

FOLDER: Final = Path(__file__).parent
FILES: Final = tuple(FOLDER / f"{name}.jsonl" for name in ("intents", "held_out_intents"))
NOTHING: Final = "nothing"
RESULTS: Final = FOLDER / "results" / "intents.json"


@dataclass(frozen=True)
class Placed:
    """Counts over one file.

    Attributes:
        fitting: number of intents that a family serves.
        right: how many of these got that family.
        offered: for how many of these it was offered beside others, and none was loaded.
        unfitting: number of intents that no family serves.
        refused: for how many of these nothing was loaded.
        misses: intent, expected family and loaded family of each wrong result.
    """

    fitting: int
    right: int
    offered: int
    unfitting: int
    refused: int
    misses: tuple[tuple[str, str, str], ...]

    def counts(self) -> dict[str, int]:
        """Return the counts by name."""
        return {name: value for name, value in asdict(self).items() if name != "misses"}


def measure(paths: Sequence[Path] = FILES) -> dict[str, Placed]:
    """Run `smart_load` on every intent of the files; return the counts by file stem."""
    service = open_service(shipped_data())
    matcher = ToolMatcher(registry.TOOLS, service.loader)
    session = CallerSession(offered(service, matcher, dynamic=True), Start(dynamic=True))
    return {path.stem: _placed(session, path) for path in paths}


def _placed(session: CallerSession, path: Path) -> Placed:
    rows = read_rows(path)
    placed = []
    offered = 0
    for row in rows:
        answer = smart_load(session, SmartLoadRequest(intent=row["query"]))
        wanted, got = (row["gold"] or [NOTHING])[0], answer.result.family if answer.result else NOTHING
        placed.append((row["query"], wanted, got))
        offered += answer.decision == "ambiguous" and wanted in [match.family for match in answer.matches]
    fits = [wanted == got for _, wanted, got in placed if wanted != NOTHING]
    none = [wanted == got for _, wanted, got in placed if wanted == NOTHING]
    misses = tuple(line for line in placed if line[1] != line[2])
    return Placed(len(fits), sum(fits), offered, len(none), sum(none), misses)


def table(results: Mapping[str, Mapping[str, int]]) -> str:
    """Format stored counts as a Markdown table."""
    lines = [
        "| intents | right family | offered among several | nothing loaded where nothing fits |",
        "|---|---:|---:|---:|",
    ]
    for name, found in results.items():
        counts = "{right} of {fitting} | {offered} | {refused} of {unfitting}".format(**found)
        lines.append(f"| `{name}` | {counts} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shipped = " and ".join(path.name for path in FILES)
    options.add_argument("files", metavar="FILE.jsonl", nargs="*", type=Path, help=f"intents (default: {shipped})")
    options.add_argument("--write", action="store_true", help="store the counts for the README")
    chosen = options.parse_args()
    found = measure(chosen.files or FILES)
    counts = {
        name: {key: value for key, value in asdict(each).items() if key != "misses"} for name, each in found.items()
    }
    print(table(counts))
    for name, each in found.items():
        for intent, wanted, got in each.misses:
            print(f"{name}: expected {wanted}, loaded {got}: {intent}")
    if chosen.write:
        RESULTS.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
