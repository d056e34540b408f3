from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from scrapy.settings import Settings

from benchmarks.harvest import outside
from benchmarks.harvest.commands import (
    KNOWN,
    PLACEHOLDERS,
    Command,
    parse_command,
    values_of,
)
from benchmarks.harvest.outside import RequestLog, record_of
from frontier.lab.replay.parsing import open_recording
from frontier.lab.replay.records import Task
from frontier.plugin.recorded import parser_of
from frontier.web.recorded_web import RecordedWeb

SITE = "http://birds.example"
# A home page links to two rows of pages; the wanted ones are the second row and link on.
PAGES = {
    "/": [f"/a{n}" for n in range(6)] + ["/moved", "/gone"],
    **{f"/a{n}": [f"/b{n}"] for n in range(6)},
    **{f"/b{n}": ["/", "/never-recorded"] for n in range(6)},
}
CRAWLER = """
import re, sys, urllib.error, urllib.request
from urllib.parse import urljoin
queue, seen = sys.argv[1].split(","), set()
def ask(url):
    try:
        return urllib.request.urlopen(url, timeout=10).read().decode()
    except urllib.error.HTTPError:
        return ""
ask(urljoin(queue[0], "/robots.txt"))
while queue:
    url = queue.pop(0)
    if url in seen:
        continue
    seen.add(url)
    queue += [urljoin(url, link) for link in re.findall('href="(.*?)"', ask(url))]
if sys.argv[2] == "forever":
    while True:
        ask(url)
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web") / "birds.warc"
    records = [_record(url, "200 OK", _html(url, links)) for url, links in PAGES.items()]
    records.append(_record("/moved", "302 Found\r\nLocation: /b1", ""))
    records.append(_record("/gone", "410 Gone", ""))
    path.write_bytes(b"".join(records))
    return path


def _html(url: str, links: list[str]) -> str:
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<title>{url}</title><p>birds {anchors}</p>"


def _record(url: str, status: str, body: str) -> bytes:
    block = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n{body}"
    head = {
        "WARC-Type": "response",
        "WARC-Target-URI": SITE + url,
        "WARC-Date": "2026-11-20T00:00:00Z",
        "WARC-Record-ID": f"<urn:test:{url}>",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    fields = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return f"WARC/1.0\r\n{fields}\r\n{block}\r\n\r\n".encode()


@pytest.fixture
def crawler(tmp_path: Path) -> str:
    script = tmp_path / "a crawler.py"
    script.write_text(CRAWLER, encoding="utf-8")
    return f"'{sys.executable}' '{script}' {{seeds}}"


def _files(tmp_path: Path) -> list[str]:
    labels = tmp_path / "topics.tsv"
    labels.write_text("".join(f"{SITE}/b{n}\tbirds\n" for n in range(6)), encoding="utf-8")
    keywords = tmp_path / "keywords.tsv"
    keywords.write_text("birds\tbirds\n", encoding="utf-8")
    seeds = tmp_path / "seeds.txt"
    seeds.write_text(f"{SITE}/\n", encoding="utf-8")
    return [
        *("--topics", str(labels), "--keywords", str(keywords), "--seeds", str(seeds)),
        *("--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "out")),
    ]


def _run(recording: Path, tmp_path: Path, *arguments: str) -> int:
    return outside.main(["--web", str(recording), *_files(tmp_path), *arguments])


@pytest.mark.slow
def test_a_crawler_is_scored_by_what_the_server_was_asked_for(
    recording: Path, tmp_path: Path, crawler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = f"mine={crawler} once"
    assert _run(recording, tmp_path, "--command", command, "--budget", "40") == 0
    said = json.loads((tmp_path / "out/results.json").read_text())
    (run,) = [one for one in said["runs"] if one["strategy"] == "mine"]
    # Home, six pages, the redirect and where it leads (b1), the 410, b0, then the other four.
    assert run["requests"] == 1 + 6 + 2 + 1 + 6 + 1
    assert run["targets"] == 6
    assert len(run["hits"]) == 6
    assert run["hits"][0] == 9
    assert len(run["absent"]) == 1
    assert run["failed"] == 1
    assert {row["strategy"] for row in said["summary"]} == {"mine", "greedy-oracle"}
    assert "mine (other code)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("mine=false", "mine ended with 1 and asked for nothing"),
        ("mine=/nonexistent/crawler", "/nonexistent/crawler cannot be run"),
        ("mine=sleep 60", "mine was stopped after 0 s and asked for nothing"),
        ("mine=true {sedes}", "no other braces than"),
        ("nobody", "expected NAME=COMMAND, or one of crawl-focused, scrapy"),
    ],
)
def test_a_command_that_cannot_be_used_is_told(
    recording: Path,
    tmp_path: Path,
    command: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ("--command", command, "--budget", "5", "--timeout", "0.2")
    assert _run(recording, tmp_path, *given) == 1
    assert message in capsys.readouterr().err


def _task(**changes: object) -> Task:
    given = {
        "web": "birds",
        "variant": "inside",
        "topic": "birds",
        "draw": 0,
        "strategy": "mine",
        "seeds": (f"{SITE}/", f"{SITE}/a1"),
        "examples": (f"{SITE}/b1",),
        "topic_words": "birds of prey",
        "targets": frozenset({f"{SITE}/b1", f"{SITE}/b2"}),
        "budget": 5,
    }
    return Task(**(given | changes))  # type: ignore[arg-type]  # a test names what it changes


def test_words_are_split_like_a_shell_does_before_names_are_filled_in(tmp_path: Path) -> None:
    values = values_of(_task(), ["a text"], tmp_path)
    words = Command("mine", "crawl 'two words' -t {topic} --pages={budget}").words(values)
    assert words == ["crawl", "two words", "-t", "birds of prey", "--pages=5"]
    assert values["seeds"] == f"{SITE}/,{SITE}/a1"
    assert Path(str(values["seeds_file"])).read_text() == f"{SITE}/\n{SITE}/a1\n"
    named = Path(str(values["texts_file"])).read_text().split()
    assert [Path(name).read_text() for name in named] == ["a text"]
    assert values_of(_task(examples=()), [], tmp_path)["texts_file"] == ""
    assert values.keys() | {"proxy"} == PLACEHOLDERS.keys()


@pytest.mark.parametrize("name", KNOWN)
def test_known_commands_can_be_filled_in(tmp_path: Path, name: str) -> None:
    words = parse_command(name).words(values_of(_task(), ["a text"], tmp_path))
    assert words[0] == "env"
    assert not any("{" in word for word in words)


def _log(*urls: str, method: str = "GET") -> list[dict[str, object]]:
    return [
        {"time": 100.0 + n, "method": method, "url": url, "status": 200}
        for n, url in enumerate(urls)
    ]


def test_a_log_becomes_a_record_letter_by_letter(recording: Path, tmp_path: Path) -> None:
    log = _log(
        *(f"{SITE}/robots.txt", f"{SITE}/", f"{SITE}/moved", f"{SITE}/b1", f"{SITE}/b1"),
        *(f"{SITE}/gone", f"{SITE}/never-recorded", "http://elsewhere.example/", f"{SITE}/b2"),
    )
    recorded = RecordedWeb([recording])
    with open_recording([recording], *parser_of(Settings()), tmp_path) as web:
        record = record_of(_task(budget=8), log, recorded, web)
        head = record_of(_task(), _log(f"{SITE}/b1", method="HEAD"), recorded, web)
        short = record_of(_task(budget=3), log, recorded, web)
    assert record.outcomes == "prhpfnnh"
    assert record.n_targets == 2
    assert head.outcomes == "p"
    assert short.outcomes == "prh"


def test_robots_txt_is_no_request_for_a_page() -> None:
    log = RequestLog()
    for entry in _log(f"{SITE}/robots.txt", f"{SITE}/", f"{SITE}/robots.txt?"):
        log.write(json.dumps(entry) + "\n")
    assert log.count() == 1
