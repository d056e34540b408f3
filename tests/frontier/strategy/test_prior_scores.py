"""A crawl that was seeded with scores: its order, and that everybody agrees on it for ever."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from frontier.errors import CrawlChangedError, SettingsError
from frontier.inspection import CrawlView
from frontier.store import StoreReader
from frontier.store.schema import IDENTITY
from frontier.strategy.prior_scores import scored_urls as urls_in_rows
from frontier.strategy.prior_scores import stored_prior
from ranking.errors import LinkRankError, OfflineInputError
from ranking.offline import write_scores
from ranking.offline.scores import value_rows
from ranking.orders import ORDERS
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.stored import stored_pages
from tests.support.told import telling

SEED = "http://seed.example/"
PAGES = [f"http://h{i % 3}.example/{i}" for i in range(10)]
"""In the order in which the seed links to them: ids 1 to 10."""
WEB = {
    SEED: Page(dict.fromkeys(PAGES, 0.5), 0.5),
    PAGES[9]: Page({PAGES[5]: 0.9, PAGES[0]: 0.1}, 0.75),
    PAGES[5]: Page({PAGES[7]: 0.9, "http://new.example/": 0.1}, 0.25),
}


def scores(folder: Path, **scored: float) -> str:
    """Write scores of pages by their number, spelled in another way than the links."""
    path = folder / "scores.tsv"
    lines = [f"HTTP://H{int(n[1:]) % 3}.example/{n[1:]}#top\t{s}" for n, s in scored.items()]
    path.write_text("\n".join(["name\tscore", *lines, ""]))
    return str(path)


def crawl(directory: Path | None, **config: Any) -> DrivenCrawl:
    return DrivenCrawl(directory, WEB, **{"strategy": "bfs", "topic": "x", **config})


def scored_urls(path: str) -> Iterator[tuple[str, float]]:
    return urls_in_rows(value_rows(path), path)


def numbers(urls: list[str]) -> list[str]:
    return [url.rpartition("/")[2] for url in urls if url != SEED]


def test_a_crawl_with_scores_fetches_in_another_order(tmp_path: Path) -> None:
    """Breadth first gives -id. Shares are 1 and 1/2: -10 / 10^(5/6) precedes -2, -6 / 10^(5/12)
    would too, and no longer does when a second page, the first of the two, links to it.
    """
    plain = crawl(None)
    plain.seed(SEED)
    plain.run()
    plain.close()
    assert numbers(plain.fetched) == [*"0123456789", ""]
    seeded = crawl(tmp_path / "job", scores=scores(tmp_path, p9=7.0, p5=3.0))
    seeded.seed(SEED)
    seeded.run()
    seeded.close()
    assert numbers(seeded.fetched) == [*"0915234678", ""]
    with StoreReader.open(tmp_path / "job") as reader:
        lease = {reader.urls_of([p.url_id])[0]: p.priority for p in stored_pages(reader)}
    assert lease[PAGES[9]] == pytest.approx(-10 / 10 ** (5 / 6))
    assert lease[PAGES[5]] == pytest.approx(-6 / 10 ** (0.5 * 5 / 7))
    assert lease[PAGES[1]] == -2


@pytest.mark.parametrize("strategy", sorted(ORDERS))
def test_every_order_goes_on_as_if_never_stopped_and_the_file_is_not_needed(
    tmp_path: Path, strategy: str
) -> None:
    path = scores(tmp_path, p9=7.0, p5=3.0, p7=2.0, p1=0.5)
    whole = crawl(None, scores=path, strategy=strategy, rerank_min_pages=3)
    whole.seed(SEED)
    whole.run()
    whole.close()
    plain = crawl(None, strategy=strategy, rerank_min_pages=3)
    plain.seed(SEED)
    plain.run()
    plain.close()
    assert sorted(whole.fetched) == sorted(plain.fetched)
    assert whole.fetched != plain.fetched
    job = tmp_path / "job"
    stopped = crawl(job, scores=path, strategy=strategy, rerank_min_pages=3)
    stopped.seed(SEED)
    stopped.run(2)
    stopped.close()
    Path(path).unlink()
    resumed = crawl(job, scores=path, strategy=strategy, rerank_min_pages=3)
    with CrawlView.open(job) as view:
        queued = [row.url for row in view.top(20)]
    assert queued[0] == whole.fetched[2]
    resumed.step()
    resumed.close()
    assert resumed.fetched == whole.fetched[2:3]


def test_resuming_with_other_scores_is_refused_unless_it_is_meant(tmp_path: Path) -> None:
    job, path = tmp_path / "job", scores(tmp_path, p9=7.0)
    crawl(job, scores=path).close()
    with pytest.raises(CrawlChangedError, match=r"scores .*scores\.tsv' .*''"):
        crawl(job)
    crawl(job, accept_changes=True).close()
    with StoreReader.open(job) as reader:
        assert stored_prior(reader) is None
    crawl(job, scores=path, accept_changes=True).close()
    with StoreReader.open(job) as reader:
        assert stored_prior(reader) is not None


def test_a_bad_file_is_refused_and_leaves_the_crawl_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("name\tscore\nhttp://a.example/\tx\n")
    with pytest.raises(OfflineInputError, match=r"scores\.tsv.*row 2"):
        crawl(tmp_path / "job", scores=str(path))
    with StoreReader.open(tmp_path / "job") as reader:
        assert IDENTITY not in reader.settings()
    crawl(tmp_path / "job").close()


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


@pytest.mark.parametrize(
    "content",
    [
        text(""),
        "URL\tscore\tdepth\n" + "".join(f"{url}\t{score}\t7\n" for url, score in ROWS),
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
        (b"http://x.example/", "'http://x.example/'|Expected 2 columns"),
        (b"http://x.example/\tmuch", "'much'"),
        (b"http://x.example/\tnan", "expected a number .* got nan"),
        (b"http://x.example/\t-1", "expected a number .* got -1.0"),
        (b"x.example\t1", "'x.example' .*-a scores=FILE"),
        (b"\t1", "a name is empty"),
        (b"http://x.example/\xff\t1", "UTF-?8"),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "scores.tsv"
    path.write_bytes(text().encode() + line + b"\n")
    with pytest.raises(LinkRankError, match=reason) as refusal:
        list(scored_urls(str(path)))
    assert str(path) in str(refusal.value)
    assert "row 5" in str(refusal.value) or "\xff" in repr(line)


def test_urls_without_scores_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("http://a.example/\nhttp://b.example/\n")
    with pytest.raises(SettingsError, match="it has one column"):
        list(scored_urls(str(path)))


def test_a_file_that_is_not_there_or_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LinkRankError, match="absent"):
        list(scored_urls(str(tmp_path / "absent.tsv")))
    cut = tmp_path / "cut.tsv.gz"
    cut.write_bytes(gzip.compress(text().encode() * 500)[:-9])
    with pytest.raises(LinkRankError, match="truncated"):
        list(scored_urls(str(cut)))


def test_a_parquet_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"url": ["http://a.example/"], "host": ["a"]}), path)
    with pytest.raises(OfflineInputError, match="expected numbers"):
        list(scored_urls(str(path)))
    pq.write_table(pa.table({"url": ["http://a.example/", None], "score": [1.0, 2.0]}), path)
    with pytest.raises(OfflineInputError, match=telling("row 2", "empty")):
        list(scored_urls(str(path)))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(OfflineInputError, match="cannot read"):
        list(scored_urls(str(path)))
