"""Lists of URLs as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.backend.bad_pages import read_distrust
from frontier.errors import LabelsError, SeedsError
from frontier.lab.protocol.keywords import read_keywords
from frontier.lab.protocol.labels import Labels, read_labels
from frontier.labels.label_file import parse_label
from frontier.strategy.prior_scores import scored_urls
from frontier.urls.url_lists import parse_lines, read_seeds, url_fault
from ranking.offline.scores import value_rows


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


def test_a_comma_within_a_url_separates_nothing() -> None:
    assert read_seeds("http://a.example/x,y,http://b.example/,").urls == (
        "http://a.example/x,y",
        "http://b.example/",
    )


A, B = "http://a.example/", "http://b.example/"
READERS = {
    "seeds": (f"{A}\n{B}", lambda path: read_seeds(path).urls == (A, B)),
    "distrust": (
        f"a.example\n{B}",
        lambda path: A in read_distrust(path) and B in read_distrust(path),
    ),
    "scores": (
        f"{A}\t1\n{B}\t2",
        lambda path: list(scored_urls(value_rows(path), path)) == [(A, 1), (B, 2)],
    ),
    "labels of a web": (
        f"{A}\tx\n{B}\ty",
        lambda path: read_labels(Path(path)) == Labels({"x": (A,), "y": (B,)}),
    ),
    "keywords": (
        "x\tc d\ny\te f",
        lambda path: read_keywords(Path(path))[0] == {"x": "c d", "y": "e f"},
    ),
}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("kind", "encoding"),
    [
        (kind, encoding)
        for kind in READERS
        for encoding in ("utf-8", "utf-8-sig", "utf-16")
        if (kind, encoding) != ("scores", "utf-16")
    ],
)
def test_files_are_read_as_any_editor_writes_them(
    tmp_path: Path, kind: str, encoding: str, ends: str
) -> None:
    text, is_read = READERS[kind]
    for last in ("", ends):
        file = tmp_path / "file"
        file.write_bytes((text.replace("\n", ends) + last).encode(encoding))
        assert is_read(str(file))


@pytest.mark.parametrize(
    "bad", ["u:sekrit@h", "u:se@krit@h:80", "u:se/krit@h", "u:se krit@h", "u:1sekrit@h"]
)
def test_a_password_is_refused_and_not_shown(tmp_path: Path, bad: str) -> None:
    file = tmp_path / "seeds.txt"
    for source in (f"http://{bad}/", str(file)):
        file.write_text(f"http://{bad}/")
        with pytest.raises(SeedsError) as refused:
            read_seeds(source)
        assert "krit" not in str(refused.value)
        assert "password" in str(refused.value)
    with pytest.raises(LabelsError) as refused_label:
        parse_label(f"yes http://{bad}/")
    assert "krit" not in str(refused_label.value)
    assert read_seeds("http://h:80/@x").urls == ("http://h:80/@x",)


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
