"""A crawl that was seeded with scores: its order, and that everybody agrees on it for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from frontier.errors import CrawlChangedError, SettingsError
from frontier.inspection import CrawlView
from frontier.store import StoreReader
from frontier.strategy.prior_scores import stored_prior
from ranking.orders import ORDERS
from tests.support.driven_crawl import DrivenCrawl, Page

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
        handed = {reader.urls_of([p.url_id])[0]: p.priority for p in reader.iter_pages()}
    assert handed[PAGES[9]] == pytest.approx(-10 / 10 ** (5 / 6))
    assert handed[PAGES[5]] == pytest.approx(-6 / 10 ** (0.5 * 5 / 7))
    assert handed[PAGES[1]] == -2


def test_seeds_of_a_new_crawl_go_by_what_they_scored(tmp_path: Path) -> None:
    seeded = crawl(None, scores=scores(tmp_path, p2=1.0, p8=5.0, p4=3.0))
    seeded.seed(*PAGES)
    seeded.run()
    seeded.close()
    assert numbers(seeded.fetched)[:10] == [*"8420135679"]


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


def test_onlookers_see_the_priorities_of_the_crawl(tmp_path: Path) -> None:
    seeded = crawl(tmp_path / "job", scores=scores(tmp_path, p9=7.0, p5=3.0))
    seeded.seed(SEED)
    seeded.run(3)
    seeded.backend.commit()
    ids = seeded.backend.queue.queued()
    own = dict(zip(ids.tolist(), seeded.backend.driver.priorities(ids).tolist(), strict=True))
    with CrawlView.open(tmp_path / "job") as view:
        rows = {row.url: row.priority for row in view.top(20)}
        assert view.url(PAGES[5]).priority == rows[PAGES[5]]
    assert rows == {seeded.backend.url(one): value for one, value in own.items()}
    seeded.close()


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
    with pytest.raises(SettingsError, match=r"line 2 .*scores\.tsv"):
        crawl(tmp_path / "job", scores=str(path))
    with StoreReader.open(tmp_path / "job") as reader:
        assert reader.settings() == {}
    crawl(tmp_path / "job").close()
