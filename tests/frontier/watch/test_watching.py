"""`scrapy frontier watch` beside a crawl that runs, in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from frontier.labels.label_file import read_labels
from frontier.plugin.settings import SETTINGS
from tests.frontier.watch.test_watch_server import watching
from tests.support.browser import BROWSER, QUIET, needs_browser
from tests.support.pictures import HOSTILE
from tests.support.scrapy_forks import settings, shared_forks
from tests.support.sites import Asked, links, serving

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [needs_browser, pytest.mark.slow]

SCREENSHOTS = Path(__file__).parents[3] / "build" / "screenshots"
PAGES = 400
INDEXED = "FRONTIER_INDEX" in {one.name for one in SETTINGS}
WORDS = "Pines and cedars are conifers with needles; larch and spruce grow in the same forests."
WITNESS = """
window.violations = [];
addEventListener("securitypolicyviolation", (one) => window.violations.push(one.blockedURI));
"""


def forest(asked: Asked) -> str:
    """A tree of pages that takes minutes to crawl; every title is an attack."""
    time.sleep(0.1)
    number = int(asked.path.strip("/") or 0)
    near = (one for one in (2 * number + 1, 2 * number + 2) if one < PAGES)
    title = HOSTILE[number % len(HOSTILE)].replace("<", "&lt;") + f" {number}"
    return links(*(f"/{one}" for one in near), text=f"{WORDS} Number {number}.", title=title)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The JOBDIR of a crawl that runs as long as the tests here."""
    folder = tmp_path_factory.mktemp("running")
    with serving(forest) as site:
        spider = ["-a", f"seeds={site.url}/", "-a", "topic=pines cedars conifers needles"]
        job = ["-s", f"JOBDIR={folder / 'job'}", "-O", str(folder / "pages.jsonl")]
        index = {"FRONTIER_INDEX": True} if INDEXED else {}
        quick = settings(CONCURRENT_REQUESTS=1, FRONTIER_TRAP_BUDGET=100_000, **index)
        crawl = shared_forks().start(["crawl", "focused", *spider, *quick, *job], folder / "log")
        until = time.monotonic() + 60
        while len(site.paths) < 20:
            assert not crawl.ends(), (folder / "log").read_text()
            assert time.monotonic() < until
            time.sleep(0.1)
        yield folder / "job"
        assert not crawl.ends(), (folder / "log").read_text()
        crawl.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_api.sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=BROWSER, args=list(QUIET))


class RevisitRow:
    """A tab, and all that it asked for or complained of."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.page: Page = browser.new_page(**options)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.add_init_script(WITNESS)
        self.page.on("request", lambda one: self.asked.append(one.url))
        self.page.on("pageerror", lambda one: self.complaints.append(str(one)))
        self.page.on("dialog", lambda one: self.complaints.append(one.message))
        self.page.on("console", self._heard)
        self.page.goto(address)
        self.page.wait_for_selector("main:not([hidden])")

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def number(self, label: str) -> int:
        """One of the numbers at the top of the page."""
        row = self.page.locator("section.numbers dl div").filter(
            has=self.page.get_by_text(label, exact=True)
        )
        return int(row.locator("b").inner_text().replace(",", ""))

    def shot(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)

    def close(self, address: str) -> None:
        """Nothing was asked of others, nothing violated the policy, nothing was complained of."""
        origin = address.partition("?")[0]
        assert self.asked
        assert [one for one in self.asked if not one.startswith((origin, "data:"))] == []
        assert self.page.evaluate("window.violations") == []
        assert self.complaints == []
        self.page.close()


@pytest.fixture(scope="module")
def address(running: Path) -> Iterator[str]:
    with watching(running, "--port", 0) as (_, line):
        yield line.split()[0]


def test_numbers_change_without_a_reload(browser: Browser, address: str) -> None:
    revisit = RevisitRow(browser, address)
    before = revisit.number("Pages")
    assert before > 0
    until = time.monotonic() + 20
    while revisit.number("Pages") < before + 10:
        assert time.monotonic() < until
        revisit.page.wait_for_timeout(200)
    assert [one for one in revisit.asked if "/picture" in one] == []
    assert revisit.page.evaluate("performance.getEntriesByType('navigation').length") == 1
    revisit.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    revisit.page.wait_for_selector(".mapbox canvas, .mapbox svg")
    revisit.shot("watch-live")
    revisit.close(address)


def test_titles_of_hostile_pages_are_texts(browser: Browser, address: str) -> None:
    revisit = RevisitRow(browser, address)
    titles = revisit.page.locator("ol.pages li .top a.inside").all_inner_texts()
    assert any("<script>" in one or "<img" in one for one in titles), titles
    assert revisit.page.locator("main img, main iframe, main script").count() == 0
    revisit.page.locator("ol.pages li .top a.inside").first.click()
    revisit.page.wait_for_selector("dialog[open] h2")
    revisit.page.locator("dialog").get_by_text("Because").wait_for()
    revisit.shot("watch-url")
    revisit.close(address)


def test_a_label_goes_from_the_page_to_the_file(
    browser: Browser, address: str, running: Path
) -> None:
    revisit = RevisitRow(browser, address)
    item = revisit.page.locator("ol.pages li").filter(has=revisit.page.locator("button")).last
    url = item.locator(".url").inner_text()
    item.get_by_role("button", name="Yes").click()
    item.get_by_text("Noted").wait_for()
    assert item.get_by_role("button", name="Yes").get_attribute("aria-pressed") == "true"
    assert (url, True) in [(one.url, one.wanted) for one in read_labels(running)]
    revisit.close(address)


def test_on_a_phone_in_the_dark(browser: Browser, address: str) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    revisit = RevisitRow(browser, address, **phone)
    assert revisit.page.evaluate("document.documentElement.scrollWidth") <= 390
    revisit.shot("watch-phone-dark")
    revisit.close(address)


@pytest.mark.skipif(not INDEXED, reason="crawls write no index")
def test_a_search_from_the_page_finds_what_was_fetched(browser: Browser, address: str) -> None:
    revisit = RevisitRow(browser, address)
    revisit.page.get_by_role("searchbox").fill("conifers")
    revisit.page.keyboard.press("Enter")
    found = revisit.page.locator("section").filter(has_text="Search results").locator("li mark")
    until = time.monotonic() + 60
    while not found.count():  # the index is written now and then
        assert time.monotonic() < until
        revisit.page.wait_for_timeout(1000)
        revisit.page.reload()
    assert {one.lower() for one in found.all_inner_texts()} <= {"conifers", "conifer"}
    revisit.shot("watch-search")
    revisit.close(address)


def test_two_crawls_stand_side_by_side_and_the_end_is_seen(browser: Browser, running: Path) -> None:
    with watching(running, running, "--port", 0) as (process, line):
        revisit = RevisitRow(browser, line.split()[0])
        revisit.page.wait_for_selector("table.compared tbody td:nth-of-type(2)")
        revisit.shot("watch-two")
        process.terminate()
        assert process.wait(10) == 0
        revisit.page.get_by_text("Connection lost").wait_for()
        revisit.page.close()
