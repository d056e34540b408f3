"""A recorded web in simulated time: versions, validators, sitemaps and feeds."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from frontier.web.changelog import DAY, read_change_log
from frontier.web.changing_web import Announcing, ChangingWeb
from frontier.web.recorded_web import RecordedWeb
from frontier.web.serving import WebAnswer

HOST = "http://a.example"
PAGE = "<html><body><p>First.</p><p>Second <a href='/b'>b</a>.</p></body></html>"
START = 1_700_000_000.0
HONEST = Announcing()


def response(url: str, body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", *headers))
    block = f"{head}\r\n".encode() + body
    record = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return record.encode() + block + b"\r\n\r\n"


class Changing:
    """A web with a clock that the test sets, in simulated days."""

    def __init__(self, tmp_path: Path, announcing: Announcing = HONEST) -> None:
        html, packed = "Content-Type: text/html", gzip.compress(PAGE.encode())
        records = [
            response(f"https://a.example{path}", PAGE.encode(), html, 'ETag: "recorded"')
            for path in ("/a", "/old", "/still")
        ]
        records.append(response(f"{HOST}/b", packed, html, "Content-Encoding: gzip"))
        records.append(response(f"{HOST}/r", b"", "Location: /a", status="301 Moved"))
        records.append(response(f"{HOST}/robots.txt", b"User-agent: *\nDisallow: /x", "Server: s"))
        (tmp_path / "web.warc").write_bytes(b"".join(records))
        lines = [
            *((0, "A", "/a"), (10, "M", "/a"), (20, "M", "/a"), (30, "M", "/a")),
            *((5, "A", "/b"), (0, "A", "/old"), (15, "D", "/old")),
            *((0, "A", "/missing"), (0, "A", "/r"), (12, "M", "/r")),
        ]
        path = tmp_path / "log.tsv"
        path.write_text("".join(f"{at * DAY}\t{what}\t{HOST}{url}\n" for at, what, url in lines))
        self.seconds = START
        self.web = ChangingWeb(
            RecordedWeb([tmp_path / "web.warc"]),
            read_change_log(path),
            speed=DAY,
            announcing=announcing,
            clock=lambda: self.seconds,
        )

    def get(self, path: str, day: float, **headers: str) -> WebAnswer:
        self.seconds = START + day
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.web.answer("GET", f"{HOST}{path}", named, b"")


Make = Callable[..., Changing]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return lambda announcing=HONEST: Changing(tmp_path, announcing)


def headers(answer: WebAnswer) -> dict[str, str]:
    return dict(answer.headers)


def test_each_version_has_words_of_its_own_and_the_same_links(make: Make) -> None:
    web, again = make(), make()
    bodies = [web.get("/a", day).body.decode() for day in (9, 10, 19, 20)]
    assert bodies[0] == PAGE
    assert bodies[1] == bodies[2] == again.get("/a", 11).body.decode() != bodies[3]
    assert len({*bodies}) == 3
    for body in bodies[1:]:
        added = re.sub(r"<p>(\w+ ){59}\w+\.</p>", "", body, count=1)
        assert added == PAGE != body


def test_a_page_is_missing_before_it_appears_and_after_it_goes(make: Make) -> None:
    web = make()
    assert [web.get("/b", day).status for day in (0, 4.9, 5, 40)] == [404, 404, 200, 200]
    assert [web.get("/old", day).status for day in (0, 14.9, 15)] == [200, 200, 404]
    assert b"Second" in web.get("/b", 6).body
    assert "Content-Encoding" not in headers(web.get("/b", 6))


def test_what_is_not_in_the_log_or_no_page_is_as_it_was_recorded(make: Make) -> None:
    web = make()
    assert len(web.web) == 3
    assert headers(web.get("/still", 20))["ETag"] == '"recorded"'
    assert web.get("/r", 20).status == 301
    assert web.get("/missing", 20).status == 404


def test_validators_are_those_of_the_version_in_the_time_of_the_client(make: Make) -> None:
    web = make()
    answer = web.get("/a", 12)
    tag, modified = headers(answer)["ETag"], headers(answer)["Last-Modified"]
    assert tag != headers(web.get("/a", 9))["ETag"] != '"recorded"'
    assert modified == "Tue, 14 Nov 2023 22:13:30 GMT"  # 10 seconds after the start
    for known in ({"if_none_match": f'"x", W/{tag}'}, {"if_modified_since": modified}):
        assert web.get("/a", 19, **known).status == 304
        assert web.get("/a", 19, **known).body == b""
        assert web.get("/a", 20, **known).status == 200
    assert web.get("/a", 19, if_none_match='"x"', if_modified_since=modified).status == 200
    assert web.get("/a", 19, if_modified_since="yesterday").status == 200


def test_servers_whose_validators_lie(make: Make) -> None:
    always = make(Announcing(validators="always-304"))
    known = headers(always.get("/a", 1))["ETag"]
    assert always.get("/a", 25, if_none_match=known).status == 304
    assert always.get("/a", 25).status == 200
    new = make(Announcing(validators="always-new"))
    answer = headers(new.get("/a", 1))
    assert new.get("/a", 2, if_none_match=answer["ETag"]).status == 200
    assert new.get("/a", 2, if_modified_since=answer["Last-Modified"]).status == 200
    assert new.get("/a", 2).body == new.get("/a", 1).body


def dates(web: Changing, day: float) -> dict[str, str]:
    text = web.get("/sitemap.xml", day).body.decode()
    return dict(re.findall(rf"<loc>{HOST}(.*?)</loc><lastmod>.*?T22:(.*?)\+00:00<", text))


def test_a_true_sitemap_dates_all_pages_that_are_there(make: Make) -> None:
    web = make()
    assert dates(web, 0) == {"/a": "13:20.000", "/old": "13:20.000"}
    assert dates(web, 21) == {"/a": "13:40.000", "/b": "13:25.000"}
    assert b"Sitemap: http://a.example/sitemap.xml" in web.get("/robots.txt", 0).body
    assert b"Disallow: /x\n" in web.get("/robots.txt", 0).body


def test_sitemaps_that_are_late_false_silent_or_not_there(make: Make) -> None:
    assert dates(make(Announcing("late")), 16.9)["/a"] == "13:20.000"
    assert dates(make(Announcing("late")), 17)["/a"] == "13:30.000"
    assert set(dates(make(Announcing("false")), 16).values()) == {"13:36.000"}
    assert dates(make(Announcing(announced=0)), 50)["/a"] == "13:20.000"
    none = make(Announcing("none"))
    assert none.get("/sitemap.xml", 1).status == 404
    assert b"Sitemap" not in none.get("/robots.txt", 1).body


def test_the_feed_has_the_latest_changes_first(make: Make) -> None:
    text = make().get("/feed.xml", 21).body.decode()
    assert re.findall(r'<link href="(.*?)"/>', text) == [f"{HOST}/a", f"{HOST}/b"]
    assert re.findall(r"T22:(.*?)\+", text) == ["13:40.000", "13:25.000"]
