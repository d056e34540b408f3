"""A crawl in Python and in notebooks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frontier import open_crawl
from frontier.errors import StoreMissingError
from frontier.inspection import CrawlView
from frontier.inspection.onepage import UnknownUrlError
from frontier.states import Change
from ranking.errors import RankingInputError
from tests.support.driven_crawl import LATER, NEXT, A, B, C, Page, small_crawl
from tests.support.revisited_at import revisited, revisited_crawl


def test_pages_are_rows_and_a_frame(job: Path) -> None:
    pages = open_crawl(job).pages()
    assert [(row["url"], row["title"], row["relevance"]) for row in pages] == [
        (A, "Page A", 0.75),
        (B, "Page B", 0.25),
        (C, "Page C", 0.5),
    ]
    frame = pages.to_pandas()
    assert list(frame.columns) == pages.columns
    assert frame.relevance.tolist() == [0.75, 0.25, 0.5]
    assert frame.fetched[0] == pd.Timestamp("2026-11-03T10:00:00Z")
    assert pages.to_arrow().num_rows == 3


def test_urls_in_other_states_are_there_too(job: Path) -> None:
    crawl = open_crawl(job)
    assert {row["url"] for row in crawl.pages("queued")} == {NEXT, LATER}
    assert len(list(crawl.pages(None))) == 8
    assert list(crawl.pages("trap")) == []
    with pytest.raises(RankingInputError, match="expected a state of queued"):
        crawl.pages("new")


def test_links_are_rows_a_frame_and_a_matrix(job: Path) -> None:
    crawl = open_crawl(job)
    urls = [str(row["url"]) for row in crawl.pages(None)]
    links = crawl.links()
    matrix = links.to_scipy()
    assert matrix.shape == (8, 8)
    frame = links.to_pandas()
    assert matrix.nnz == len(frame) == len(list(links)) == 10
    assert matrix[urls.index(A), urls.index(B)] == 1
    assert matrix[urls.index(C), urls.index(LATER)] == 0, "nofollow"
    weights = np.asarray(matrix[frame.source, frame.target]).ravel()
    assert weights.tolist() == frame.weight.tolist()


def test_top_explain_and_changes_are_those_of_the_commands(tmp_path: Path) -> None:
    revisited_crawl(tmp_path, revisited(0, (0, 200, Change.NEW), (4, 200, Change.CHANGED)))
    crawl = open_crawl(tmp_path)
    with CrawlView.open(tmp_path) as view:
        assert list(crawl.top(2)) == [row.as_dict() for row in view.top(2)]
        assert crawl.explain(NEXT).url == view.explain(NEXT).url
        changes = [change.as_dict() for change in view.changes().changes]
    assert [{**row} for row in crawl.changes()] == [{**row, "url": row["url"]} for row in changes]
    assert crawl.changes().to_pandas().change.tolist() == ["changed", "new"]
    assert crawl.top(1, by="relevance").to_pandas().url.tolist() == [A]
    with pytest.raises(UnknownUrlError):
        crawl.explain("http://never.example/")


def test_a_table_keeps_its_moment_beside_a_running_crawl(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path)
    opened = open_crawl(tmp_path)
    pages, links = opened.pages(), opened.links()
    crawl.web = {**crawl.web, NEXT: Page({"http://z.example/": 1.0}, 1.0, "next")}
    crawl.run()
    crawl.backend.commit()
    assert len(list(pages)) == 3
    assert len(list(links)) == 10
    assert len(list(opened.pages())) == 4
    assert "running" in repr(opened)
    crawl.close()
    assert "running" not in repr(opened)


def test_a_notebook_shows_the_report(job: Path) -> None:
    crawl = open_crawl(job)
    shown = crawl._repr_html_()
    assert "8 URLs, 6 answers" in shown
    assert 'sandbox="allow-scripts"' in shown
    assert shown.count('"') < 20, "the document is an attribute"
    assert "anchor" in repr(crawl.links())


def test_a_directory_without_a_crawl_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError):
        open_crawl(tmp_path)


def test_to_open_a_crawl_loads_neither_pandas_nor_pyarrow_nor_scrapy(job: Path) -> None:
    program = (
        "import sys, frontier\n"
        "assert 'numpy' not in sys.modules\n"
        f"crawl = frontier.open_crawl({str(job)!r})\n"
        "assert len(list(crawl.pages())) == 3\n"
        "print(sorted({'pandas', 'pyarrow', 'scrapy', 'twisted'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "[]\n", done.stderr
