"""The commands of the documentation as one shell script, and what they answer compared with what is written.

A page's `sh` and `python` blocks run in order. A block marked with `<!-- answers -->` shows what the block before it
prints: each of its lines must occur, in that order. `...` in a line stands for any text, a line of `...` alone for any
lines, and a number with a point or a percent sign may differ by 3 in 100, because processors round the model's products
differently.

python .ci/docs_script.py compare PRINTED < EXPECTED   exit 1 when an expected line is missing
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
    """The blocks of a page.

    Raises:
        ValueError: an answer does not follow the block that it belongs to.
    """
    found = [Block(each["language"], each["code"], each["answers"]) for each in BLOCK.finditer(text)]
    marks, used = text.count(MARK), sum(block.answers is not None for block in found)
    if marks != used:
        raise ValueError(
            f"{marks} blocks are marked {MARK!r}, {used} of them follow a block that is run; such a block stands "
            "right after an sh or python block and is fenced as text, console or json; move it there"
        )
    return found


def script(pages: Iterable[str]) -> str:
    """The blocks of all pages as one script that stops at the first failure and shows what it runs."""
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
    """The first expected line that is not printed after the lines before it; None when all are there."""
    remaining = iter(printed.splitlines())
    for wanted in expected.splitlines():
        if wanted.strip() in {"", ANYTHING}:
            continue
        if not any(_same(wanted.strip(), line.strip()) for line in remaining):
            return wanted
    return None


def _same(wanted: str, line: str) -> bool:
    """Whether a line is the wanted one, `...` and rounding aside."""
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
    line = missing(sys.stdin.read(), printed.read_text(encoding="utf-8"))
    if line is None:
        return 0
    print(
        f"the documentation shows {line!r}, which the block before it did not print in that place; "
        "correct the documentation or what it shows",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "compare":
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[2])))
