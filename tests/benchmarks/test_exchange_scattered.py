"""A recorded web that has moved to many domains is the same web, and is scored as the same one."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lxml import html

from benchmarks.exchange.scattered import ScatteredWeb, Scattering, led_there
from benchmarks.exchange.scored import Judged, ScoredWeb
from frontier.web.recorded_web import RecordedWeb

SITE = "http://birds.example"
HOME = f"{SITE}/"
# The wanted pages b lie behind every second page a.
PAGES = {
    "/": [f"/a{n}" for n in range(12)],
    **{f"/a{n}": [f"/b{n}", "/"] if n % 2 else ["/"] for n in range(12)},
    **{f"/b{n}": ["/", "/never-recorded"] for n in range(1, 12, 2)},
}
WANTED = [f"{SITE}/b{n}" for n in range(1, 12, 2)]
LEADING = [f"{SITE}/a{n}" for n in range(1, 12, 2)]


def record(url: str, body: str) -> bytes:
    block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}"
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a recorded web, its labels, keywords and seeds."""
    folder = tmp_path_factory.mktemp("webs")
    records = []
    for url, links in PAGES.items():
        anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
        records.append(record(url, f"<title>{url}</title><p>birds {anchors}</p>"))
    (folder / "birds.warc.gz").write_bytes(b"".join(records))
    (folder / "birds.tsv").write_text("".join(f"{url}\tbirds\n" for url in WANTED))
    (folder / "keywords.tsv").write_text("birds\tbirds of prey\n")
    (folder / "seeds.txt").write_text(f"{HOME}\n")
    return folder


def test_a_page_moves_to_a_domain_that_its_url_says_and_is_found_again() -> None:
    urls = [f"{SITE}/p/{n}?q={n}" for n in range(500)]
    scattering, again = Scattering(urls, 8), Scattering(reversed(urls), 8)
    there = [scattering.to(url) or "" for url in urls]
    assert there == [again.to(url) for url in urls]
    assert [scattering.back(url) for url in there] == urls
    hosts = {urlsplit(url).netloc for url in there}
    assert hosts == {f"part-{n}.test" for n in range(8)}
    assert len(set(there)) == len(urls)


def test_spellings_of_one_url_move_together() -> None:
    scattering = Scattering([f"{SITE}/%2Astar%2A"])
    there = scattering.to(f"{SITE}/*star*#top")
    assert there is not None
    assert there == scattering.to(f"{SITE}/%2Astar%2A")
    assert scattering.back(there) == f"{SITE}/%2Astar%2A"
    assert scattering.to(f"{SITE}/elsewhere") is None
    assert scattering.to("mailto:nobody@birds.example") is None
    assert scattering.back("http://part-1.test/robots.txt") is None


def test_links_follow_and_those_to_nothing_are_taken_away() -> None:
    urls = [f"{SITE}/d/{name}" for name in ("page", "next", "frame", "later")]
    scattering = Scattering(urls)
    page = (
        '<html><head><meta http-equiv="refresh" content="5; URL=later"></head><body>'
        "<a href=' next '>next</a> <a href='/d/next#part'>again</a> <a name=x>no link</a>"
        "<a href=http://elsewhere.example/>away</a> <a href='http://[bad'>bad</a>"
        '<iframe src="frame"></iframe><p>caf\xe9</body></html>'
    )
    led = led_there(urls[0], page.encode("latin-1"), scattering)
    tree = html.document_fromstring(led.decode("utf-8"))
    _, following, frame, later = map(scattering.to, urls)
    links = {one.text: one.get("href") for one in tree.iter("a")}
    assert links == {
        "next": following,
        "again": following,
        "no link": None,
        "away": None,
        "bad": None,
    }
    assert [one.get("src") for one in tree.iter("iframe")] == [frame]
    assert [one.get("content") for one in tree.iter("meta")] == [f"5; URL={later}"]
    assert "caf\xe9" in tree.text_content()


def test_an_empty_page_stays_empty() -> None:
    assert led_there(HOME, b"", Scattering([HOME])) == b""


def test_all_pages_are_reached_from_the_seed_by_their_links(folder: Path) -> None:
    recorded = RecordedWeb([folder / "birds.warc.gz"])
    web, scattering = ScatteredWeb(recorded, 64), Scattering(recorded.urls())
    queue, seen = [scattering.to(HOME) or ""], set()
    while queue:
        url = queue.pop()
        seen.add(url)
        answer = web.answer("GET", url, {}, b"")
        assert answer.status == 200
        found = html.document_fromstring(answer.body).xpath("//a/@href")
        queue += set(found) - seen
    assert {scattering.back(url) for url in seen} == {*recorded.urls()}
    missing = web.answer("GET", "http://part-0.test/robots.txt", {}, b"")
    assert missing.status == 404


def logged(*urls: str) -> list[dict[str, object]]:
    return [{"time": 10.0 + n, "method": "GET", "url": url} for n, url in enumerate(urls)]


def judged(folder: Path) -> Judged:
    return Judged("birds", "birds.tsv", seeds="seeds.txt", keywords=folder / "keywords.tsv")


def test_the_best_order_is_worth_one_and_a_worse_one_less(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    pairs = [url for both in zip(LEADING, WANTED, strict=True) for url in both]
    others = [f"{SITE}/a{n}" for n in range(0, 12, 2)]
    with ScoredWeb(judged(folder), folder, 13, 1) as web:
        (task,) = web.tasks
        scattering = Scattering(f"{SITE}{path}" for path in PAGES)
        assert (task.topic_words, len(task.targets)) == ("birds of prey", len(WANTED))
        assert web.seeds(task) == [scattering.to(HOME)]
        oracle = web.oracle(task)

        def worth(*urls: str) -> float:
            return web.nauc(task, oracle, logged(*(scattering.to(url) or "" for url in urls)))

        best = worth(HOME, *pairs)
        late = worth(HOME, *others, *pairs)
        never = worth(HOME, *others)
    assert best == pytest.approx(1.0)
    assert 0 < late < best
    assert never == 0.0
