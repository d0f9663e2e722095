import pytest

from server.evals.formats.recording import Call
from server.evals.reports.formatting import call_text, share


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call(tool="t", arguments={}), "t"),
        (Call(tool="t", arguments={"a": "x", "b": [1]}), "t(a='x', b=[1])"),
        (Call(tool="t", arguments="{broken"), "t('{broken')"),
        (Call(tool="t", arguments=None), "t(None)"),
    ],
)
def test_a_call_is_shown_with_whatever_it_was_called_with(call: Call, text: str) -> None:
    assert call_text(call.tool, call.arguments) == text


@pytest.mark.parametrize(("value", "text"), [(None, "-"), (0.0, "0.0%"), (2 / 3, "66.7%"), (1.0, "100.0%")])
def test_a_share_is_shown_to_a_tenth_of_a_percent(value: float | None, text: str) -> None:
    assert share(value) == text
