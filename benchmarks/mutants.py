"""Do the tests of one checkout find what those of another one find? Both run against the same mutants of the code.

    git clone . NEW && git clone . OLD && git -C OLD checkout COMMIT   # each with a virtual environment in .venv
    python -m benchmarks.mutants --old OLD --new NEW --progress FILE [--write]

Mutants are drawn from the functions of the new checkout. The old one must have the same line in a function of the same
name, and its tests must execute it. Each suite then runs the tests that execute the line until one fails,
starting with those that execute the fewest lines. Which test executes what is learnt from one run under coverage.
Nobody else may use the checkouts meanwhile: their files are changed, and changed back. It needs `fork`.
"""

import argparse
import json
import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, Final

from coverage import CoverageData

from benchmarks.mutations import Mutant, apply, counterpart, functions, mutants

RESULTS: Final = Path(__file__).parent / "results" / "mutants.json"
WORKER: Final = Path(__file__).with_name("mutants_worker.py")
SEED: Final = 29
FOLDERS: Final = (
    *(f"embeddings/{room}" for room in ("ranking", "labels", "index")),
    *(f"server/{room}" for room in ("catalog", "toolset", "tools", "http", "gateway")),
)
AT_ONCE: Final = 60
"""Tests of one run; as many again follow while none fails."""
MAX_TESTS: Final = 180
"""Tests for one mutant."""
CASES: Final = 10
"""Cases of one parametrized test before those of others get their turn."""
SECONDS: Final = 90.0
"""For all runs of one mutant."""


class Suite:
    """The default tests of a checkout, and the lines that each executes."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._measure()
        self._data = CoverageData(str(self._coverage))
        self._data.read()
        self._sizes: Counter[str] = Counter()
        self._by_file: dict[str, list[str]] = {}
        self._by_line: dict[str, dict[int, list[str]]] = {}
        for file in self._data.measured_files():
            for contexts in self._data.contexts_by_lineno(file).values():
                self._sizes.update({_test(context) for context in contexts if context})
        for test in self._sizes:
            self._by_file.setdefault(test.partition("::")[0], []).append(test)
        self._worker = subprocess.Popen(
            [self._python, str(WORKER)], cwd=self.root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    @property
    def _coverage(self) -> Path:
        return self.root / "mutants.coverage"

    @property
    def _python(self) -> str:
        return str(self.root / ".venv" / "bin" / "python")

    @property
    def commit(self) -> str:
        """The commit that is checked out."""
        command = ["git", "rev-parse", "HEAD"]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()

    def _measure(self) -> None:
        """Run the default tests under coverage, if that was not done before."""
        if self._coverage.exists():
            return
        settings = self.root / "mutants.coveragerc"
        settings.write_text("[run]\nsource =\n" + "".join(f"    {each}\n" for each in FOLDERS), encoding="utf-8")
        options = ["-q", "-n", "2", "--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
        environment = os.environ | {"COVERAGE_FILE": str(self._coverage)}
        subprocess.run([self._python, "-m", "pytest", *options], cwd=self.root, env=environment, check=True)

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that execute the lines of a mutant, the most specific first, a few cases of each at a time.

        What a test needs may have been set up for an earlier one of its file: after them come the others of such files.
        """
        contexts = self._contexts(mutant)
        direct = {_test(context) for context in contexts}
        files = {_test(context).partition("::")[0] for context in contexts if context.endswith("|setup")}
        others = {test for file in files for test in self._by_file[file]} - direct
        return [*self._by_turns(direct), *self._by_turns(others)]

    def executes(self, mutant: Mutant) -> bool:
        """Return whether a test executes a line of the mutant."""
        return bool(self._contexts(mutant))

    def _contexts(self, mutant: Mutant) -> set[str]:
        if mutant.file not in self._by_line:
            self._by_line[mutant.file] = self._data.contexts_by_lineno(str(self.root / mutant.file))
        by_line = self._by_line[mutant.file]
        return {context for line in mutant.lines for context in by_line.get(line, ()) if context}

    def _by_turns(self, tests: set[str]) -> list[str]:
        ordered = sorted(tests, key=lambda test: (self._sizes[test], test))
        earlier: Counter[str] = Counter()
        turns = {}
        for test in ordered:
            name = test.partition("[")[0]
            turns[test] = earlier[name] // CASES
            earlier[name] += 1
        return sorted(ordered, key=lambda test: turns[test])

    def run(self, mutant: Mutant) -> dict[str, Any]:
        """Return whether tests kill the mutant, and the first that fails; `undecided` if the time ends before."""
        tests, left, done = self.tests(mutant)[:MAX_TESTS], SECONDS, 0
        while done < len(tests):
            chunk = tests[done : done + AT_ONCE]
            answer = self._mutated(mutant, chunk, left)
            left -= answer["seconds"]
            first = answer["first"]
            if first and first.startswith("timeout") and (left < 1 or self._ask(chunk, SECONDS)["first"]):
                return {"outcome": "undecided", "tests": done}
            if first:
                return {"outcome": "killed", "first": first}
            done += len(chunk)
        return {"outcome": "survived", "tests": done}

    def _mutated(self, mutant: Mutant, tests: Sequence[str], limit: float) -> dict[str, Any]:
        path = self.root / mutant.file
        whole, times = path.read_bytes(), path.stat()
        try:
            path.write_text(apply(mutant, whole.decode("utf-8")), encoding="utf-8", newline="\n")
            return self._ask(tests, limit)
        finally:
            path.write_bytes(whole)
            # What was compiled from the file stays valid.
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def _ask(self, tests: Sequence[str], limit: float) -> dict[str, Any]:
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        self._worker.stdin.write(json.dumps({"tests": tests, "limit": limit}) + "\n")
        self._worker.stdin.flush()
        found: dict[str, Any] = json.loads(self._worker.stdout.readline())
        return found


def _test(context: str) -> str:
    return context.rpartition("|")[0]


def drawn(old: Suite, new: Path) -> Iterator[dict[str, Mutant]]:
    """Yield mutants of the new checkout with the same of the old one, in the order in which they are drawn."""
    theirs = list(functions(old.root, ("embeddings", "server")))
    found = [(mutant, each) for each in functions(new, FOLDERS) for mutant in mutants(each)]
    random.Random(SEED).shuffle(found)
    for mutant, function in found:
        other = counterpart(mutant, function, theirs)
        if other and old.executes(other):
            yield {"old": other, "new": mutant}


class Progress:
    """What was found so far: a file of JSON lines, so that a run goes on where an earlier one ended."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self._found = {(row["suite"], row["number"]): row["found"] for row in map(json.loads, lines)}

    def add(self, suite: str, number: int, found: Mapping[str, Any]) -> None:
        """Store what a suite made of a mutant."""
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"suite": suite, "number": number, "found": found}) + "\n")
            self._found[suite, number] = found

    def get(self, suite: str, number: int) -> Mapping[str, Any] | None:
        """Return what a suite made of a mutant, if it is known."""
        return self._found.get((suite, number))


def run_all(suites: Mapping[str, Suite], pairs: Sequence[Mapping[str, Mutant]], progress: Progress) -> None:
    """Run each suite against its mutants, the suites beside each other."""

    def run_suite(name: str) -> None:
        for number, pair in enumerate(pairs):
            if progress.get(name, number) is None:
                progress.add(name, number, suites[name].run(pair[name]))

    with ThreadPoolExecutor(len(suites)) as pool:
        list(pool.map(run_suite, suites))


def results(suites: Mapping[str, Suite], pairs: Sequence[Mapping[str, Mutant]], progress: Progress) -> dict[str, Any]:
    """Return the mutants that both suites have run; reasons for survivors are kept from the stored results."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"mutants": []}
    reasons = {_key(row): row["reason"] for row in stored["mutants"] if "reason" in row}
    rows = []
    for number, pair in enumerate(pairs):
        found = {name: progress.get(name, number) for name in suites}
        row = {name: value for name, value in asdict(pair["new"]).items() if name != "lines"} | found
        if all(found.values()):
            rows.append(row | ({"reason": reasons[_key(row)]} if _key(row) in reasons else {}))
    return {"seed": SEED, "commits": {name: suite.commit for name, suite in suites.items()}, "mutants": rows}


def _key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("file", "function", "line", "before", "after"))


def table(stored: Mapping[str, Any]) -> str:
    """Return the stored results as Markdown: by room, how many mutants there are and how many each suite killed."""
    lines = ["| room | mutants | old tests kill | new tests kill | old alone | neither |", "|---|" + "---:|" * 5]
    for folder in (*FOLDERS, ""):
        rows = [row for row in stored["mutants"] if row["file"].startswith(f"{folder}/" if folder else "")]
        killed = Counter((row["old"]["outcome"] == "killed", row["new"]["outcome"] == "killed") for row in rows)
        both = killed[True, True]
        figures = (len(rows), both + killed[True, False], both + killed[False, True], killed[True, False])
        cells = " | ".join(map(str, (*figures, killed[False, False])))
        lines.append(f"| {f'`{folder}`' if folder else 'all'} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    """Run the mutants that have not been run, and print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--old", type=Path, required=True, metavar="FOLDER", help="checkout with the old tests")
    options.add_argument("--new", type=Path, required=True, metavar="FOLDER", help="checkout with the new tests")
    options.add_argument(
        "--progress", type=Path, required=True, metavar="FILE", help="JSON lines; a run goes on from it"
    )
    options.add_argument("--count", type=int, default=300, metavar="N", help="mutants to draw (default: 300)")
    options.add_argument("--write", action="store_true", help=f"store the results in {RESULTS.name}")
    chosen = options.parse_args()
    suites, progress = {"old": Suite(chosen.old), "new": Suite(chosen.new)}, Progress(chosen.progress)
    pairs = list(islice(drawn(suites["old"], chosen.new), chosen.count))
    run_all(suites, pairs, progress)
    found = results(suites, pairs, progress)
    if chosen.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8", newline="\n")
    print(table(found))


if __name__ == "__main__":
    main()
