"""Labels in real crawls: heard while they run, and when they go on."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from frontier.config import CrawlConfig
from frontier.errors import StoreError
from frontier.inspection import CrawlView
from frontier.inspection.rendering import harvest_rate_text
from frontier.labels.at_random import rate_of_crawl
from frontier.labels.label_file import Label, append_labels
from frontier.labels.questions import questions
from frontier.plugin.extensions.labels import EVERY, LabelReader
from frontier.store import StoreReader
from tests.support.scrapy_runs import WANDERER, run_spider
from tests.support.sites import Site, links, serving
from tests.support.stored import stored_urls
from tests.support.told import tells

COUNT = 3 * EVERY
FIRST = 1


def text_of(page: int) -> str:
    tree = ("larch", "cedar", "spruce")[page % 3]
    return f"Number {page} is about pines and about the {tree}, a conifer with needles."


def web() -> dict[str, str]:
    """A chain of pages that are all about the same."""
    pages = {f"/{i}": links(f"/{i + 1}", text=text_of(i)) for i in range(1, COUNT)}
    return {"/": links("/1", text="pines"), **pages, f"/{COUNT}": links(text="the end")}


def crawl(folder: Path, site: Site, *settings: str) -> dict[str, object]:
    run = run_spider(
        folder,
        WANDERER.format(url=f"{site.url}/"),
        f"JOBDIR={folder / 'job'}",
        "FRONTIER_TOPIC=pines",
        *settings,
    )
    assert run.returncode == 0, run.log
    assert "Traceback" not in run.log, run.log
    return {**run.stats, "log": run.log, "stdout": run.stdout}


def judged(folder: Path, site: Site, *pages: int) -> list[float | None]:
    wanted = {f"{site.url}/{page}" for page in pages}
    with StoreReader.open(folder / "job") as reader:
        rows = {row.url: reader.page_row(row.url_id) for row in stored_urls(reader)}
    return [rows[url].relevance for url in sorted(wanted)]  # type: ignore[union-attr]  # all were fetched


def test_a_label_is_heard_by_a_running_crawl(tmp_path: Path) -> None:
    with serving(dict(web())) as site:
        spoken: list[object] = []

        def speak(_: object) -> tuple[int, dict[str, str], bytes]:
            if not spoken:
                spoken.append(append_labels(tmp_path / "job", [Label(f"{site.url}/1", False)]))
            return 200, {"Content-Type": "text/html"}, links("/6", text=text_of(5)).encode()

        site.pages["/5"] = speak
        log = crawl(tmp_path, site)["log"]
    assert judged(tmp_path, site, FIRST) == [0]
    assert len([line for line in str(log).splitlines() if tells(line, "topic", "anew")]) == 1


def test_a_crawl_that_people_labelled_at_random_tells_its_harvest_rate(tmp_path: Path) -> None:
    """And when it goes on, of the pages there were; what came since has no labels."""
    job, first = tmp_path / "job", 2 * EVERY
    with serving(dict(web())) as site:
        crawl(tmp_path, site, f"CLOSESPIDER_PAGECOUNT={first}")
        before = harvest_of(crawl(tmp_path, site, "CLOSESPIDER_PAGECOUNT=1", "FRONTIER_SUMMARY=1"))
        for at, asked in enumerate(questions(job, 12, at_random=True)):
            append_labels(job, [Label(asked.url, wanted=at % 4 == 0)])
        with StoreReader.open(job) as reader:
            expected = rate_of_crawl(reader, CrawlConfig(), job)
        assert expected is not None
        assert 0 < expected.estimate < 1
        share = f"~{100 * expected.estimate:.0f} %"
        assert tells(stats_text_of(job), "harvest rate", share, 12)
        after = crawl(tmp_path, site, "FRONTIER_SUMMARY=1")
    assert before == {}
    with StoreReader.open(job) as reader:
        later = rate_of_crawl(reader, CrawlConfig(), job)
    assert later is not None
    # By chance no page that came since belongs to the sample, which then stands for all pages.
    of = [] if later.until is None else ["fetched before"]
    told = harvest_of(after)
    found = [told[name] for name in ("estimate", "low", "high", "labelled")]
    assert found == pytest.approx(expected[:4], rel=1e-3)
    assert told["low"] < told["estimate"] < told["high"]
    assert told["labelled"] == 12
    for text in (str(after["stdout"]), "\n".join(stats_text_of(job))):
        (shown,) = re.findall(r"harvest rate +~(\d+) %", text)
        assert int(shown) == pytest.approx(100 * expected.estimate, abs=0.6)
        assert tells(text, "harvest rate", *of, 12)


def test_a_store_that_cannot_be_read_keeps_nobody_from_closing_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise StoreError("the disk is gone")

    figures = SimpleNamespace(harvest_rate=None)
    monkeypatch.setattr(LabelReader, "session", SimpleNamespace(figures=figures))
    reader = LabelReader(SimpleNamespace())  # type: ignore[arg-type]  # nothing of a crawler is needed
    reader._relearning = SimpleNamespace(harvest_rate=broken)  # type: ignore[assignment]
    reader._estimate()
    assert figures.harvest_rate is None
    assert tells(caplog.text, "the disk is gone")


def harvest_of(stats: dict[str, object]) -> dict[str, float]:
    prefix = "frontier/harvest_rate/"
    names = [name for name in stats if name.startswith(prefix)]
    return {name.removeprefix(prefix): float(str(stats[name])) for name in names}


def stats_text_of(job: Path) -> list[str]:
    with CrawlView.open(job) as view:
        return [f"harvest rate  {harvest_rate_text(view.stats().harvest_rate, '')}"]
