import json
from pathlib import Path

import pytest

from server.errors import CallerError
from server.evals.recording import Call, Message, Recording, parse_recordings, read_recordings

LINE = '{"input": "undo?", "calls": [{"tool": "lookup_capability", "arguments": {"agent": "claude"}}]}'


def one(line: str) -> Recording:
    (recording,) = parse_recordings([line], "here")
    return recording


def refusal(path: Path) -> str:
    with pytest.raises(CallerError) as caught:
        read_recordings(path)
    return str(caught.value)


def write(folder: Path, text: str) -> Path:
    path = folder / "recorded.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_line_needs_no_more_than_an_input_and_unknown_fields_are_passed_over() -> None:
    recording = one(LINE)
    assert recording.calls == (Call(tool="lookup_capability", arguments={"agent": "claude"}),)
    assert (recording.tokens_in, recording.tokens_out, recording.ending) == (None, None, "answered")
    assert one('{"input": "hello"}').calls == ()
    assert one('{"input": "hello", "unheardOf": 1}') == Recording(input="hello")


def test_arguments_that_are_no_object_are_kept_as_they_are() -> None:
    for arguments in ['"{not json"', "null", "[1]", "3"]:
        recording = one(f'{{"input": "a", "calls": [{{"tool": "t", "arguments": {arguments}}}]}}')
        assert recording.calls[0].arguments == json.loads(arguments), arguments


def test_both_counts_make_the_tokens() -> None:
    assert one('{"input": "a", "tokensIn": 700, "tokensOut": 50}').tokens == 750
    for counts in ["", ', "tokensIn": 700', ', "tokensOut": 50', ', "tokensIn": 1, "tokensOut": null']:
        assert one(f'{{"input": "a"{counts}}}').tokens is None, counts
    assert one('{"input": "a", "tokensIn": 0, "tokensOut": 0}').tokens == 0


RECORDINGS = (
    Recording(input="plain"),
    Recording(
        input="whole",
        calls=(Call(tool="t", arguments={"agents": ["a", "b"], "n": None}), Call(tool="u", arguments="{broken")),
        tokens_in=3,
        tokens_out=0,
        ending="failed",
        error="429 again and again",
        messages=(Message(role="user", text="whole"), Message(role="tool", text="line\nbreak \u00e4 \U0001f600")),
    ),
    Recording(input="separators \u2028 \u2029 \u0085 within"),
)


def test_a_recording_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    for recording in RECORDINGS:
        assert read_recordings(write(tmp_path, recording.to_line() + "\n")) == [recording], recording


def test_a_recording_is_one_line_in_camel_case_without_what_is_absent() -> None:
    line = Recording(input="a\nb", tokens_in=3).to_line()
    assert "\n" not in line
    assert json.loads(line) == {"input": "a\nb", "calls": [], "tokensIn": 3, "ending": "answered", "messages": []}


def test_the_order_of_the_file_is_kept_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path, '\n{"input": "b"}\n  \n\n{"input": "a"}')
    assert [recording.input for recording in read_recordings(path)] == ["b", "a"]


def test_a_line_of_a_wrong_shape_is_refused_with_its_number_and_field(tmp_path: Path) -> None:
    cases = [
        ("nope", " is 'nope'"),
        ("[1]", " is [1]"),
        ('{"calls": []}', ": input is"),
        ('{"input": ""}', ": input is ''"),
        ('{"input": "a", "calls": null}', ": calls is None"),
        ('{"input": "a", "calls": [{"arguments": {}}]}', ": calls.0.tool is"),
        ('{"input": "a", "calls": [{"tool": 3}]}', ": calls.0.tool is 3"),
        ('{"input": "a", "tokensIn": -1}', ": tokensIn is -1"),
        ('{"input": "a", "tokensOut": "many"}', ": tokensOut is 'many'"),
        ('{"input": "a", "ending": "bored"}', ": ending is 'bored'"),
    ]
    for line, wrong in cases:
        assert f"recorded.jsonl, line 3{wrong}" in refusal(write(tmp_path, f"{LINE}\n\n{line}\n")), line


def test_an_input_that_stands_twice_is_refused(tmp_path: Path) -> None:
    assert "has the input 'undo?' twice" in refusal(write(tmp_path, f"{LINE}\n{LINE}\n"))


def test_a_file_without_recordings_is_refused(tmp_path: Path) -> None:
    for text in ["", "\n \n"]:
        assert "holds no recordings" in refusal(write(tmp_path, text)), text
    path = tmp_path / "recorded.jsonl"
    path.write_bytes(b'{"input": "\xff"}')
    assert "they must be UTF-8 JSON lines" in refusal(path)
    assert "missing.jsonl" in refusal(tmp_path / "missing.jsonl")
