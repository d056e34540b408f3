"""Lists of URLs as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import SeedsError
from frontier.urls.url_lists import parse_lines, read_seeds, url_fault


def test_comments_blank_lines_and_repetitions_are_passed_over() -> None:
    listing = parse_lines(
        "# a comment\n\n  http://a.example/x#y  \nhttp://b.example/ # why\nhttp://b.example/\n"
    )
    assert listing.urls == ("http://a.example/x#y", "http://b.example/")
    assert listing.skipped == ()


def test_lines_that_are_no_urls_are_kept_with_number_and_reason() -> None:
    listing = parse_lines("http://a.example/\nfoo\nhttp:///x\nhttp://[::1\nhttp://a b/\n")
    assert listing.urls == ("http://a.example/",)
    assert [(number, text) for number, text, _ in listing.skipped] == [
        (2, "foo"),
        (3, "http:///x"),
        (4, "http://[::1"),
        (5, "http://a b/"),
    ]


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("https://a.example/", None),
        ("HTTP://A.example:8080/x?y=z", None),
        ("http://münchen.example/", None),
        ("ftp://a.example/", "does not start with http:// or https://"),
        ("//a.example/", "does not start with http:// or https://"),
        ("http://", "has no host name"),
        ("http://a.example:0/", "port 0 cannot be reached"),
    ],
)
def test_what_is_wrong_with_a_url_is_said(url: str, fault: str | None) -> None:
    assert url_fault(url) == fault


@given(st.text())
def test_any_text_is_read_without_an_exception(text: str) -> None:
    for url in parse_lines(text).urls:
        assert url_fault(url) is None


def test_seeds_are_urls_separated_by_commas() -> None:
    assert read_seeds("http://a.example/, http://b.example/").urls == (
        "http://a.example/",
        "http://b.example/",
    )


def test_a_comma_within_a_url_separates_nothing() -> None:
    assert read_seeds("http://a.example/x,y,http://b.example/,").urls == (
        "http://a.example/x,y",
        "http://b.example/",
    )


def test_seeds_are_a_file_with_or_without_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_bytes("\ufeffhttp://a.example/\r\nhttp://b.example/\r\n".encode())
    assert read_seeds(str(file)).urls == ("http://a.example/", "http://b.example/")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found none"),
        (b"# nothing\n\n", "found none"),
        (b"a\nb\n", "line 1, 'a', does not start with"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_a_file_without_seeds_is_an_error(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "seeds.txt"
    file.write_bytes(content)
    with pytest.raises(SeedsError, match=message):
        read_seeds(str(file))


@pytest.mark.parametrize("source", ["", "  ", "/no/such/file", "."])
def test_no_seeds_at_all_is_an_error(source: str) -> None:
    with pytest.raises(SeedsError, match="Expected"):
        read_seeds(source)
