import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Final

from embeddings.preflight.finding import Confusion
from server.preflight.baseline import Baseline
from server.preflight.formats.html import to_html
from tests.server.preflight.found import ALL, CONFUSABLE, THIN, accepting, outcome

VOID: Final = {"meta"}
CONFUSED: Final = (Confusion("Refund", "Shipping", 0.456), Confusion("Shipping", "Refund", 0.1))


class Page(HTMLParser):
    """A parsed page: fails if elements are not nested, and keeps tags, attributes and texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data.strip())

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_the_page_sums_up_and_lists_the_findings_by_severity() -> None:
    page = Page(to_html(outcome(*ALL)))
    assert "2 labels asked for with 5 phrases: 1 error, 1 warning, 1 note." in page.texts
    heads = [page.texts.index(head) for head in ("1 error", "1 warning", "1 note")]
    assert heads == sorted(heads)
    for finding in ALL:
        assert finding.rule in page.texts
        assert finding.suggestion in page.texts


def test_the_page_needs_nothing_else() -> None:
    html = to_html(outcome(*ALL, confusions=CONFUSED))
    assert re.search(r"https?:|//|@import|url\(|src=|href=|<script|<link|<iframe|<img", html) is None


def test_markup_in_a_catalog_is_shown_as_text() -> None:
    bad = '"><script>alert(1)</script></style><img src=x onerror=y>'
    finding = replace(CONFUSABLE, label=bad, other=bad, phrase=bad, suggestion=bad)
    found = outcome(finding, confusions=(Confusion(bad, bad, 0.5),))
    page = Page(to_html(replace(found, source=replace(found.source, name=bad))))
    assert not {"script", "img"} & {tag for tag, _ in page.tags}
    assert not any("onerror" in attributes for _, attributes in page.tags)
    assert bad in page.texts
    assert f"Preflight of {bad}" in page.texts


def test_hidden_characters_are_spelled_out() -> None:
    html = to_html(outcome(replace(THIN, label="a\u202eb\x00")))
    assert r"'a\u202eb\x00'" in html
    assert not {"\u202e", "\x00"} & {*html}


def test_every_table_says_what_it_is_and_every_heading_what_it_heads() -> None:
    page = Page(to_html(outcome(*ALL, baseline=accepting(THIN), confusions=CONFUSED)))
    assert len(page.attributes("caption")) == len(page.attributes("table")) == 5
    assert all(heading.get("scope") in {"row", "col"} for heading in page.attributes("th"))
    assert page.attributes("html") == [{"lang": "en"}]


def test_there_are_colours_for_light_and_dark() -> None:
    html = to_html(outcome())
    assert "color-scheme: light dark" in html
    assert "@media (prefers-color-scheme: dark)" in html


def test_the_heat_map_has_a_cell_for_each_confusion() -> None:
    page = Page(to_html(outcome(confusions=CONFUSED)))
    cells = [cell for cell in page.attributes("td") if "style" in cell]
    assert [(cell["style"], cell["title"]) for cell in cells] == [
        ("--p:0.46", "Refund is taken for Shipping: 46%"),
        ("--p:0.10", "Shipping is taken for Refund: 10%"),
    ]


def test_without_confusions_there_is_no_heat_map() -> None:
    assert "Labels that are confused" not in to_html(outcome(confusions=(Confusion("Refund", "Shipping", 0.09),)))


def test_accepted_findings_stand_apart_with_their_reasons() -> None:
    (entry,) = accepting(THIN).stale(())
    page = Page(to_html(outcome(THIN, baseline=Baseline([replace(entry, reason="meant so")]))))
    assert "1 note" not in page.texts
    assert "1 accepted" in page.texts
    assert "meant so" in page.texts


def test_stale_entries_are_listed() -> None:
    page = Page(to_html(outcome(baseline=accepting(THIN))))
    assert "thin of 'Shipping' is accepted but was not found; remove the entry" in page.texts
