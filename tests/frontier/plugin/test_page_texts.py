"""Real crawls whose texts are read beside them: main texts in file, feed and index, and PDFs."""

from __future__ import annotations

import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.frontier.texts.test_texts_of_crawls import crawled, texts
from tests.frontier.texts.test_worker import PAGE, STORY
from tests.support.item_crawl import QUICKLY, ItemCrawl, until
from tests.support.kept import site_of
from tests.support.pdfs import pdf_of
from tests.support.scrapy_forks import settings, shared_forks
from tests.support.scrapy_runs import WANDERER, Run, run_focused, run_spider
from tests.support.sites import serving, typed

MAIN = "FRONTIER_TEXT=main"
START = f"<title>Start</title><nav><a href=/page>a page</a> <a href=/file>a file</a></nav>{STORY}"
PAPER = "a paper on the lighthouse lamp, the lighthouse keeper and the lighthouse"


def site() -> dict[str, object]:
    return {
        "/": START,
        "/page": PAGE,
        "/note": typed("text/plain", "a note"),
        "/far": "<title>Far</title><p>led to by a paper",
    }


def focused(folder: Path, *more: str) -> tuple[Run, dict[str, dict[str, object]]]:
    """Crawl the site, with a PDF that leads to a page; returns items by path."""
    pages = site()
    with serving(pages) as served:
        paper = pdf_of(PAPER, links=[f"{served.url}/far"], title="Lamps")
        pages["/file"] = typed("application/pdf", paper)
        given = f"-a seeds={served.url}/ -a topic=lighthouse -s JOBDIR={folder / 'job'}"
        options = [part for one in more for part in ("-s", one)]
        run = run_focused(folder, *given.split(), *options)
    assert run.returncode == 0, run.log
    return run, {urlsplit(str(item["url"])).path: item for item in run.items}


@pytest.fixture(scope="module")
def main_crawl(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, dict[str, dict[str, object]]]:
    folder = tmp_path_factory.mktemp("main")
    return folder / "job", focused(folder, MAIN, "FRONTIER_INDEX=1")[1]


def test_main_texts_are_in_file_and_feed(
    main_crawl: tuple[Path, dict[str, dict[str, object]]],
) -> None:
    job, items = main_crawl
    kept = texts(job)
    assert kept["/page"].text == items["/page"]["text"]
    assert kept["/page"].markdown == items["/page"]["markdown"]
    assert kept["/page"].markdown.startswith("# The lighthouse")
    assert "cookies" not in kept["/page"].text


def test_a_page_without_main_text_keeps_its_visible_text(
    main_crawl: tuple[Path, dict[str, dict[str, object]]],
) -> None:
    job, items = main_crawl
    assert texts(job)["/far"].text == items["/far"]["text"]
    assert "led to by a paper" in texts(job)["/far"].text


def test_a_pdf_is_judged_kept_and_leads_on(
    main_crawl: tuple[Path, dict[str, dict[str, object]]],
) -> None:
    job, items = main_crawl
    assert texts(job)["/file"][:2] == ("Lamps", PAPER)
    assert items["/file"]["title"] == "Lamps"
    assert items["/file"]["relevance"] > 0.5  # type: ignore[operator]
    assert items["/far"]["referrer"] == items["/file"]["final_url"]


def test_without_the_setting_a_pdf_is_judged_and_an_item_has_no_text(tmp_path: Path) -> None:
    run, items = focused(tmp_path)
    assert items["/file"]["relevance"] > 0.5  # type: ignore[operator]
    assert all("text" not in item and "markdown" not in item for item in items.values())
    assert "frontier/texts/kept" not in run.stats


def test_a_broken_pdf_is_a_page_without_text_and_the_crawl_goes_on(tmp_path: Path) -> None:
    pages = {
        "/": "<a href=/broken>b</a> <a href=/next>n</a>",
        "/broken": typed("application/pdf", pdf_of("text")[:150]),
        "/next": "<p>the next page",
    }
    with serving(pages) as served:
        code = WANDERER.format(url=served.url + "/")
        run = run_spider(tmp_path, code, f"JOBDIR={tmp_path / 'job'}", "FRONTIER_TEXT=all")
    assert run.returncode == 0, run.log
    assert "Traceback" not in run.log
    assert {path: text.text for path, text in texts(tmp_path / "job").items()} == {
        "/": "b n", "/broken": "", "/next": "the next page"
    }  # fmt: skip


def test_killed_at_any_time_each_page_has_its_main_text(tmp_path: Path) -> None:
    many = 60
    with serving(site_of(many)) as served:
        crawl = ItemCrawl(shared_forks(), served, tmp_path / "crawl", wait=QUICKLY)
        crawl.more = tuple(settings(FRONTIER_TEXT="main"))
        for asked in (15, 40):
            process = crawl.start()
            until(lambda most=asked: len(served.paths) >= most)
            process.send(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL, crawl.log
            if crawl.states():
                assert set(texts(crawl.job)) >= crawled(crawl.job)
        crawl.finish()
        kept = texts(crawl.job)
        assert set(kept) == {f"/{n}" for n in range(many)}
        assert all(f"page {path[1:]} " in text.text for path, text in kept.items())
