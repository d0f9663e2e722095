import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from server.cli.inspect_run import Shown, application, can_open, chosen, open_browser
from server.cli.main import parser
from server.matching.label_service import LabelService
from server.matching.service import Service
from server.web.answers.label_detail import catalog_id
from tests.server.cli.commands import Commands
from tests.server.label_catalog import CATALOG, written

TOKEN = "the-token-of-this-run"
PORT = 4321
SITE = f"http://127.0.0.1:{PORT}"


def client_of(service: Any, port: int = PORT) -> httpx2.AsyncClient:
    app = application(Shown(service, None, "labels.json"), port=port, token=TOKEN)
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app, raise_app_exceptions=False), base_url=SITE)


@pytest.mark.anyio
async def test_a_catalog_of_agents_has_every_view_and_one_of_labels_is_called_by_its_file(
    session_service: Service, labels: LabelService
) -> None:
    async with client_of(session_service) as client:
        about = (await client.get(f"/{TOKEN}/api/about")).json()
    assert about["views"] == ["try", "map", "agents", "health"]
    assert (about["title"], about["paths"]) == ("3 capabilities of 2 agents", True)
    async with client_of(labels) as client:
        about = (await client.get(f"/{TOKEN}/api/about")).json()
    assert (about["title"], about["kind"], about["views"]) == ("labels.json", "labels", ["try", "map", "health"])


@pytest.mark.anyio
async def test_the_page_is_asked_under_its_own_name_alone(session_service: Service) -> None:
    cases: list[tuple[dict[str, str], int]] = [
        ({}, 200),
        ({"Host": f"localhost:{PORT}"}, 200),
        ({"Host": f"[::1]:{PORT}"}, 200),
        ({"Host": f"127.0.0.1:{PORT + 1}"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": f"elsewhere.example:{PORT}"}, 403),
        ({"Origin": SITE}, 200),
        ({"Origin": f"http://localhost:{PORT}"}, 403),
        ({"Origin": "http://127.0.0.1:5000"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ]
    for headers, status in cases:
        async with client_of(session_service) as client:
            assert (await client.get(f"/{TOKEN}/api/about", headers=headers)).status_code == status, headers


@pytest.mark.anyio
async def test_on_the_port_of_the_scheme_browsers_name_none(session_service: Service) -> None:
    async with client_of(session_service, port=80) as client:
        assert (await client.get(f"/{TOKEN}/", headers={"Host": "127.0.0.1"})).status_code == 200


@pytest.mark.anyio
async def test_a_file_to_measure_may_be_named_by_its_path(session_service: Service, tmp_path: Path) -> None:
    file = tmp_path / "labelled.jsonl"
    file.write_text(json.dumps({"query": "undo it", "gold": ["Checkpoints"]}), encoding="utf-8")
    async with client_of(session_service) as client:
        by_path = await client.post(f"/{TOKEN}/api/coverage", params={"path": str(file)})
        sent = await client.post(f"/{TOKEN}/api/coverage", content=file.read_bytes())
    assert by_path.json() == sent.json()
    assert by_path.json()["queries"] == 1


@pytest.mark.anyio
async def test_a_path_that_cannot_be_read_or_has_a_body_beside_it_is_the_callers_mistake(
    session_service: Service, tmp_path: Path
) -> None:
    for name in ["nowhere.jsonl", "", ".", "\0", "binary.jsonl"]:
        (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe")
        async with client_of(session_service) as client:
            response = await client.post(f"/{TOKEN}/api/coverage", params={"path": f"{tmp_path}/{name}"})
        assert response.status_code == 400, name
        assert len(response.json()["error"].split("; ")) >= 3, name
    async with client_of(session_service) as client:
        response = await client.post(f"/{TOKEN}/api/coverage", params={"path": str(tmp_path)}, content=b"{}")
    assert (response.status_code, "one file" in response.json()["error"]) == (400, True)


@pytest.mark.anyio
async def test_what_cannot_be_answered_is_told_in_three_parts(session_service: Service) -> None:
    cases = [
        ("match", 400, "'q' is missing"),
        ("match?q=", 400, "blank"),
        ("match?q=x&top=0", 400, "'top' is '0'"),
        ("match?q=x&top=1000", 400, "'top' is '1000'"),
        ("match?q=x&top=%D9%A3", 400, "'top' is '٣'"),
        ("label", 400, "'name' is missing"),
        ("label?name=nothing", 400, "nothing"),
        ("entry?agent=claude-code", 400, "'capability' is missing"),
        ("entry?agent=nobody&capability=Vision", 400, "nobody"),
    ]
    for path, status, said in cases:
        async with client_of(session_service) as client:
            response = await client.get(f"/{TOKEN}/api/{path}")
        assert response.status_code == status, path
        assert said in response.json()["error"], path
        assert len(response.json()["error"].split("; ")) >= 3, path


@pytest.mark.anyio
async def test_every_answer_names_the_catalog(session_service: Service) -> None:
    paths = ["about", "match?q=undo", "map", "label?name=Vision", "agents", "preflight"]
    paths.append("entry?agent=claude-code&capability=Vision")
    async with client_of(session_service) as client:
        answers = [(await client.get(f"/{TOKEN}/api/{path}")).json() for path in paths]
    assert {answer["catalog"] for answer in answers} == {catalog_id(session_service)}


@pytest.mark.anyio
async def test_a_degraded_catalog_has_no_map(degraded_service: Service) -> None:
    async with client_of(degraded_service) as client:
        response = await client.get(f"/{TOKEN}/api/map")
        about = (await client.get(f"/{TOKEN}/api/about")).json()
    assert response.status_code == 404
    assert len(response.json()["error"].split("; ")) >= 3
    assert about["catalog"].endswith("-degraded")


@pytest.fixture
def at_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("CI", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")


@pytest.mark.usefixtures("at_a_screen")
def test_a_browser_is_opened_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert can_open()
    monkeypatch.delenv("DISPLAY")
    assert not can_open()
    monkeypatch.setenv("BROWSER", "firefox")
    assert can_open()
    monkeypatch.setenv("CI", "true")
    assert not can_open()


@pytest.mark.parametrize("status", [0, 1])
def test_a_browser_that_cannot_be_opened_is_told_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=status))
    open_browser(f"{SITE}/{TOKEN}/")
    out, err = capsys.readouterr()
    assert out == ""
    assert ("could not be opened" in err) is (status == 1)
    assert TOKEN not in err


def options(*given: str) -> Any:
    return parser().parse_args(["inspect", *given])


def test_the_options_choose_what_is_shown(toy_data: Path, tmp_path: Path) -> None:
    agents = chosen(options("--data", str(toy_data)))
    file = chosen(options("--catalog", str(written(tmp_path / "labels.json", CATALOG)), "--costs", "wrong=2"))
    assert isinstance(agents.service, Service)
    assert (agents.name, str(agents.origin)) == (None, str(toy_data))
    assert isinstance(file.service, LabelService)
    assert (file.name, file.service.matchers.costs.wrong) == ("labels.json", 2)


def test_what_cannot_be_shown_is_refused_before_an_address_is_printed(
    command: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cases: list[tuple[list[str], int, str]] = [
        (["--data", "nowhere"], 2, "nowhere"),
        (["--catalog", "nowhere.json"], 2, "nowhere.json"),
        (["--catalog", ""], 2, "blank"),
        (["--catalog", "a.json", "--data", "b"], 2, "not allowed with"),
        (["--config", "a.json", "--catalog", "b"], 2, "not allowed with"),
        (["--config", "nowhere.json"], 2, "nowhere.json"),
        (["--port", "65536"], 2, "65536"),
        (["--model-folder", "nowhere"], 2, "--model-folder"),
    ]
    for given, status, said in cases:
        monkeypatch.chdir(tmp_path)
        assert command("inspect", *given) == status, given
        assert said in command.err, given
        assert command.out == "", given


@pytest.mark.processes
def test_the_browser_of_the_environment_is_given_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    script = "import pathlib, sys; print('noise'); pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"
    (tmp_path / "browser.py").write_text(script, encoding="utf-8")
    opened = tmp_path / "opened"
    monkeypatch.setenv(
        "BROWSER", subprocess.list2cmdline([sys.executable, str(tmp_path / "browser.py"), str(opened)]) + " %s"
    )
    open_browser(f"{SITE}/{TOKEN}/")
    assert opened.read_text(encoding="utf-8") == f"{SITE}/{TOKEN}/"
    assert capfd.readouterr() == ("", "")
