"""The tables of a crawl, opened by the tools that they are made for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from frontier.export import export_crawl
from frontier.inspection import CrawlView
from frontier.states import Change
from ranking.errors import OfflineInputError
from ranking.offline.scores import value_rows
from tests.frontier.export.test_export import EDGES, URLS, check_nodes, check_numbers
from tests.support.driven_crawl import A, C
from tests.support.exported import odd_crawl
from tests.support.revisited_at import DAY, START, revisited, revisited_crawl

TABLES = ["pages", "links", "anchors", "scores", "changes", "dictionary"]


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Path]:
    crawl = odd_crawl(tmp_path / "job", strategy="bfs")
    yield tmp_path / "job"
    crawl.close()


@pytest.fixture
def folder(job: Path, tmp_path: Path) -> Path:
    written = export_crawl(job, "parquet", tmp_path / "tables")
    assert [path.name for path in written.files] == [f"{name}.parquet" for name in TABLES]
    assert (written.nodes, written.edges) == (len(URLS), len(EDGES))
    return tmp_path / "tables"


def rows(path: Path) -> list[dict[str, Any]]:
    table = pd.read_parquet(path).astype(object)
    return table.where(table.notna(), None).to_dict("records")  # type: ignore[return-value]


def test_pages_in_pandas_are_those_of_the_crawl(job: Path, folder: Path) -> None:
    pages = rows(folder / "pages.parquet")
    assert [row["id"] for row in pages] == list(range(len(URLS)))
    assert pages[0]["fetched"] == datetime(2026, 11, 3, 10, tzinfo=timezone.utc)
    check_nodes([{**row, "fetched": "2026-11-03T10:00:00Z"} for row in pages])
    with CrawlView.open(job) as view:
        check_numbers(pages, {row.url: row for row in view.top(100, state=None)})


def test_links_and_anchors_in_duckdb_are_those_of_the_crawl(folder: Path) -> None:
    query = """
        SELECT a.url, b.url, anchor, weight FROM '{0}/links.parquet' AS links
        JOIN '{0}/pages.parquet' AS a ON a.id = links.source
        JOIN '{0}/pages.parquet' AS b ON b.id = links.target
        LEFT JOIN '{0}/anchors.parquet' AS texts USING (source, target)
    """
    found = duckdb.sql(query.format(folder)).fetchall()
    assert {(a, b): (anchor, weight) for a, b, anchor, weight in found} == EDGES
    assert len(found) == len(EDGES)
    redirects = f"SELECT source, target FROM '{folder}/links.parquet' WHERE redirect"
    assert duckdb.sql(redirects).fetchall() == [(2, 4)]


def test_scores_in_polars_are_those_of_the_order_and_a_file_of_scores(tmp_path: Path) -> None:
    crawl = odd_crawl(tmp_path / "job", strategy="opic")
    folder = tmp_path / "tables"
    export_crawl(tmp_path / "job", "parquet", folder)
    scores = pl.read_parquet(folder / "scores.parquet")
    assert scores.columns == ["url", "score", "id"]
    assert scores["score"].to_list() == crawl.backend.driver.order.scores["score"].tolist()
    assert sum(len(some.columns["value"]) for some in value_rows(folder / "scores.parquet")) == 10
    crawl.close()


def test_without_scores_there_is_an_empty_file_of_scores(folder: Path) -> None:
    assert pl.read_parquet(folder / "scores.parquet").shape == (0, 3)


def test_the_dictionary_has_every_column_of_every_table_and_what_it_means(folder: Path) -> None:
    described = rows(folder / "dictionary.parquet")
    for name in TABLES[:-1]:
        columns = [row for row in described if row["table"] == name]
        schema = pq.read_schema(folder / f"{name}.parquet")
        assert [row["column"] for row in columns] == schema.names
        for row in columns:
            kind = str(schema.field(row["column"]).type)
            assert row["type"] == ("time" if kind.startswith("timestamp") else kind)
            assert len(row["meaning"]) > 4


def test_changes_are_those_of_the_command(tmp_path: Path) -> None:
    revisited_crawl(
        tmp_path / "job",
        revisited(0, (0, 200, Change.NEW), (4, 200, Change.CHANGED), (5, 304, Change.UNCHANGED)),
        revisited(5, (2, 200, Change.NEW), (3, None, Change.FORBIDDEN)),
    )
    export_crawl(tmp_path / "job", "parquet", tmp_path / "tables")
    found = rows(tmp_path / "tables" / "changes.parquet")
    days = [datetime.fromtimestamp(START + day * DAY, timezone.utc) for day in range(6)]
    assert [(row["url"], row["change"], row["seen"]) for row in found[:2]] == [
        (A, "new", days[0]),
        (A, "changed", days[4]),
    ]
    with CrawlView.open(tmp_path / "job") as view:
        assert len(found) == len(view.changes().changes)
    assert C not in {row["url"] for row in found}


def test_a_file_in_the_place_of_the_folder_stays(job: Path, tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_text("mine")
    with pytest.raises(OfflineInputError, match="expected a folder"):
        export_crawl(job, "parquet", tmp_path / "x.parquet")
    assert (tmp_path / "x.parquet").read_text() == "mine"
