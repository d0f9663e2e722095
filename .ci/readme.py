"""The README kept true: its tool table written from code, its commands run.

python .ci/readme.py measure   store what the matcher makes of the labelled queries, and the router of the prompts
python .ci/readme.py write     write the generated parts
python .ci/readme.py check     exit 1 when they are out of date
python .ci/readme.py commands  print a shell script of its sh and python blocks, in order
"""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
README: Final = ROOT / "README.md"
ACCURACY: Final = ROOT / "benchmarks" / "results" / "accuracy.json"
ROUTER: Final = ROOT / "benchmarks" / "results" / "router.json"
LOAD: Final = ROOT / "benchmarks" / "results" / "http_load.json"
MEASURED: Final = ("held_out_kinds", "held_out_needs", "apart_kinds", "apart_needs")
BLOCK: Final = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

sys.path.insert(0, str(ROOT))


def tool_table() -> str:
    """The tools as a Markdown table."""
    from server.schemas import wire_schema
    from server.tools.registry import TOOLS

    lines = ["| family | tool | arguments | what it answers |", "|---|---|---|---|"]
    for tool in TOOLS:
        schema = wire_schema(tool.request)
        required = schema.get("required", [])
        names = schema.get("properties", {})
        arguments = ", ".join(f"`{name}`" + ("" if name in required else "?") for name in names)
        lines.append(f"| `{tool.family}` | `{tool.name}` | {arguments} | {tool.description} |")
    return "\n".join(lines)


def measure_accuracy() -> None:
    """Store what the shipped matcher makes of the labelled queries."""
    from embeddings.evaluation import evaluate
    from server.cli.eval_matcher import read_queries
    from server.paths import shipped_data
    from server.service import open_service

    matcher = open_service(shipped_data()).matchers.load()
    found = {}
    for name in MEASURED:
        queries = read_queries(ROOT / "benchmarks" / f"{name}.jsonl")
        found[name] = evaluate(queries, [matcher.match(query.query) for query in queries]).to_dict()
    ACCURACY.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8", newline="\n")


def accuracy_table() -> str:
    """The stored figures of the labelled queries."""
    names = ("top1", "top3", "coverage", "precision", "falseResolve", "auroc", "ece")
    lines = ["| queries | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for name, figures in json.loads(ACCURACY.read_text(encoding="utf-8")).items():
        strata = figures["strata"].items()
        rows = {f"`{name}`": figures} | {f"of these, {kind}": values for kind, values in strata if "top1" in values}
        for label, values in list(rows.items())[: len(rows) if len(strata) > 2 else 1]:
            lines.append(f"| {label} | " + " | ".join(_shown(values.get(figure)) for figure in names) + " |")
    return "\n".join(lines)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def peer_table() -> str:
    """The stored results of `benchmarks.matching`."""
    from benchmarks.matching_report import FOLDER, readme

    return readme(json.loads((FOLDER / "matching.json").read_text(encoding="utf-8"))["results"])


def encoder_table() -> str:
    """The stored results of `benchmarks.encoder`."""
    from benchmarks.encoder_report import FOLDER, readme

    return readme(json.loads((FOLDER / "encoder.json").read_text(encoding="utf-8"))["results"])


def measure_router() -> None:
    """Store what the router makes of the prompts."""
    import anyio

    from server.harness.evaluate import Options, evaluate
    from server.paths import shipped_data
    from server.service import open_service

    service = open_service(shipped_data())
    found = {}
    for name, path in {"ours": None, "held out": ROOT / "benchmarks" / "held_out_prompts.json"}.items():
        options = Options(path, None, None, None, 1, 1, None, shipped_data())
        _, scores = anyio.run(evaluate, service, options)
        found[name] = {kind: figures.to_dict() for kind, figures in ({"all": scores.figures} | scores.strata).items()}
    ROUTER.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8", newline="\n")


def router_table() -> str:
    """The stored figures of the router."""
    names = ("prompts", "invocationAccuracy", "argumentAccuracy", "retryRate", "tokenRatio")
    lines = ["| prompts | " + " | ".join(("count", *names[1:])) + " |", "|---|" + "---:|" * len(names)]
    for suite, kinds in json.loads(ROUTER.read_text(encoding="utf-8")).items():
        for kind, figures in kinds.items():
            label = f"**{suite}**" if kind == "all" else f"of these, {kind}"
            shown = [str(figures["prompts"]), *(_shown(figures[name]) for name in names[1:])]
            lines.append(f"| {label} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def intent_table() -> str:
    """The stored results of `benchmarks.intents`."""
    from benchmarks.intents import RESULTS, table

    return table(json.loads(RESULTS.read_text(encoding="utf-8")))


def token_tables() -> str:
    """What `benchmarks.tokens` counts: by start, and by scenario."""
    import anyio

    from benchmarks.tokens import measure, table

    found = anyio.run(measure)
    return f"{table(found['starts'])}\n\n{table(found['scenarios'])}"


def load_table() -> str:
    """The stored results of `benchmarks.http_load`."""
    stored = json.loads(LOAD.read_text(encoding="utf-8"))
    lines = ["| server | clients | calls | outcomes | calls a second | median | p99 | memory |", "|---|" + "---:|" * 7]
    for name, figures in stored["results"].items():
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in figures["outcomes"].items())
        times = f"{figures['median'] * 1e3:,.0f} ms | {figures['p99'] * 1e3:,.0f} ms"
        memory = ", then ".join(f"{megabytes:.0f}" for megabytes in figures["memory"])
        lines.append(
            f"| {name} | {figures['clients']} | {figures['calls']:,} | {outcomes} | {figures['callsPerSecond']:.0f} | "
            f"{times} | {memory} MB |"
        )
    machine = stored["machine"]
    lines += ["", f"{machine['cores']} cores of {machine['processor']} ({', '.join(machine['instructions'])})."]
    return "\n".join(lines)


def generated(text: str) -> str:
    """The README with the generated parts as they should be."""
    for name, part in {
        "tools": tool_table,
        "accuracy": accuracy_table,
        "peers": peer_table,
        "encoder": encoder_table,
        "intents": intent_table,
        "tokens": token_tables,
        "router": router_table,
        "load": load_table,
    }.items():
        begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}\n{part()}\n{end}{after}"
    return text


def commands(text: str) -> str:
    """The README's blocks as one script that stops at the first failure and shows what it runs."""
    lines = ["set -euo pipefail"]
    for language, block in BLOCK.findall(text):
        lines.append(f"printf '%s' {shlex.quote('+ ' + block)} >&2")
        lines.append(block if language == "sh" else f".venv/bin/python - <<'END_OF_BLOCK'\n{block}END_OF_BLOCK")
    return "\n".join(lines)


def main(action: str) -> int:
    """Do one of the four things. Returns the exit status."""
    text = README.read_text(encoding="utf-8")
    if action == "commands":
        print(commands(text))
    elif action == "measure":
        measure_accuracy()
        measure_router()
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
