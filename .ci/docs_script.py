"""The commands of the documentation as one shell script, and what they answer compared with what is written.

A page's `sh` and `python` blocks run in order. A block marked with `<!-- answers -->` shows what the block before it
prints: each of its lines must occur, in that order. `...` in a line stands for any text, a line of `...` alone for any
lines, and a number with a point or a percent sign may differ by 3 in 100, because processors round the model's products
differently. A block that asks the catalog has such an answer; where the command did not settle on one capability or
label, the page must show that it did not.

python .ci/docs_script.py compare PRINTED < EXPECTED   exit 1 when an expected line is missing, or when
                                                       an answer is not settled and the page does not say so
"""

import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

BLOCK: Final = re.compile(
    r"^```(?P<language>sh|python)\n(?P<code>.*?)^```$"
    r"(?:\s*^<!-- answers -->\s*^```(?:text|console|json)\n(?P<answers>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
MARK: Final = "<!-- answers -->"
TOLERANCE: Final = 0.03
"""Of a shown probability, as a fraction: rounding moves those in the middle by a percent or two."""

ASKS: Final = re.compile(r"agent-capabilities (?:lookup|compare|recommend|parity|list|sources|match|config|doctor)\b")
"""A command that answers."""

UNSETTLED: Final = re.compile(
    r"' (?:could mean several capabilities|may mean another capability than this):|' fits no capability"
    r"|': (?:ambiguous|no_match)|\"decision\": ?\"(?:ambiguous|no_match)"
)
"""How an answer says that its phrase was not resolved, in a command's text and in JSON."""

ANYTHING: Final = "..."
NUMBER: Final = re.compile(r"\d+(?:\.\d+)?%|\d+\.\d+")

PREAMBLE: Final = """\
set -euo pipefail
printed=$(mktemp)
# A failed block shows what it printed; a server that was left running is ended.
trap 'status=$?; [ $status = 0 ] || cat "$printed" >&2; kill $(jobs -p) 2>/dev/null || true; rm -f "$printed"' EXIT
compare() { cat "$printed"; python3 .ci/docs_script.py compare "$printed"; : > "$printed"; }
"""


class Block(NamedTuple):
    """One block of a page.

    Attributes:
        language: `sh` or `python`.
        code: what is run.
        answers: what it must print, if the page shows that.
    """

    language: str
    code: str
    answers: str | None


def blocks(text: str) -> list[Block]:
    """Return the blocks of a page.

    Raises:
        ValueError: an answer does not follow the block that it belongs to, or a block asks and no answer is shown.
    """
    found = [Block(each["language"], each["code"], each["answers"]) for each in BLOCK.finditer(text)]
    marks, used = text.count(MARK), sum(block.answers is not None for block in found)
    if marks != used:
        raise ValueError(
            f"{marks} blocks are marked {MARK!r}, {used} of them follow a block that is run; such a block stands "
            "right after an sh or python block and is fenced as text, console or json; move it there"
        )
    for block in found:
        if block.answers is None and ASKS.search(block.code):
            raise ValueError(
                f"the block {block.code!r} asks for an answer that the page does not show; what a command answers is "
                f"checked, not only that it runs; add a block marked {MARK!r} with the lines that matter"
            )
    return found


def script(pages: Iterable[str]) -> str:
    """Return the blocks of all pages as one script that stops at the first failure and shows what it runs."""
    lines = [PREAMBLE]
    for block in (block for page in pages for block in blocks(page)):
        lines.append(f"printf '%s' {shlex.quote('+ ' + block.code)} >&2")
        code = block.code if block.language == "sh" else _python(block.code)
        if block.answers is None:
            lines.append(code)
        else:
            lines.append(f"{{\n{code}}} > \"$printed\"\ncompare <<'END_OF_ANSWERS'\n{block.answers}END_OF_ANSWERS")
    return "\n".join(lines)


def _python(code: str) -> str:
    return f".venv/bin/python - <<'END_OF_BLOCK'\n{code}END_OF_BLOCK\n"


def missing(expected: str, printed: str) -> str | None:
    """Return the first expected line that is not printed after the lines before it; None when all are there."""
    remaining = iter(printed.splitlines())
    for wanted in expected.splitlines():
        if wanted.strip() in {"", ANYTHING}:
            continue
        if not any(_same(wanted.strip(), line.strip()) for line in remaining):
            return wanted
    return None


def unsettled(expected: str, printed: str) -> str | None:
    """Return the first printed line that says that a phrase was not resolved while no expected line says so.

    None if none.
    """
    told = [line.strip() for line in expected.splitlines() if UNSETTLED.search(line)]
    for line in printed.splitlines():
        if UNSETTLED.search(line) and not any(_same(wanted, line.strip()) for wanted in told):
            return line
    return None


def _same(wanted: str, line: str) -> bool:
    """Return whether a line is the wanted one, `...` and rounding aside."""
    pieces = [re.escape(piece).replace(re.escape(ANYTHING), ".*") for piece in NUMBER.split(wanted)]
    found = re.fullmatch(f"({NUMBER.pattern})".join(pieces), line)
    if found is None:
        return False
    pairs = zip(NUMBER.findall(wanted), found.groups(), strict=True)
    return all(abs(_value(one) - _value(other)) <= TOLERANCE for one, other in pairs)


def _value(number: str) -> float:
    return float(number.removesuffix("%")) / 100 if number.endswith("%") else float(number)


def main(printed: Path) -> int:
    """Compare a file with the expected lines on standard input. Returns the exit status."""
    expected, found = sys.stdin.read(), printed.read_text(encoding="utf-8")
    if line := missing(expected, found):
        fault = f"shows {line!r}, which the block before it did not print in that place"
    elif line := unsettled(expected, found):
        fault = f"does not show that the block before it printed {line!r}"
    else:
        return 0
    print(f"the documentation {fault}; correct the documentation or what it shows", file=sys.stderr)
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "compare":
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[2])))
