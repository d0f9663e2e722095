import gzip
from typing import Any

import anyio
import httpx2
import pytest

from server.matching.label_service import LabelService
from server.matching.service import Service
from server.web.app import SMALL, Answers
from server.web.endpoints import ENDPOINTS, PageRequest, views
from server.web.refusals import HEADERS
from tests.server.web.page_site import UPLOAD, Held, broken, echoed, mistaken, page_client

pytestmark = pytest.mark.anyio

NAMES = [endpoint.name for endpoint in ENDPOINTS]
READ = [endpoint.name for endpoint in ENDPOINTS if endpoint.method == "GET"]


def three_parts(response: httpx2.Response) -> str:
    """Return the message of an error, which has its three parts and nothing beside."""
    value = response.json()
    assert list(value) == ["error"]
    assert len(value["error"].split("; ")) >= 3
    return str(value["error"])


async def test_the_shell_is_at_the_base_and_its_files_below_page(client: httpx2.AsyncClient) -> None:
    shell, script = await client.get("/"), await client.get("/page/main.js")
    assert shell.headers["Content-Type"] == "text/html; charset=utf-8"
    assert shell.text.startswith("<!doctype html>")
    assert script.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert (await client.get("/page/icon.svg")).headers["Content-Type"] == "image/svg+xml"


async def test_a_file_is_compressed_for_whoever_takes_that(client: httpx2.AsyncClient) -> None:
    plain = await client.get("/page/main.js", headers={"Accept-Encoding": "identity"})
    packed = await client.get("/page/main.js", headers={"Accept-Encoding": "br, gzip;q=0.5"})
    refused = await client.get("/page/main.js", headers={"Accept-Encoding": "gzip;q=0"})
    assert (plain.headers.get("Content-Encoding"), packed.headers["Content-Encoding"]) == (None, "gzip")
    assert "Content-Encoding" not in refused.headers
    assert int(packed.headers["Content-Length"]) < int(plain.headers["Content-Length"])
    assert packed.content == plain.content
    assert packed.headers["Vary"] == "Accept-Encoding"


async def test_a_file_that_has_not_changed_is_not_sent_again(client: httpx2.AsyncClient) -> None:
    first = await client.get("/page/main.js")
    assert first.headers["Cache-Control"] == "no-cache"
    again = await client.get("/page/main.js", headers={"If-None-Match": f'"other", {first.headers["ETag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    changed = await client.get("/page/main.js", headers={"If-None-Match": '"other"'})
    assert changed.status_code == 200


async def test_what_is_asked_for_reaches_the_answers(client: httpx2.AsyncClient) -> None:
    for name in READ:
        response = await client.get(f"/api/{name}", params={"q": "größe & مرحبا"})
        assert response.headers["Content-Type"] == "application/json", name
        assert response.headers["Cache-Control"] == "no-store", name
        answer = response.json()
        assert (answer["endpoint"], answer["params"]) == (name, {"q": "größe & مرحبا"}), name
    answer = (await client.post("/api/coverage", content=b"x" * UPLOAD)).json()
    assert answer["body"] == UPLOAD
    head = await client.head("/api/about")
    assert (head.status_code, head.headers["Content-Type"]) == (200, "application/json")


async def test_a_body_over_the_limit_is_refused(client: httpx2.AsyncClient) -> None:
    async def chunks() -> Any:
        for _ in range(UPLOAD):
            yield b"xx"

    for chunked in [True, False]:
        response = await client.post("/api/coverage", content=chunks() if chunked else b"xx" * UPLOAD)
        assert response.status_code == 413, chunked
        assert f"{UPLOAD:,} bytes" in three_parts(response), chunked


@pytest.mark.parametrize("size", [SMALL - 100, SMALL * 2])
async def test_answers_over_a_kilobyte_are_compressed(session_service: Service, size: int) -> None:
    async with page_client(session_service, lambda asked: {"text": "x" * size}) as client:
        response = await client.get("/api/about", headers={"Accept-Encoding": "gzip"})
        assert (response.headers.get("Content-Encoding") == "gzip") is (size > SMALL)
        assert len(response.json()["text"]) == size


async def test_another_method_is_told_which_there_is(client: httpx2.AsyncClient) -> None:
    for name in NAMES:
        method = "GET" if name == "coverage" else "POST"
        for wrong in (method, "PUT", "DELETE", "OPTIONS"):
            response = await client.request(wrong, f"/api/{name}")
            assert response.status_code == 405, name
            assert wrong in three_parts(response), name
            assert ("POST" if name == "coverage" else "GET") in response.headers["Allow"], name


async def test_files_are_only_read(client: httpx2.AsyncClient) -> None:
    for path in ["/", "/page/main.js"]:
        assert (await client.post(path)).status_code == 405, path
        head = await client.head(path)
        assert (head.status_code, "ETag" in head.headers) == (200, True), path


async def test_nothing_is_anywhere_else(client: httpx2.AsyncClient) -> None:
    cases = [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/about/",
        "/page",
        "/page/",
        "/page/nothing.js",
        "/page/index.html",
        "/index.html",
        "/favicon.ico",
        "/page/%2e%2e/app.py",
        "/page/..%2fapp.py",
        "/page/..%5capp.py",
        "/page/%2fetc%2fpasswd",
        "/page/main.js%00",
        "/..%2f..%2fpyproject.toml",
    ]
    for path in cases:
        response = await client.get(path)
        assert response.status_code == 404, path
        three_parts(response)


async def test_mistakes_and_faults_are_told(session_service: Service) -> None:
    async with page_client(session_service, mistaken) as client:
        response = await client.get("/api/match")
    assert (response.status_code, three_parts(response)) == (400, "the thing is 'x'; it must be y; correct it")
    async with page_client(session_service, lambda asked: {"x": float("nan")}) as client:
        assert (await client.get("/api/match")).status_code == 500


async def test_a_fault_is_logged_and_its_text_kept_from_the_caller(
    session_service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    async with page_client(session_service, broken) as client:
        response = await client.get("/api/match")
    assert response.status_code == 500
    assert "secret" not in three_parts(response)
    assert "secret state" in caplog.text


async def test_a_catalog_of_labels_has_no_agents(labels: LabelService) -> None:
    for name in ["agents", "entry"]:
        async with page_client(labels) as client:
            response = await client.get(f"/api/{name}")
            assert response.status_code == 404, name
            assert "labels" in three_parts(response), name
            assert (await client.get("/api/match")).status_code == 200, name


def test_views_are_those_of_the_catalog_and_the_caller(session_service: Service, labels: LabelService) -> None:
    assert views(session_service, ["core", "match"]) == ["try", "map", "agents", "health"]
    assert views(session_service, ["core"]) == ["agents"]
    assert views(session_service, ["match"]) == ["try", "map", "health"]
    assert views(session_service, []) == []
    assert views(labels, ["core", "match"]) == ["try", "map", "health"]


async def every_kind_of_response(client: httpx2.AsyncClient) -> list[httpx2.Response]:
    gets = [await client.get(path) for path in ("/", "/page/main.js", "/api/about", "/nothing", "/api/nothing")]
    foreign = await client.get("/", headers={"Host": "elsewhere.example"})
    large = await client.post("/api/coverage", content=b"x" * (UPLOAD + 1))
    unchanged = await client.get("/", headers={"If-None-Match": gets[0].headers["ETag"]})
    return [*gets, foreign, large, unchanged, await client.put("/"), await client.head("/")]


async def test_every_response_has_the_headers_and_no_cookie(session_service: Service) -> None:
    statuses: set[int] = set()
    kinds: tuple[Answers, ...] = (mistaken, broken, echoed)
    for answers in kinds:
        async with page_client(session_service, answers) as client:
            for response in await every_kind_of_response(client):
                statuses.add(response.status_code)
                assert {name: response.headers.get(name) for name in HEADERS} == HEADERS, response.request.url
                assert response.headers["Cache-Control"] in ("no-store", "no-cache")
                assert "Set-Cookie" not in response.headers
    assert statuses == {200, 304, 400, 403, 404, 405, 413, 500}


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    policy = dict(part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert set(policy.values()) == {"'none'", "'self'"}
    assert all(policy[name] == "'none'" for name in ("base-uri", "form-action", "frame-ancestors"))


async def test_a_slow_answer_does_not_keep_quick_ones_waiting(session_service: Service) -> None:
    held = Held()

    def answers(asked: PageRequest) -> dict[str, Any]:
        return held(asked) if asked.endpoint in ("coverage", "map") else {}

    async with page_client(session_service, answers) as client, anyio.create_task_group() as group:
        group.start_soon(client.post, "/api/coverage")
        group.start_soon(client.get, "/api/map")
        with anyio.fail_after(20):
            while len(held.begun) < 2:
                await anyio.sleep(0.001)
            assert (await client.get("/api/match")).json() == {}
        held.go.set()


async def test_who_goes_away_while_in_line_is_not_worked_for(session_service: Service) -> None:
    held, apps = Held(), []

    def noted(app: Any) -> Any:
        apps.append(app)
        return app

    async with page_client(session_service, held, around=noted) as client, anyio.create_task_group() as group:
        group.start_soon(client.get, "/api/match?q=first")
        with anyio.fail_after(20):
            while not held.begun:
                await anyio.sleep(0.001)
            await left_at_once(apps[0], "q=dropped")
            group.start_soon(client.get, "/api/match?q=last")
            await anyio.sleep(0.05)
            held.go.set()
    assert held.begun == ["first", "last"]


async def left_at_once(app: Any, query: str) -> None:
    """Ask for a match, and go away before it is answered."""
    messages: list[Any] = [{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}]

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        assert message.get("status") != 200

    scope = {"type": "http", "method": "GET", "path": "/api/match", "query_string": query.encode(), "root_path": ""}
    await app({**scope, "headers": [(b"host", b"127.0.0.1")]}, receive, send)


async def test_the_service_is_read_once_for_each_request(session_service: Service) -> None:
    seen: list[Any] = []

    def answers(asked: PageRequest) -> dict[str, Any]:
        seen.append(asked.service)
        return {}

    async with page_client(session_service, answers) as client:
        await client.get("/api/about")
    assert seen == [session_service]


def test_gzip_is_the_same_at_every_start() -> None:
    from server.web.app import read_page

    assert {name: file.compressed for name, file in read_page().items()} == {
        name: gzip.compress(file.content, mtime=0) for name, file in read_page().items()
    }
