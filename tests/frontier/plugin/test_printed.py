"""Whatever pages are called, no command sends a terminal more than text."""

from __future__ import annotations

import ast
import io
import json
import sys
import unicodedata
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from frontier.lab.protocol.planning import Protocol
from frontier.lab.report.report import WebNote, make_report
from frontier.lab.report.tables import text_report
from frontier.plugin.commands.frontier import Command
from frontier.plugin.commands.web import Command as WebCommand
from frontier.records import Sample
from frontier.states import STATES, Mark, State
from frontier.store import Store
from frontier.urls.resolve import _BAD_HOST
from ranking.offline.command import main as rank_command
from ranking.printing import say
from tests.frontier.lab.lab_runs import record as lab_record
from tests.frontier.lab.lab_warcs import page as warc_page
from tests.frontier.lab.lab_warcs import plain
from tests.frontier.plugin.test_command_frontier import options
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.scrapy_runs import run_spider
from tests.support.sites import redirect, serving
from tests.support.stored import stored_urls

ROOT = Path(__file__).resolve().parents[3]
OBEYED = "\x1b[2J\x07\x00\r\x7f\x9b31m\u202e\u2066\u2028\u2029\x85"
EVIL = st.text(
    st.one_of(
        st.characters(categories=("Cc", "Cf", "Zl", "Zp")),
        st.characters(exclude_categories=("Cs",)),
        st.sampled_from(OBEYED),
    ),
    max_size=12,
)
TURNING = set("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def assert_harmless(printed: str) -> None:
    for line in printed.split("\n"):
        kinds = {unicodedata.category(one) for one in line}
        assert not kinds & {"Cc", "Cs", "Zl", "Zp"}, ascii(line)
        assert not set(line) & TURNING, ascii(line)
        assert len(line.splitlines()) <= 1, ascii(line)


def evil_crawl(directory: Path, evil: str) -> list[str]:
    """A crawl in which everything that a page or a server can choose is `evil`; its URLs."""
    first = f"http://first.example/{evil}/x"
    other, waiting, bad, away = (
        f"http://o{_of_host(evil)}.example/{evil}",
        f"http://w.example/?{evil}",
        f"http://bad.example/{evil}",
        f"http://away.example/{evil}",
    )
    web = {
        first: Page(
            dict.fromkeys((other, waiting, bad, away), 0.5),
            0.75,
            evil,
            matches=dict.fromkeys((other, waiting), (255, 51, 0)),
            marks=Mark.NEAR_DUPLICATE,
        ),
        other: Page({first: 0.5}, 0.25, f"{evil} title"),
        bad: Page(error=f"TestError: {evil}", status=0, state=State.ERROR),
        away: Page(redirect=other),
    }
    crawl = DrivenCrawl(directory, web, strategy="bfs", topic=evil + " birds", examples=evil)
    crawl.seed(first)
    crawl.run(4)
    crawl.close()
    with Store.open(directory) as store:
        for row in stored_urls(store)[:2]:
            store.keep_sample(Sample(row.url_id, 0.5, f"text {evil}"))
    return [first, other, waiting, bad, away]


def _of_host(evil: str) -> str:
    """What of it a link's host may hold: the others lead nowhere."""
    return "".join(one for one in evil if not _BAD_HOST.search(one))


def frontier(*arguments: object) -> tuple[int, str]:
    """Exit code of `scrapy frontier`, and all that it printed."""
    command = Command()
    opts = options(*arguments, command=command)
    return printed_by(lambda: command.run([], opts), lambda: command.exitcode, terminal=True)


class Stream(io.TextIOWrapper):
    """Standard output or error, perhaps of a terminal."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def printed_by(
    act: Callable[[], Any], code: Callable[[], int] = int, *, terminal: bool = False
) -> tuple[int, str]:
    out, err = Stream(terminal=terminal), Stream(terminal=False)
    with redirect_stdout(out), redirect_stderr(err):
        act()
    raw = b""
    for stream in (out, err):
        stream.flush()
        raw += stream.buffer.getvalue()  # type: ignore[attr-defined]  # a BytesIO
    return code(), raw.decode()


def every_action(job: Path, urls: list[str], folder: Path, evil: str) -> dict[str, list[Any]]:
    """Action -> command lines of `scrapy frontier`."""
    listed = [["top", job, "--state", state] for state in STATES]
    for by in ("score", "relevance"):
        listed.append(["top", job, "--state", "crawled", "--by", by])
    exports = [["export", job, "--format", "edges", "--out", "-"]]
    feed = {"url": urls[0], "title": evil, "text": f"word {evil}"}
    (folder / "pages.jsonl").write_text(json.dumps(feed))
    return {
        "stats": [["stats", job]],
        "changes": [["changes", job]],
        "top": listed,
        "url": [["url", job, one] for one in urls],
        "explain": [["explain", job, one] for one in (*urls, f"http://un.example/{evil}")],
        "label": [["label", job, "--yes", f"http://l.example/{evil.strip() or 'x'}#{evil}"]],
        "export": [*exports, ["export", job, "--format", "csv", "--out", folder / "c.csv"]],
        "check": [["check", job], ["check", job, "--salvage", folder / "new"]],
        "index": [["index", job, "--feed", folder / "pages.jsonl"]],
        "search": [["search", job, "word", "--explain"], ["search", job, f"x {evil}"]],
        "report": [["report", job, "--out", folder / "crawl.html"]],
    }


@settings(
    max_examples=2,
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(EVIL)
def test_no_action_of_scrapy_frontier_prints_what_a_terminal_obeys(evil: str) -> None:
    evil += OBEYED
    with TemporaryDirectory() as name:
        folder = Path(name)
        urls = evil_crawl(folder / "job", evil)
        actions = every_action(folder / "job", urls, folder, evil)
        # What `serve` prints is the summary of a crawl; `watch` prints its own address. Lines of
        # `follow` and `mcp` are for programs.
        tested = {*actions, "serve", "watch", "follow", "mcp"}
        assert tested == {one.name for one in Command().actions()}
        for action, lines in actions.items():
            for line in lines:
                for how in ([], ["--json"]) if action != "check" or len(line) == 2 else ([],):
                    try:
                        _, printed = frontier(*line, *how)
                    except SystemExit:
                        assert action == "label"
                        continue
                    assert printed
                    assert_harmless(printed.replace("\t", ""))


def test_what_was_hostile_is_still_there_to_be_read(tmp_path: Path) -> None:
    urls = evil_crawl(tmp_path / "job", OBEYED)
    _, printed = frontier("url", tmp_path / "job", urls[0])
    assert "\\x1b[2J" in printed
    assert "\\u202e" in printed


def test_errors_say_file_names_without_obeying_them(tmp_path: Path) -> None:
    code, printed = frontier("stats", tmp_path / "\x1b[2J\u202e")
    assert code == 1
    assert_harmless(printed)


@given(EVIL)
def test_the_lab_report_of_hostile_names_is_harmless(evil: str) -> None:
    name = f"web{OBEYED}{evil}"
    records = [
        lab_record("HHHH......", strategy, topic=name, web=name)
        for strategy in ("greedy-oracle", "bfs")
    ]
    note = WebNote(name, 9, (name,), (), (name,), (name,), (f"http://x/{name}",), (name,))
    kinds = {"bfs": "order", name: "order"}
    report = make_report(records, Protocol(("bfs",), budget=10), [note], kinds, notes=[name])
    _, printed = printed_by(lambda: say(text_report(report), sys.stdout))
    assert_harmless(printed)


def test_scrapy_web_serve_is_harmless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def serve(web: Any, announce: Callable[[Any], None], **_: object) -> None:
        announce(SimpleNamespace(url="http://127.0.0.1:1", port=1))

    monkeypatch.setattr("frontier.web.serving.serve_until_stopped", serve)
    good = warc_page("http://a.example/", b"x", Content_Type="text/html")
    bad = warc_page("http://b.example/\x1b[2J\u202e", b"x", "999 No")
    command = WebCommand()
    file = plain(tmp_path / "\x1b[2J.warc", good, bad)
    opts = options("serve", file, command=command)
    _, printed = printed_by(lambda: command.run([], opts))
    assert "not served" in printed
    assert_harmless(printed)


def test_offline_scores_are_harmless_on_a_terminal_and_exact_elsewhere(
    tmp_path: Path,
) -> None:
    edges = tmp_path / "edges.tsv"
    edges.write_text("a\x1b[2J\tb\u202e\nb\u202e\tc\x9b\n", encoding="utf-8")
    line = ["rank", str(edges), "--method", "pagerank", "--out", "-"]
    _, exact = printed_by(lambda: rank_command(line))
    assert {row.split("\t")[0] for row in exact.split("\n")[1:4]} == {
        "a\x1b[2J",
        "b\u202e",
        "c\x9b",
    }
    _, seen = printed_by(lambda: rank_command(line), terminal=True)
    assert_harmless(seen.replace("\t", ""))
    assert seen.count("\n") == exact.count("\n")


def test_all_modules_print_through_the_same_function() -> None:
    """What is printed elsewhere is listed here, with why it can hold nothing of a page."""
    exempt = {
        "frontier/store/compile.py": "says where it wrote",
    }
    found = set()
    for room in ("frontier", "ranking", "crawler"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
                    found.add(path.relative_to(ROOT).as_posix())
    assert found <= set(exempt)


HOSTILE_PAGE = (
    "<title>t\x1b[2J\x9b31m\u202eevil</title><body>birds \x1b]0;x\x07"
    '<a href="/\x1b[2Jdeep\x9b">bird \x1b[2J \u202e</a> <a href="http://x\u202e.example/">x</a>'
    '<a href="http://127.0.0.1:1/\x1b[31m">birds</a>'
)


def test_a_crawl_of_hostile_pages_prints_a_harmless_summary(tmp_path: Path) -> None:
    with serving({}) as site:
        site.pages.update({"/": HOSTILE_PAGE, "/away": redirect("http://y\x9b.example/\x1b[2J")})
        run = run_spider(
            tmp_path,
            f"""
import scrapy
from frontier.plugin import Links, page_of

class Wanderer(scrapy.Spider):
    name = "wanderer"
    topic = "birds"

    async def start(self):
        yield scrapy.Request({site.url!r} + "/")
        yield scrapy.Request({site.url!r} + "/away")

    def parse(self, response):
        yield Links(page_of(response, self.crawler).content.links)
""",
            "FRONTIER_SUMMARY=True",
            "FRONTIER_PROGRESS=True",
            "LOG_LEVEL=INFO",
            "FRONTIER_TOPIC=birds",
            "RETRY_ENABLED=False",
        )
    assert run.returncode == 0, run.log
    assert_harmless(run.stdout)
    assert "\\x1b[2J" in run.stdout
