"""The made links of `python -m benchmarks beyond` are those of a crawl."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks import zipf
from benchmarks.ranked import difference

LINKS, NODES = 30_000, 400


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of links, made in blocks that do not fill its files."""
    monkeypatch.setattr(zipf, "PART", 12_000)
    monkeypatch.setattr(zipf, "BLOCK", 5000)
    zipf.write_links(tmp_path / "edges", LINKS, NODES)
    return tmp_path / "edges"


def test_the_links_asked_for_lie_in_numbered_files(made: Path) -> None:
    rows = [pq.read_metadata(path).num_rows for path in sorted(made.iterdir())]
    assert rows == [12_000, 12_000, 6000]


def test_one_node_in_four_has_links_and_the_most_linked_are_among_them(made: Path) -> None:
    links = pq.read_table(made)
    sources, targets = np.asarray(links["source"]), np.asarray(links["target"])
    degrees = np.bincount(targets, minlength=NODES)
    assert len(degrees) == NODES
    assert len(np.unique(sources)) == NODES // 4
    assert set(np.argsort(degrees)[-20:].tolist()) <= set(sources.tolist())


def test_in_degrees_fall_with_the_rank_as_those_of_the_web(made: Path) -> None:
    degrees = np.sort(np.bincount(np.asarray(pq.read_table(made)["target"])))[::-1]
    slope, _ = np.polyfit(np.log(np.arange(5, 100)), np.log(degrees[5:100]), 1)
    assert slope == pytest.approx(-zipf.SKEW, abs=0.1)


def test_the_same_sizes_give_the_same_links(made: Path, tmp_path: Path) -> None:
    zipf.write_links(tmp_path / "again", LINKS, NODES)
    assert pq.read_table(made).equals(pq.read_table(tmp_path / "again"))


def test_scores_are_compared_by_name_in_whatever_order_they_lie(tmp_path: Path) -> None:
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    pq.write_table(pa.table({"name": [7, 3], "score": [0.75, 0.25]}), one)
    pq.write_table(pa.table({"name": [3, 7], "score": [0.5, 0.5]}), other)
    assert difference(one, other) == 0.5
