"""What a real crawl that refreshes shows of it, while it runs and afterwards."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from frontier.export import export_crawl
from frontier.inspection import CrawlView
from frontier.recovery import check
from tests.frontier.plugin.test_refreshing import SOON, page
from tests.support.scrapy_runs import WANDERER, run_spider
from tests.support.sites import serving
from tests.support.told import tells


def test_a_crawl_shows_both_halves_and_then_what_changed(tmp_path: Path) -> None:
    job, shown = tmp_path / "job", ("FRONTIER_PROGRESS=1", "FRONTIER_SUMMARY=1")
    with serving(page) as site:
        run = run_spider(tmp_path, WANDERER.format(url=site.url), f"JOBDIR={job}", *SOON, *shown)
    assert run.returncode == 0, run.log
    assert tells(run.log, "pages", "new", "looked at again", "changed")
    looks = run.stats["frontier/refresh/looks"]
    assert tells(run.stdout, "pages fetched", 6)
    assert tells(run.stdout, "looked at again", f"{looks:,}", "1 gone", "1 moved")
    with CrawlView.open(job) as view:
        report, stats = view.changes(), view.stats().refresh
    changed = {(one.change, urlsplit(one.url).path): one for one in report.changes}
    assert {path for change, path in changed if change == "new"} >= {"/same", "/there"}
    assert {path for change, path in changed if change == "changed"} == {"/news"}
    assert {path for change, path in changed if change == "gone"} == {"/gone"}
    assert changed["moved", "/moved"].moved_to == f"{site.url}/there"
    assert stats is not None
    assert (stats.looks, stats.gone, stats.moved) == (looks, 1, 1)
    assert check(job).intact
    assert export_crawl(job, "csv", tmp_path / "x.csv").nodes == 6
