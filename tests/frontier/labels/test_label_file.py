"""Labels lie beside the crawl, are appended whole, and are read while others write."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import LabelsError
from frontier.labels.label_file import (
    FILE,
    Label,
    LabelFile,
    append_labels,
    parse_label,
    read_labels,
)

A = Label("http://a.example/", wanted=True)
B = Label("http://b.example/", wanted=False)
C = Label("http://c.example/", wanted=True)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    append_labels(tmp_path, [A, B])
    append_labels(tmp_path, [C])
    assert read_labels(tmp_path) == [A, B, C]
    text = (tmp_path / FILE).read_text()
    assert text == "yes\thttp://a.example/\nno\thttp://b.example/\nyes\thttp://c.example/\n"


def test_what_was_said_last_holds(tmp_path: Path) -> None:
    append_labels(tmp_path, [A, B, Label(A.url, wanted=False)])
    assert read_labels(tmp_path) == [B, Label(A.url, wanted=False)]


def test_without_a_file_there_is_none(tmp_path: Path) -> None:
    assert read_labels(tmp_path) == []


def test_only_news_are_told(tmp_path: Path) -> None:
    file = LabelFile(tmp_path)
    assert file.news() == []
    append_labels(tmp_path, [A])
    assert file.news() == [A]
    assert file.news() == []
    append_labels(tmp_path, [B, C, A])
    assert file.news() == [B, C]
    append_labels(tmp_path, [Label(A.url, wanted=False)])
    assert file.news() == [Label(A.url, wanted=False)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_any_editor_may_have_written_it(tmp_path: Path, encoding: str, ends: str) -> None:
    rows = ["yes\thttp://a.example/", "no\thttp://b.example/"]
    (tmp_path / FILE).write_bytes(ends.join(rows).encode(encoding))
    assert read_labels(tmp_path) == [A, B]
    append_labels(tmp_path, [C])
    assert read_labels(tmp_path) == [A, B, C]


def test_a_line_torn_by_a_crash_costs_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).write_text("yes\thttp://a.example/\nno\tht")
    append_labels(tmp_path, [C])
    assert read_labels(tmp_path) == [A, C]
    assert "'no\\tht'" in caplog.text


def test_a_file_that_was_edited_is_read_anew(tmp_path: Path) -> None:
    file = LabelFile(tmp_path)
    append_labels(tmp_path, [A, B])
    assert file.news() == [A, B]
    (tmp_path / FILE).write_text("# mine\n\nyes http://c.example/\n")
    assert file.news() == [C]


@pytest.mark.parametrize(
    "line",
    ["", "yes", "maybe http://a.example/", "yes ftp://a.example/", "http://a.example/ yes",
     "yes http://a.example/ http://b.example/", "no http://"],
)  # fmt: skip
def test_lines_that_are_none(line: str) -> None:
    with pytest.raises(LabelsError, match="expected 'yes URL' or 'no URL', got"):
        parse_label(line)


@given(st.binary(max_size=200))
def test_no_file_makes_a_crawl_fail(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    directory = tmp_path_factory.mktemp("labels")
    (directory / FILE).write_bytes(data)
    logging.getLogger("frontier.labels.label_file").setLevel(logging.ERROR)
    append_labels(directory, [A])
    assert read_labels(directory)[-1:] == [A]
