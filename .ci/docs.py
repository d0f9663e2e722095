"""The documentation kept true: its tables are made from code and stored results, its commands are run.

python .ci/docs.py measure               store the matcher's figures on the labelled queries
python .ci/docs.py write                 write the generated parts of README.md and docs/*.md, and the
                                         picture of the terminal
python .ci/docs.py check                 exit 1 when they are out of date
python .ci/docs.py commands [FILE ...]   print a shell script of the sh and python blocks of README.md and docs/*.md,
                                         or of some files, which also checks what the pages say the blocks print
"""

import re
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
MARKED: Final = re.compile(r"<!-- (?P<name>[a-z-]+):begin -->\n.*?<!-- (?P=name):end -->", re.DOTALL)

sys.path.insert(0, str(ROOT))


def pages() -> list[Path]:
    """Return the README first, as the pages of docs/ use what it installs."""
    return [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]


def generated(text: str) -> str:
    """Return a page with its generated parts as they should be.

    Raises:
        KeyError: a part has no maker.
    """
    from docs_parts import PARTS

    def part(found: re.Match[str]) -> str:
        name = found["name"]
        return f"<!-- {name}:begin -->\n{PARTS[name]()}\n<!-- {name}:end -->"

    return MARKED.sub(part, text)


def outdated() -> dict[Path, str]:
    """Files that are not as they should be, or whose generated parts are not, with their text as it should be."""
    from docs_pictures import TERMINAL, terminal

    texts = {path: path.read_text(encoding="utf-8") for path in pages()}
    wanted = {path: generated(text) for path, text in texts.items()} | {TERMINAL: terminal()}
    texts[TERMINAL] = TERMINAL.read_text(encoding="utf-8") if TERMINAL.exists() else ""
    return {path: text for path, text in wanted.items() if text != texts[path]}


def write() -> int:
    """Write the generated parts."""
    for path, text in outdated().items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


def check() -> int:
    """Say which pages are out of date. Returns the exit status."""
    old = [str(path.relative_to(ROOT)) for path in outdated()]
    if old:
        print(f"{', '.join(old)} out of date; run: python .ci/docs.py write", file=sys.stderr)
    return 1 if old else 0


def measure() -> int:
    """Store the figures that have no benchmark of their own."""
    from docs_measure import measure_accuracy

    measure_accuracy()
    return 0


def commands(files: list[str]) -> int:
    """Print the script of some pages, of all when none is named."""
    from docs_script import script

    chosen = [Path(file) for file in files] or pages()
    print(script(path.read_text(encoding="utf-8") for path in chosen))
    return 0


def main(action: str, *files: str) -> int:
    """Do one of the four things. Returns the exit status."""
    if action == "commands":
        return commands(list(files))
    actions = {"measure": measure, "write": write, "check": check}
    if action not in actions or files:
        print(__doc__, file=sys.stderr)
        return 2
    return actions[action]()


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or [""])))
