"""The results of a run as one HTML page that needs no other file: tables, bars, and a transcript of every miss."""

from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from server.evals.formats.prompt_result import PromptResult
from server.evals.formats.recording import Message
from server.evals.formats.results import Results
from server.evals.reports.chart import chart_of
from server.evals.reports.formatting import METRIC_NAMES, expected_text, message_text, metrics_row, title
from server.page_style import STYLE

TEMPLATE: Final = "report.html.jinja"


def to_html(model: str, results: Results) -> str:
    """Render the page; the same results give the same bytes."""
    strata = {"all": results.metrics} | results.strata
    return _template().render(
        style=STYLE,
        model=title(model, results),
        metric_names=("stratum", *METRIC_NAMES),
        metrics=[metrics_row(name, metrics) for name, metrics in strata.items()],
        chart=chart_of(strata),
        confusion=[[expected, called, str(count)] for (expected, called), count in results.confusion.items()],
        scenarios=[
            [each.name, "yes" if each.within else "no", str(each.calls), f"{each.min_calls} to {each.max_calls}"]
            for each in results.scenarios
        ],
        misses=[_miss(result) for result in results.misses],
        unsettled=[(result.prompt.input, "; ".join(result.prompt.settles)) for result in results.unsettled],
        failures=results.failures,
        missing=len(results.missing),
    )


def _miss(result: PromptResult) -> dict[str, Any]:
    """What the page shows of a miss; for a recording without messages, only its calls."""
    messages = result.recording.messages or tuple(
        Message(role="assistant", calls=(call,)) for call in result.recording.calls
    )
    return {
        "input": result.prompt.input,
        "stratum": result.prompt.stratum,
        "ending": result.recording.ending,
        "expected": expected_text(result),
        "messages": [(message.role, message_text(message)) for message in messages],
    }


@cache
def _template() -> Template:
    # Prompts and replies may contain markup, so every value is escaped.
    environment = Environment(
        loader=PackageLoader("server.evals.reports", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.tests["number"] = _is_number
    return environment.get_template(TEMPLATE)


def _is_number(cell: str) -> bool:
    """Whether a cell is aligned to the right: a number, a percentage, or the dash for no value."""
    return cell == "-" or cell.rstrip("%").replace(".", "").isdecimal()
