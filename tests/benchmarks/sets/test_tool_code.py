"""Tools are read from Python files without running them."""

import json
from pathlib import Path

from benchmarks.sets.tool_code import apibank, workbench

CODE = '''
raise SystemExit("must not run")

@tool("email.send", return_direct=False)
def send(to):
    """Sends an email.

    Parameters
    """

def helper():
    """Helps."""
'''


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_workbench(root: Path, *rows: str) -> None:
    write(root / "src/tools/email.py", CODE)
    text = "\n".join(["query,answer,chosen_template", *rows])
    write(root / "data/processed/queries_and_answers/email.csv", text)


def test_functions_with_a_tool_name_are_labels(tmp_path: Path) -> None:
    write_workbench(tmp_path)
    assert [(label.name, label.description) for label in workbench(tmp_path).labels] == [
        ("email.send", "Sends an email.")
    ]


def test_requests_under_a_condition_and_repeated_templates_are_left_out(tmp_path: Path) -> None:
    rows = [f"write to {name},email.send.func(),t" for name in ("Ann", "Bob", "Cid")]
    write_workbench(tmp_path, "If nobody wrote send a mail,email.send.func(),u", *rows)
    assert [query.query for query in workbench(tmp_path).queries] == ["write to Ann", "write to Bob"]


def test_dialogs_of_apibank_that_need_one_api_give_their_opening(tmp_path: Path) -> None:
    text = '类名,api_info\nAddAlarm,"description = ""Sets an alarm.""\n"\n'
    write(tmp_path / "api-bank/data/all_apis.csv", text)
    turns = [
        {"role": "User", "text": "wake me at seven tomorrow please"},
        {"role": "API", "api_name": "GetUserToken"},
        {"role": "API", "api_name": "AddAlarm"},
    ]
    lines = "\n".join(json.dumps(turn) for turn in turns)
    write(tmp_path / "api-bank/lv1-lv2-samples/level-1/a.jsonl", lines)
    read = apibank(tmp_path)
    assert [label.description for label in read.labels] == ["Sets an alarm."]
    assert [(query.query, query.gold) for query in read.queries] == [
        ("wake me at seven tomorrow please", ("AddAlarm",))
    ]
