"""The catalogs and queries that stores are compared with memory on."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchmarks import labelled_data
from benchmarks.gateways.tool_set import own_servers
from benchmarks.labelled_data import Case, read_rows
from embeddings.labels.phrase_book import PhraseBook
from embeddings.metrics import LabelledQuery

_FOLDER: Final = Path(__file__).resolve().parent
REQUESTS: Final = _FOLDER / "gateway_requests.jsonl"
SHIPPED: Final = ("dev", "held_out_kinds", "held_out_needs", "held_out_threads", "apart_kinds", "apart_needs")

PHRASES: Final = (10, 100)
"""Training phrases of an intent of CLINC150; it has 100."""

TOOLS: Final = (510, 2000)
"""Numbers of tools: a catalog that is read as a whole, and one of whose labels some are proposed."""

TOPICS: Final = (
    *("invoice", "weather", "garden", "library", "hospital", "museum", "airport", "kitchen", "theatre", "school"),
    *("laboratory", "warehouse", "farm", "hotel", "harbour", "orchestra"),
)
"""Subjects of copies of the tools, added until there are as many tools as wanted."""

HARD: Final = 60
"""Queries of a case, evenly spread, that are also asked in each of the ways of `hard`."""

FOREIGN: Final = (
    *("wie kann ich das wieder rückgängig machen", "comment changer mon mot de passe", "quiero ver mis archivos"),
    *("hoeveel geld staat er op mijn rekening", "come posso cancellare la prenotazione", "jak mogę to włączyć"),
    *("как отменить последнее изменение", "怎么取消我的订单", "リポジトリの問題を一覧表示する", "اعرض لي الملفات"),
    *(
        "mostre os pedidos abertos",
        "hur lägger jag till en påminnelse",
        "kannst du die Datei öffnen und den Text ändern",
    ),
)
STORY: Final = (
    "I have been at this since early this morning and my coffee went cold twice before I even sat down properly. My "
    "colleague next door keeps telling me that it worked for him last week, which does not help me at all right now. "
    "We talked about it over lunch, then the phone rang, and after that I had forgotten what I had tried already. "
)


def shipped() -> Case:
    """Return the shipped catalog, with the labelled queries of this folder."""
    rows = [row for name in SHIPPED for row in read_rows(_FOLDER / f"{name}.jsonl")]
    queries = tuple(LabelledQuery(row["query"], tuple(row["gold"]), row.get("stratum", "")) for row in rows)
    return Case("shipped", 0, labelled_data.shipped_book(), queries)


def clinc(path: Path) -> Iterator[Case]:
    """CLINC150 with few phrases an intent, and with all."""
    content = json.loads(path.read_text(encoding="utf-8"))
    queries = next(labelled_data.clinc(path, 1)).queries
    for count in PHRASES:
        yield Case(f"clinc150-{count}", 0, labelled_data.clinc_book(content, count, 0), queries)


def thin_tools(path: Path, count: int) -> Case:
    """Tools of servers, without examples, and copies of them for other topics; requests for both.

    Args:
        path: `{"server": {"tools": [...]}}`.
        count: number of tools.
    """
    given = own_servers("servers", path, REQUESTS)
    servers: dict[str, Any] = dict(given.servers)
    left = count - len(given.keys)
    queries = [LabelledQuery(each.text, tuple(map("/".join, each.tools)), "plain") for each in given.requests]
    for topic in TOPICS:
        copied: dict[str, dict[str, list[dict[str, Any]]]] = {
            f"{topic}-{server}": {"tools": []} for server in given.servers
        }
        for server, tool in [(server, tool) for server, listed in given.servers.items() for tool in listed["tools"]]:
            if left > 0:
                left -= 1
                copied[f"{topic}-{server}"]["tools"].append(_about(tool, topic))
        there = {(server, tool["name"]) for server, listed in copied.items() for tool in listed["tools"]}
        for each in given.requests:
            gold = [f"{topic}-{server}/{tool}" for server, tool in each.tools if (f"{topic}-{server}", tool) in there]
            if gold:
                queries.append(LabelledQuery(f"for the {topic}, {each.text}", tuple(gold), "plain"))
        servers |= {server: listed for server, listed in copied.items() if listed["tools"]}
    return Case(f"tools-{count}", 0, PhraseBook.from_dict(servers), tuple(queries))


def hard(case: Case) -> Case:
    """Return hard versions of a case's queries: typing errors, two needs, refusals, stories, fragments.

    The right label stays right where there is one need; queries with two, or in other languages, have no label here.
    """
    chosen = case.queries[:: max(1, len(case.queries) // HARD)]
    found = [LabelledQuery(text, (), "foreign") for text in FOREIGN]
    for place, query in enumerate(chosen):
        other, text = chosen[(place + len(chosen) // 2) % len(chosen)], query.query
        found += [
            replace(query, query=_typed(text), stratum="typo"),
            LabelledQuery(f"{text}, and then please {other.query}", (), "two needs"),
            replace(query, query=f"I don't want to {other.query}, I want to {text}", stratum="refusal"),
            replace(query, query=f"{STORY}{text}. {STORY}Thanks a lot!", stratum="story"),
            LabelledQuery(" ".join(text.split()[:2]), (), "fragment"),
            LabelledQuery(f"ich möchte bitte {text}, aber es geht nicht", (), "foreign"),
        ]
    for label in case.book.labels[:: max(1, len(case.book.labels) // HARD)]:
        found.append(LabelledQuery(label.name.replace("_", " ").split()[-1], (), "fragment"))
    return replace(case, data=f"{case.data}, hard", queries=tuple(found))


def _typed(text: str) -> str:
    """Return a text with two letters of its longest word exchanged, and one of the next left out."""
    words = text.split()
    first, *others = sorted(range(len(words)), key=lambda place: -len(words[place]))[:2]
    middle = len(words[first]) // 2
    longest = words[first]
    words[first] = longest[: middle - 1] + longest[middle : middle + 1] + longest[middle - 1 : middle]
    words[first] += longest[middle + 1 :]
    for place in others:
        words[place] = words[place][:2] + words[place][3:]
    return " ".join(words)


def _about(tool: Mapping[str, Any], topic: str) -> dict[str, Any]:
    return {**tool, "description": f"For the {topic}: {tool.get('description', '')}"}
