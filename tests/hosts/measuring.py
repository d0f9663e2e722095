"""What a host does with our servers, measured in runs of it with a scripted model."""

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from checks.fake_model import Step, Turn, fake_model
from checks.home import Ended, Home
from checks.packages import packages_folder
from tests.hosts.entries import add_gateway, add_serve, serve_command
from tests.hosts.hosts import Host
from tests.server.stdio_process import answer_of

LOOKUP: Final = Step("lookup_capability", {"capability": "hooks", "agent": "claude-code"})
ANSWERED: Final = "Lifecycle Hooks"
"""What is in the answer to it."""
SEARCH: Final = Step("search_tools", {"need": "write a note into the diary"})
GATEWAY_TOOLS: Final = ("search_tools", "call_tool")

Adding = Callable[[Host, Home], None]


@dataclass(frozen=True)
class Conversation:
    """A host's run: what it did, and what the model saw of it."""

    ended: Ended
    turns: Sequence[Turn]
    left_behind: bool

    @property
    def seconds(self) -> float:
        """From the host's start to its first request."""
        return self.turns[0].at - self.ended.started

    def offered_first(self, tools: Sequence[str]) -> bool:
        """Return whether tools are in the first request."""
        return bool(self.turns) and all(map(self.turns[0].offers, tools))

    def answers(self) -> list[bool]:
        """Return for each call of `LOOKUP` whether its answer came back."""
        return _answered(self.turns)


def _answered(turns: Sequence[Turn]) -> list[bool]:
    return [ANSWERED in result for result in turns[-1].results]


@contextmanager
def private_home() -> Iterator[Home]:
    """Yield a new home beside the packages; Codex warns of one in the system's folder of temporary files."""
    packages_folder().mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="home-", dir=packages_folder()))
    home = Home.make(folder)
    try:
        yield home
    finally:
        home.kill_servers()
        shutil.rmtree(folder, ignore_errors=True)


def converse(host: Host, *adding: Adding, steps: Callable[[Home], Sequence[Step]] = lambda _: ()) -> Conversation:
    """Run a host in a new home with some entries, and a model that takes some steps."""
    with private_home() as home:
        for add in adding:
            add(host, home)
        with fake_model(steps(home)) as model:
            ended = host.converse(home, model.address)
        return Conversation(ended, model.turns, not home.wait_until_gone(10))


def converse_once(host: Host) -> Conversation:
    """Run a conversation with one call of `serve`."""
    return converse(host, add_serve, steps=lambda _: [LOOKUP])


@dataclass(frozen=True)
class AfterKill:
    """What a host does when its server was killed.

    Attributes:
        status: that the host ended with.
        before: whether the call before worked.
        calls: whether each of the next calls worked: at once, the next, and one after five seconds. Fewer when the host
            took the tools away.
        resumed: whether a call worked when the conversation was gone on with in a new process.
    """

    status: int | None
    before: bool
    calls: Sequence[bool]
    resumed: bool


def kill_server(host: Host) -> AfterKill:
    """Run a conversation in which the server is killed after the first call, and go on with it afterwards."""
    with private_home() as home:
        add_serve(host, home)
        killing, late = replace(LOOKUP, before=home.kill_servers), replace(LOOKUP, before=lambda: time.sleep(5))
        with fake_model([LOOKUP, killing, LOOKUP, late]) as model:
            ended = host.converse(home, model.address)
        with fake_model([LOOKUP]) as later:
            host.go_on(home, later.address)
    first, *calls = _answered(model.turns)
    return AfterKill(ended.status, first, calls, _answered(later.turns)[-1])


def converse_through_gateway(host: Host) -> Conversation:
    """Run a conversation with a call of the gateway, one of whose servers takes long to start."""
    return converse(host, add_gateway, steps=lambda _: [SEARCH])


def list_servers(host: Host, *adding: Adding) -> Ended:
    """Return the host's own list of its servers."""
    with private_home() as home, fake_model() as model:
        for add in adding:
            add(host, home)
        return host.list_servers(home, model.address)


def is_listed(host: Host, name: str, ended: Ended) -> bool:
    """Return whether a host says that it has a server, and that it is connected to it if it tries to."""
    plain = re.sub(r"\x1b?\[\d*m", "", ended.out + ended.errors)
    return re.search(host.listed.format(name=re.escape(name)), plain, re.MULTILINE) is not None


@dataclass(frozen=True)
class Offer:
    """What a server says of itself when no host is between: its instructions, and its tools."""

    instructions: str
    tools: tuple[str, ...]

    def instructed(self, turn: Turn) -> bool:
        """Return whether the instructions are in a request, wherever and however a host breaks their lines."""
        wanted, text = (re.sub(r"\W+", " ", each) for each in (self.instructions, turn.text))
        return wanted.strip() in text


@cache
def serve_offer() -> Offer:
    """Return what `serve` offers."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "none", "version": "1"}}
    found, pipe = [], subprocess.PIPE
    with private_home() as home:
        own = home.environment()
        with subprocess.Popen(serve_command(), stdin=pipe, stdout=pipe, env=own, encoding="utf-8") as process:
            for method, parameters in (("initialize", client), ("tools/list", {})):
                asked = {"jsonrpc": "2.0", "id": method, "method": method, "params": parameters}
                found.append(answer_of(process, asked)["result"])
    return Offer(found[0]["instructions"], tuple(tool["name"] for tool in found[1]["tools"]))
