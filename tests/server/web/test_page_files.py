"""The files of the page as they ship."""

import re
from html.parser import HTMLParser

from server.web.app import SHELL, read_page

MAX_PAGE_BYTES: int = 150_000
"""Compressed bytes of all files together; the first view needs some of them."""

SCRIPT_REFERENCES = re.compile(r"""(?:from|import)\s*\(?\s*["']([^"'\s]+)["']""")
STYLE_REFERENCES = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")
FILES = read_page()


class Shell(HTMLParser):
    """Collects what the shell refers to, and what a strict policy would refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []
        self.inline: list[str] = []
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._script = tag == "script"
        self.references += [str(given[name]) for name in ("href", "src") if given.get(name)]
        self.inline += [name for name in given if name == "style" or name.startswith("on")]
        self.inline += [tag] if tag == "style" else []

    def handle_data(self, data: str) -> None:
        self.inline += [data] if self._script and data.strip() else []
        self._script = False


def shell() -> Shell:
    parsed = Shell()
    parsed.feed(FILES[SHELL].content.decode())
    return parsed


def text(name: str) -> str:
    return FILES[name].content.decode()


def test_the_shell_refers_to_shipped_files_and_has_nothing_inline() -> None:
    references = [reference for reference in shell().references if not reference.startswith("#")]
    assert references
    assert all(reference.startswith("page/") for reference in references)
    assert {reference.removeprefix("page/") for reference in references} <= FILES.keys()
    assert shell().inline == []


def test_every_file_that_a_module_or_a_style_refers_to_ships() -> None:
    modules = {found for name in FILES if name.endswith(".js") for found in SCRIPT_REFERENCES.findall(text(name))}
    styles = {
        first or second
        for name in FILES
        if name.endswith(".css")
        for first, second in STYLE_REFERENCES.findall(text(name))
    }
    assert modules
    assert all(reference.startswith("./") for reference in modules)
    assert {reference.removeprefix("./") for reference in modules | styles} <= FILES.keys()


def test_no_file_is_loaded_from_elsewhere() -> None:
    # A namespace is a name, and is never asked for.
    found = {address for file in FILES.values() for address in re.findall(rb"https?://[^\"'\s)`]+", file.content)}
    assert found <= {b"http://www.w3.org/2000/svg"}


def test_all_files_are_under_what_a_first_view_may_weigh() -> None:
    assert sum(len(file.compressed) for file in FILES.values()) < MAX_PAGE_BYTES
