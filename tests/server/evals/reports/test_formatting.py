from server.evals.recording import Call
from server.evals.reports import call_text, share


def test_a_call_is_shown_with_whatever_it_was_called_with() -> None:
    cases: list[tuple[Call, str]] = [
        (Call(tool="t", arguments={}), "t"),
        (Call(tool="t", arguments={"a": "x", "b": [1]}), "t(a='x', b=[1])"),
        (Call(tool="t", arguments="{broken"), "t('{broken')"),
        (Call(tool="t", arguments=None), "t(None)"),
    ]
    for call, text in cases:
        assert call_text(call.tool, call.arguments) == text, call


def test_a_share_is_shown_to_a_tenth_of_a_percent() -> None:
    cases: list[tuple[float | None, str]] = [(None, "-"), (0.0, "0.0%"), (2 / 3, "66.7%"), (1.0, "100.0%")]
    for value, text in cases:
        assert share(value) == text, value
