"""The README kept true: its tool table written from code, its commands run.

python .ci/readme.py write     write the generated parts
python .ci/readme.py check     exit 1 when they are out of date
python .ci/readme.py commands  print a shell script of its sh and python blocks, in order
"""

import re
import shlex
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
README: Final = ROOT / "README.md"
BLOCK: Final = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

sys.path.insert(0, str(ROOT))


def tool_table() -> str:
    """The tools as a Markdown table."""
    from server.schemas import wire_schema
    from server.tools.registry import TOOLS

    lines = ["| tool | arguments | what it answers |", "|---|---|---|"]
    for tool in TOOLS:
        schema = wire_schema(tool.request)
        required = schema.get("required", [])
        arguments = ", ".join(f"`{name}`" + ("" if name in required else "?") for name in schema["properties"])
        lines.append(f"| `{tool.name}` | {arguments} | {tool.description} |")
    return "\n".join(lines)


def generated(text: str) -> str:
    """The README with the generated parts as they should be."""
    begin, end = "<!-- tools:begin -->", "<!-- tools:end -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{tool_table()}\n{end}{after}"


def commands(text: str) -> str:
    """The README's blocks as one script that stops at the first failure and shows what it runs."""
    lines = ["set -euo pipefail"]
    for language, block in BLOCK.findall(text):
        lines.append(f"printf '%s' {shlex.quote('+ ' + block)} >&2")
        lines.append(block if language == "sh" else f".venv/bin/python - <<'END_OF_BLOCK'\n{block}END_OF_BLOCK")
    return "\n".join(lines)


def main(action: str) -> int:
    """Do one of the three things. Returns the exit status."""
    text = README.read_text(encoding="utf-8")
    if action == "commands":
        print(commands(text))
    elif action == "write":
        README.write_text(generated(text), encoding="utf-8", newline="\n")
    elif action == "check":
        if generated(text) != text:
            print("README.md is out of date; run: python .ci/readme.py write", file=sys.stderr)
            return 1
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
