"""Names that pages, files and people choose do nothing in the outputs of a lab run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

from frontier.lab.protocol.planning import Protocol
from frontier.lab.report import page as page_module
from frontier.lab.report.regret import CAUSES, Regret
from frontier.lab.report.report import Entry, LabReport, WebNote, make_report
from frontier.lab.report.writing import write_report
from tests.frontier.lab.lab_runs import record
from tests.support.browser import needs_browser, seen_in_browser
from tests.support.sites import Site, serving

ATTACKS = (
    "<script>{js}</script>",
    "<img src={canary}/img onerror={js}>",
    "\"><svg onload='{js}'><image href='{canary}/svg'/></svg>",
    "'><iframe src='{canary}/frame' srcdoc='<script>parent.{js}</script>'></iframe>",
    "</title></style></summary></details><link rel=stylesheet href={canary}/css>",
    '"><meta http-equiv=refresh content="0; url={canary}/refresh">',
    "<style>@import url({canary}/import);</style>",
    "</p><form action={canary}/form><input autofocus onfocus={js}></form>",
    "<base href={canary}/><a href=javascript:{js}>x</a>",
    "&lt;script&gt;{js}&lt;/script&gt;",
    "--><!--<script>{js}</script>",
    "${js}$ \x1b[2J\x00\u202e\u2028",
)
MARK = "run-by-a-page"
JS = f"document.documentElement.id=String(`{MARK}`).toUpperCase()"
"""What a script that runs leaves in the document; written, the mark is in lower case."""


def hostile_report(canary: str, attacks: tuple[str, ...] = ATTACKS) -> LabReport:
    """A report in which every name is an attack."""
    names = [one.format(js=JS, canary=canary) for one in attacks]
    records = []
    for number, name in enumerate(names):
        web = names[number % 2].replace("/", "\u2215")  # no file's name holds a slash
        for strategy in ("greedy-oracle", "bfs", name):
            records.append(record("HHHH......", strategy, topic=name, web=web))
    everything = tuple(names)
    notes = [
        WebNote(web, 9, everything, everything, everything, everything, everything, everything)
        for web in dict.fromkeys(one.key.web for one in records)
    ]
    entries = [Entry("greedy-oracle", "bound", names[0]), Entry("bfs", "order", names[1])]
    entries += [Entry(name, "peer", name) for name in names]
    regrets = [
        Regret(names[0], "inside", name, 4, 4.0, 3.0, dict.fromkeys((*CAUSES, "together"), 0.1))
        for name in names
    ]
    protocol = Protocol(("bfs", *names), budget=10)
    return make_report(records, protocol, notes, entries, regrets=regrets, notes=names)


def seen(write: Callable[[str], str], folder: Path) -> tuple[str, Site]:
    """The document in a browser, and what was asked of a server whose address stands in it."""
    with serving({}) as site:
        file = folder / "report.html"
        file.write_text(write(site.url), encoding="utf-8")
        return seen_in_browser(file.as_uri(), folder), site


def bare(canary: str) -> str:
    """The same attacks where nothing holds them back."""
    return "".join(f"<div>{one.format(js=JS, canary=canary)}</div>" for one in ATTACKS[:3])


@needs_browser
def test_attacks_work_where_nothing_holds_them_back(tmp_path: Path) -> None:
    """What the next tests do not see is there to be seen."""
    document, site = seen(bare, tmp_path)
    assert MARK.upper() in document
    assert {"/img", "/svg"} <= {one.path for one in site.asked}


@needs_browser
def test_a_report_runs_no_script_and_asks_for_nothing(tmp_path: Path) -> None:
    document, site = seen(lambda canary: page_module.page(hostile_report(canary)), tmp_path)
    assert "HR100" in document
    assert MARK.upper() not in document
    assert site.asked == []


@needs_browser
def test_what_were_not_escaped_could_not_run_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The policy of the page is a second wall: here the first one is taken down."""
    for module in ("page", "drawing"):
        monkeypatch.setattr(f"frontier.lab.report.{module}.escape", lambda text: text)
    attacks = tuple(one for one in ATTACKS if "refresh" not in one)  # no policy forbids to go on
    document, site = seen(
        lambda canary: page_module.page(hostile_report(canary, attacks)), tmp_path
    )
    assert "<script>" in document
    assert MARK.upper() not in document
    assert site.asked == []


def test_no_name_is_markup_in_any_file(tmp_path: Path) -> None:
    report = hostile_report("http://canary.example")
    write_report(report, tmp_path)
    for name in ("report.html", "table.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        for tag in ("<script", "<img", "<svg onload", "<iframe", "<link", "<form", "<base"):
            assert tag not in text, (name, tag)
    drawn = list(tmp_path.glob("*.svg"))
    assert drawn
    for path in drawn:
        tags = {etree.QName(one).localname for one in etree.parse(path).iter()}
        assert tags <= {"svg", "title", "style", "rect", "text", "line", "g", "polygon", "polyline"}


def test_markdown_holds_no_pictures_of_others_and_keeps_its_columns(tmp_path: Path) -> None:
    name = "![x](http://canary.example/x.png) | y"
    records = [record("HHHH......", one, web=name) for one in ("greedy-oracle", "bfs", name)]
    note = WebNote(name, 9, (), (), ())
    entries = [Entry("bfs", "order", name), Entry(name, "peer", name)]
    report = make_report(records, Protocol(("bfs", name), budget=10), [note], entries)
    write_report(report, tmp_path)
    text = (tmp_path / "table.md").read_text()
    assert "](http" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    columns = {len(row.replace("\\|", "").split("|")) for row in rows[:4]}
    assert len(columns) == 1
