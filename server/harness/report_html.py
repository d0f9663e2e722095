"""A run's results as one page that needs nothing else: tables, bars as SVG, every miss with its transcript."""

from collections.abc import Sequence
from html import escape
from typing import Final

from server.harness.recording import Exchange
from server.harness.report import call_text, figure_row, message_text, share
from server.harness.scores import Figures, Judged, Scores

_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2433}"
    "table{border-collapse:collapse;margin:1rem 0}th,td{padding:.3rem .8rem;border-bottom:1px solid #d5dae3;"
    "text-align:left}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "details{margin:.6rem 0;padding:.4rem .8rem;border:1px solid #d5dae3;border-radius:.4rem}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f5f6f9;padding:.5rem;margin:.3rem 0}"
    "@media(prefers-color-scheme:dark){body{background:#14171d;color:#e6e9ef}pre{background:#20242c}}"
)
_BARS: Final = (("invocation", "#2f6fde"), ("arguments", "#2a9d6f"), ("retries", "#d1653a"))
_BAR_WIDTH: Final = 360
_BAR_HEIGHT: Final = 14
_LABEL_WIDTH: Final = 130


def to_html(model: str, scores: Scores) -> str:
    """The page; the same scores give the same bytes."""
    rows = {"all": scores.figures} | scores.strata
    parts = [
        f"<h1>{escape(model)}</h1>",
        _figure_table(rows),
        _chart(rows),
        "<h2>Expected and called</h2>",
        _table(
            ("expected", "called", "prompts"),
            [[expected, called, str(count)] for (expected, called), count in scores.confusion.items()],
        ),
    ]
    if scores.steps:
        steps = [
            [each.name, "yes" if each.within else "no", str(each.calls), f"{each.least} to {each.most}"]
            for each in scores.steps
        ]
        parts += ["<h2>Scenarios</h2>", _table(("scenario", "within", "calls", "expected"), steps)]
    if scores.misses:
        parts += [f"<h2>{len(scores.misses)} misses</h2>", *map(_miss, scores.misses)]
    parts += [
        f"<p>failed: {escape(failed.input)} ({escape(failed.error or 'unknown reason')})</p>"
        for failed in scores.failures
    ]
    if scores.missing:
        parts.append(f"<p>{len(scores.missing)} prompts were not recorded and are not counted.</p>")
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(model)}: tool calls</title>\n<style>{_STYLE}</style>\n{body}\n</html>\n"
    )


def _figure_table(rows: dict[str, Figures]) -> str:
    cells = [figure_row(name, each) for name, each in rows.items()]
    return _table(("stratum", "prompts", "invocation", "arguments", "retries", "tokens of baseline"), cells)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; cells that are figures stand to the right."""
    lines = ["<table>", "<tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr>"]
    for row in rows:
        cells = (f"<td{_side(cell)}>{escape(cell)}</td>" for cell in row)
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "\n".join([*lines, "</table>"])


def _side(cell: str) -> str:
    return ' class="n"' if cell.rstrip("%").replace(".", "").isdecimal() or cell == "-" else ""


def _chart(rows: dict[str, Figures]) -> str:
    """Bars for each stratum, from 0 to 100 %."""
    step = len(_BARS) * (_BAR_HEIGHT + 2) + 12
    drawn = []
    for place, (name, each) in enumerate(rows.items()):
        top = place * step
        drawn.append(f'<text x="0" y="{top + step / 2:.0f}" fill="currentColor">{escape(name)}</text>')
        values = (each.invocation_accuracy, each.argument_accuracy, each.retry_rate)
        for line, ((label, colour), value) in enumerate(zip(_BARS, values, strict=True)):
            y = top + line * (_BAR_HEIGHT + 2)
            width = _BAR_WIDTH * (value or 0.0)
            drawn.append(
                f'<rect x="{_LABEL_WIDTH}" y="{y}" width="{width:.1f}" height="{_BAR_HEIGHT}" fill="{colour}"/>'
                f'<text x="{_LABEL_WIDTH + width + 6:.1f}" y="{y + _BAR_HEIGHT - 2}" font-size="12" '
                f'fill="currentColor">{label} {share(value)}</text>'
            )
    height = step * len(rows)
    width = _LABEL_WIDTH + _BAR_WIDTH + 130
    return (
        f'<svg role="img" aria-label="the figures as bars" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(drawn)}</svg>'
    )


def _miss(judged: Judged) -> str:
    expected = " or ".join(call_text(each.tool or "no call", each.args) for each in judged.prompt.right)
    messages = judged.recording.messages or tuple(
        Exchange(role="assistant", calls=(call,)) for call in judged.recording.calls
    )
    return (
        f"<details><summary>{escape(judged.prompt.input)}</summary><p>{escape(judged.prompt.stratum)}, "
        f"{judged.recording.ending}; expected {escape(expected)}</p>{''.join(map(_message, messages))}</details>"
    )


def _message(message: Exchange) -> str:
    return f"<pre>{message.role}: {escape(message_text(message))}</pre>"
