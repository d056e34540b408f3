"""Files of scores: every form that is written is read, and a bad line is named by its number."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from frontier.errors import SettingsError
from frontier.strategy.score_file import scored_urls
from ranking.errors import LinkRankError
from ranking.offline import write_scores
from tests.support.told import telling

ROWS = [
    ("http://a.example/", 0.5),
    ("http://b.example/?x=1&y=2", 0.25),
    ("https://c.example/ü", 0.0),
]


def text(head: str = "name\tscore\n") -> str:
    return head + "".join(f"{url}\t{score}\n" for url, score in ROWS)


@pytest.mark.parametrize("suffix", [".tsv", ".tsv.gz", ".tsv.xz", ".parquet"])
def test_what_the_offline_ranking_writes_is_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    urls, column = zip(*ROWS, strict=True)
    columns = {"score": np.array(column), "hub": np.full(3, 9.0)}
    write_scores(path, urls, columns)
    assert list(scored_urls(str(path))) == ROWS


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_compression_is_told_by_the_first_bytes(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "scores"
    path.write_bytes(pack(text().encode()))
    assert list(scored_urls(str(path))) == ROWS


@pytest.mark.parametrize(
    "content",
    [
        text(""),
        "URL\tdepth\tscore\n" + "".join(f"{url}\t7\t{score}\n" for url, score in ROWS),
        "\ufeff" + text().replace("\n", "\r\n"),
        text()[:-1],
        text() + "\n\n",
    ],
    ids=["no head", "another column", "from Windows", "no last line end", "blank lines"],
)
def test_forms_of_a_text(tmp_path: Path, content: str) -> None:
    path = tmp_path / "scores.tsv"
    path.write_bytes(content.encode())
    assert list(scored_urls(str(path))) == ROWS


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"http://x.example/", "found 'http://x.example/'"),
        (b"http://x.example/\tmuch", "'much' is no finite number"),
        (b"http://x.example/\tnan", "'nan' is no finite number"),
        (b"http://x.example/\t", "'' is no finite number"),
        (b"x.example\t1", "'x.example'"),
        (b"\t1", "''"),
        (b"http://x.example/\xff\t1", "UTF-8"),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "scores.tsv"
    path.write_bytes(text().encode() + line + b"\n")
    with pytest.raises(SettingsError) as refusal:
        list(scored_urls(str(path)))
    told = str(refusal.value)
    assert f"line 5 of {path}" in told
    assert reason in told
    assert "-a scores=FILE" in told


def test_a_file_that_is_not_there_or_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LinkRankError, match="absent"):
        list(scored_urls(str(tmp_path / "absent.tsv")))
    cut = tmp_path / "cut.tsv.gz"
    cut.write_bytes(gzip.compress(text().encode() * 500)[:-9])
    with pytest.raises(LinkRankError, match="truncated"):
        list(scored_urls(str(cut)))


def test_a_parquet_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"url": ["http://a.example/"], "size": [1]}), path)
    with pytest.raises(SettingsError, match="url, size"):
        list(scored_urls(str(path)))
    pq.write_table(pa.table({"url": ["http://a.example/", None], "score": [1.0, 2.0]}), path)
    with pytest.raises(SettingsError, match=telling("row 2", "'None'")):
        list(scored_urls(str(path)))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(LinkRankError, match="damaged"):
        list(scored_urls(str(path)))
