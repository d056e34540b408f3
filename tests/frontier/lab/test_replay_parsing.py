from __future__ import annotations

from pathlib import Path

import pytest

from frontier.errors import RecordingError
from frontier.lab.replay.parsing import ROBOTS, digest_of, open_recording
from frontier.lab.replay.webfile import WARNINGS, AnswerKind, Parsed, WebFile
from frontier.parsing.html import PageContent
from frontier.web.recorded_web import Recorded
from tests.frontier.lab import lab_warcs as warcs

A, B = "http://a.example/", "http://b.example/"
CUT = b"WARC/1.0\r\nWARC-Type: response\r\n"


class Parser:
    """Says of a page what its body is; counts what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, recorded: Recorded) -> Parsed:
        self.asked.append(recorded.url)
        return Parsed(AnswerKind.PAGE, recorded.status, PageContent("", recorded.body.decode(), []))


def opened(parser: Parser, cache: Path, *paths: Path, said: str = "") -> WebFile:
    return open_recording(paths, parser, said, cache)


def test_a_recording_is_parsed_once(tmp_path: Path) -> None:
    path = warcs.plain(tmp_path / "one.warc", warcs.page(A, b"x"), warcs.page(B, b"y"))
    parser = Parser()
    for _ in range(2):
        with opened(parser, tmp_path / "cache", path) as web:
            assert (web.name, list(web.urls)) == ("one", [A, B])
            assert web.read(1).content.text == "y"
    assert parser.asked == [A, B]


def test_another_recording_or_another_parser_is_parsed_anew(tmp_path: Path) -> None:
    path = warcs.plain(tmp_path / "one.warc", warcs.page(A, b"x"))
    parser, cache = Parser(), tmp_path / "cache"
    opened(parser, cache, path)
    opened(parser, cache, path, said="other limits")
    warcs.plain(path, warcs.page(A, b"changed"))

    assert opened(parser, cache, path).read(0).content.text == "changed"
    assert len(parser.asked) == 3
    assert len(list(cache.iterdir())) == 3


def test_robots_txt_is_kept_apart(tmp_path: Path) -> None:
    rules = warcs.page("http://a.example/robots.txt", b"User-agent: *")
    none = warcs.page("http://b.example/robots.txt", b"none", "404 Not Found")
    path = warcs.plain(tmp_path / "one.warc", warcs.page(A), rules, none)
    web = opened(Parser(), tmp_path, path)

    assert list(web.urls) == [A]
    assert web.extra[ROBOTS] == {"a.example": b"User-agent: *"}


def test_what_is_broken_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = warcs.plain(tmp_path / "one.warc", warcs.page(A), CUT)
    web = opened(Parser(), tmp_path, path)

    assert list(web.urls) == [A]
    (damage,) = web.extra[WARNINGS]
    assert f"{path}, offset" in damage


def test_nothing_is_left_of_a_recording_that_cannot_be_read(tmp_path: Path) -> None:
    path = warcs.plain(tmp_path / "one.warc", CUT)
    with pytest.raises(RecordingError):
        opened(Parser(), tmp_path / "cache", path)
    with pytest.raises(RecordingError, match="cannot be read"):
        digest_of([tmp_path / "nowhere.warc"])

    assert list((tmp_path / "cache").iterdir()) == []
