"""The report of a crawl in a real browser, from a file: what it shows, and what it never does."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from frontier.watch.page import page_html, put_together
from frontier.watch.report import write_report
from tests.support.browser import BROWSER, QUIET, needs_browser
from tests.support.pictures import HOSTILE, HOSTILE_URLS, picture
from tests.support.watched import A, small_watched_crawl

needs_playwright = pytest.mark.skipif(
    find_spec("axe_playwright_python") is None, reason="needs: pip install axe-playwright-python"
)
pytestmark = [pytest.mark.slow, needs_browser, needs_playwright, pytest.mark.timeout(120)]
KEPT = Path(os.environ.get("SCREENSHOTS", Path(__file__).parents[3] / "build" / "screenshots"))
"""Pictures for people; nothing is compared with them."""
SIZES = {"desktop": (1280, 900), "phone": (360, 780)}
SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => list.getEntries().filter((one) => !one.hadRecentInput)
  .forEach((one) => { shifted += one.value; })).observe({type: "layout-shift", buffered: true});
"""


@dataclass
class Opened:
    """A report in a tab, and all that it wanted or complained of."""

    page: Any
    complaints: list[str]
    requests: list[str]

    def quiet(self, path: Path) -> None:
        """It asked for its own file alone, ran nothing of a crawl, and broke no policy."""
        assert self.complaints == []
        own = {path.as_uri(), "data:image"}
        assert {one.split("#")[0].split("/svg")[0] for one in self.requests} <= own
        assert self.page.title() != "run"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=BROWSER, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(*documents: dict[str, Any]) -> Path:
        path = tmp_path / "a report.html"
        path.write_text(page_html(documents, live=False, title="A crawl")[0], encoding="utf-8")
        return path

    return written


@pytest.fixture
def opened(browser: Any) -> Iterator[Any]:
    contexts = []

    def open_it(path: Path, size: str = "desktop", open_at: str = "", **how: Any) -> Opened:
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, **how)
        contexts.append(context)
        page = context.new_page()
        found = Opened(page, [], [])
        page.on("console", lambda message: found.complaints.append(message.text))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("dialog", lambda dialog: found.complaints.append(dialog.message))
        page.on("request", lambda request: found.requests.append(request.url))
        page.add_init_script(SHIFTS)
        page.goto(path.as_uri() + open_at)
        page.wait_for_selector("main:not([hidden])")
        return found

    yield open_it
    for context in contexts:
        context.close()


def test_titles_and_urls_of_a_crawl_are_shown_and_never_run(write: Any, opened: Any) -> None:
    path = write(picture(titles=HOSTILE, urls=HOSTILE_URLS))
    tab = opened(path)
    page = tab.page
    text = page.inner_text("body")
    assert "<img src=x onerror='document.title=\"run\"'>" in text
    assert "</script><script>" in text
    assert "{{data}}" in text
    assert "right\\u202etfel" in text
    assert "\u202e" not in text
    assert page.locator("main img, main script, main iframe, main form").count() == 0
    hrefs = page.eval_on_selector_all("a", "all => all.map((one) => one.getAttribute('href'))")
    assert len(hrefs) > 50
    assert {href.split(":")[0] for href in hrefs if href[0] != "#"} <= {"http", "https"}
    for link in page.locator("a[target]").all()[:5]:
        assert link.get_attribute("rel") == "noreferrer noopener"
    for at, url in enumerate(HOSTILE_URLS):
        page.locator(".pages .top .inside").nth(at).click()
        page.wait_for_selector("dialog[open]")
        assert url.split("\u202e")[0] in page.inner_text("dialog")
        page.keyboard.press("Escape")
    page.goto(path.as_uri() + f"#url={quote(HOSTILE_URLS[0])}&host={quote(HOSTILE[1])}")
    page.wait_for_selector("dialog[open]")
    tab.quiet(path)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("crawls", [1, 2])
def test_it_is_accessible_fits_its_window_and_stands_still(
    write: Any, opened: Any, size: str, scheme: str, crawls: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    path = write(*(picture(1000 - 300 * at, directory=f"/crawls/c{at}") for at in range(crawls)))
    tab = opened(path, size, color_scheme=scheme, reduced_motion="reduce")
    page = tab.page
    page.wait_for_selector(".uplot canvas")
    found = list(Axe().run(page).response["violations"])
    KEPT.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=KEPT / f"report-{crawls}-{size}-{scheme}.png", full_page=True)
    page.locator(".pages .inside").first.click()
    page.wait_for_selector("dialog[open]")
    found += Axe().run(page).response["violations"]
    page.screenshot(path=KEPT / f"url-{crawls}-{size}-{scheme}.png")
    assert [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("shifted") < 0.01
    tab.quiet(path)


def test_a_long_topic_a_narrow_window_and_forced_colours_leave_the_page_whole(
    write: Any, opened: Any
) -> None:
    path = write(picture(topic="z" * 500))
    page = opened(path, forced_colors="active").page
    page.set_viewport_size({"width": 320, "height": 500})
    assert page.evaluate("document.querySelector('h1').offsetHeight") < 200
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for drawn in (".columns .good", ".bar .fill", ".swatch", ".range"):
        colour = f"getComputedStyle(document.querySelector('{drawn}')).backgroundColor"
        assert page.evaluate(colour) not in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"), drawn


@pytest.mark.parametrize(
    ("reason", "shown"), [("finished", "Finished"), ("shutdown", "Stopped"), (None, "Stopped")]
)
def test_a_crawl_that_was_interrupted_is_not_called_finished(
    write: Any, opened: Any, reason: str | None, shown: str
) -> None:
    page = opened(write(picture(finish_reason=reason))).page
    assert page.inner_text(".pill") == shown


def test_the_keyboard_alone_opens_a_page_a_host_and_goes_back(write: Any, opened: Any) -> None:
    tab = opened(write(picture()))
    page, focused = tab.page, "document.activeElement"

    def walk_to(selector: str) -> None:
        for _ in range(300):
            page.keyboard.press("Tab")
            if page.evaluate(f"{focused}.matches({selector!r})"):
                return
        raise AssertionError(f"Tab never came to {selector}")

    walk_to(".pages .inside")
    title = page.evaluate(f"{focused}.textContent")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    assert page.inner_text("dialog h2") == title
    assert page.evaluate(f"{focused}.closest('dialog') !== null")
    assert "url=" in page.url
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog:not([open])", state="attached")
    assert "url=" not in page.url
    assert page.evaluate(f"{focused}.matches('.pages .inside')")
    walk_to("th .inside[href*='host=']")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    walk_to("dialog .close")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog:not([open])", state="attached")
    page.go_back()
    page.wait_for_selector("dialog[open]")


def test_what_is_open_stands_in_the_hash_of_one_crawl_of_two(write: Any, opened: Any) -> None:
    first, second = picture(topic="stars"), picture(topic="planets", directory="/crawls/other")
    url = second["latest"][0]["url"]
    tab = opened(write(first, second), open_at=f"#crawl=1&url={quote(url, safe='')}")
    assert tab.page.inner_text("h1") == "planets"
    assert "Its priority, in parts" in tab.page.inner_text("dialog")
    tab.page.keyboard.press("Escape")
    tab.page.click(".tabs a >> nth=0")
    tab.page.locator("h1", has_text="stars").wait_for()
    table = tab.page.inner_text(".compared")
    assert "Judged relevant\t500\t500" in table
    assert tab.page.locator(".readout").first.inner_text().count("Judged relevant") == 2


def test_a_click_on_the_map_opens_the_page_that_the_list_beside_it_has(
    write: Any, opened: Any
) -> None:
    tab = opened(write(picture()))
    shown = tab.page.locator("svg.map circle")
    assert shown.count() == 50
    assert tab.page.locator("section[aria-labelledby=h-best-pages] tbody tr").count() == 50
    before = tab.page.eval_on_selector_all("svg.map circle", "all => all.map((c) => c.outerHTML)")
    shown.last.click()  # the best one, which is drawn last
    tab.page.wait_for_selector("dialog[open]")
    assert picture()["map"]["pages"][0]["url"] in tab.page.inner_text("dialog")
    again = opened(write(picture())).page
    assert before == again.eval_on_selector_all(
        "svg.map circle", "all => all.map((c) => c.outerHTML)"
    )


def test_what_the_picture_says_is_shown_in_words_with_units(write: Any, opened: Any) -> None:
    page = opened(write(picture())).page
    text = page.inner_text("#page")
    for shown in (
        *("Finished A page; last page 20", "Pages a second\n8.3\nat last", "Memory\n123 MB"),
        *("Judged relevant\n500\n50 % of all", "Last 100\n42 %", "Waiting\n3,000\non 50 hosts"),
        *("60 % of the pages, by 30 labels", "Between 50 % and 70 %, in four cases of five."),
        *("900 relevant pages", "Between 200 and 4,000", "Not known yet."),
        *("3,000 URLs wait; 31 of them look relevant", "reached by A page on http://s0.example"),
        *("88 % of 1,000 pages", "2 h 0 min or less", "2 d 7 h", "Changed\n12"),
        *("0.3 s", "12 %", "500 of 1,000 pages judged relevant, 42 % of the last 100."),
    ):
        assert shown in text, shown
    refreshing = page.locator("[aria-labelledby=h-refreshing]")
    assert re.search(r"A page\tchanged\t\d\d:\d\d:\d\d", refreshing.inner_text())
    assert refreshing.evaluate("one => one.offsetHeight") == 480
    curve = page.get_attribute(".plot[role=img] >> nth=0", "aria-label")
    assert curve == ("Harvest curve. 500 of 1,000 pages judged relevant, 42 % of the last 100.")
    page.click("summary >> text=The curve as a table")
    assert "1,000\t500\t50 %" in page.inner_text("details[open]")


def test_a_crawl_of_which_nothing_is_known_yet_is_shown_as_that(write: Any, opened: Any) -> None:
    nothing = {
        "numbers": dict.fromkeys(picture()["numbers"]),
        "curve": {name: [] for name in picture()["curve"]},
        "estimates": dict.fromkeys(picture()["estimates"]),
        **dict.fromkeys(("queue", "refresh", "started", "last_page", "finish_text")),
        **dict.fromkeys(("hosts", "latest", "errors", "refused", "reranks", "changes"), ()),
        "map": {"pages": [], "links": []},
    }
    path = write(picture(**nothing))
    tab = opened(path)
    text = tab.page.inner_text("main")
    assert "No page has a score yet." in text
    height = "document.querySelector('[aria-labelledby=h-links-left-out]').offsetHeight"
    assert tab.page.evaluate(height) == 320  # as its neighbours
    tab.page.set_viewport_size({"width": 360, "height": 780})
    assert tab.page.evaluate(height) < 120
    assert "NaN" not in text
    assert "null" not in text
    assert "undefined" not in text
    tab.quiet(path)


def test_a_report_of_a_crawl_shows_its_numbers_and_why_a_page_was_fetched(
    opened: Any, tmp_path: Path
) -> None:
    small_watched_crawl(tmp_path).close()
    path = write_report([tmp_path])
    tab = opened(path)
    assert tab.page.inner_text("h1") == "pages"
    assert "Pages\n3\nof 8 known" in tab.page.inner_text(".numbers")
    tab.page.locator(".pages .inside", has_text="b.example").first.click()
    tab.page.wait_for_selector("dialog[open]")
    shown = tab.page.inner_text("dialog")
    assert "Links that lead to it" in shown
    assert A in shown
    tab.quiet(path)


def test_the_page_of_a_lab_run_shows_curves_and_tables_and_runs_nothing_of_them(
    opened: Any, tmp_path: Path
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    rows = [[name, "0.812", "31"] for name in HOSTILE]
    curves = [
        {"strategy": name, "bound": at == 0, "recall": [0.0, 0.5, 1 - at / 20]}
        for at, name in enumerate(HOSTILE)
    ]
    table = {"title": "docs, names: 3 topics", "budget": 200, "head": ["strategy", "nAUC", "n"]}
    data = {
        "headline": [HOSTILE[0]],
        "tables": [table | {"rows": rows, "curves": curves}],
        "legend": ["nAUC: area."],
    }
    path = tmp_path / "results.html"
    path.write_text(put_together(data, HOSTILE[1], "lab.js")[0], encoding="utf-8")
    tab = opened(path)
    tab.page.wait_for_selector(".uplot canvas")
    assert tab.page.inner_text("tbody").count("0.812\t31") == len(HOSTILE)
    assert tab.page.inner_text(".readout").count(" %") == len(HOSTILE)
    assert [one["id"] for one in Axe().run(tab.page).response["violations"]] == []
    tab.quiet(path)


def test_fifty_rows_and_a_thousand_points_are_drawn_at_once(write: Any, opened: Any) -> None:
    tab = opened(write(picture(1000)))
    marks = "performance.getEntriesByType('paint').map((one) => one.startTime)"
    tab.page.wait_for_function(f"{marks}.length > 0")
    assert max(tab.page.evaluate(marks)) < 1500  # a machine of CI; 150 to 300 on a quiet one
