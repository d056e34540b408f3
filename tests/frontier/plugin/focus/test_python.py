"""`frontier.focus`: a crawl as a loop over its pages, in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from frontier import focus
from frontier.errors import FrontierError, SeedsError, SettingsError
from frontier.inspection import CrawlView
from frontier.plugin.focus.spider import PageItem
from ranking.errors import LinkRankError, UnknownOrderError
from tests.crawler.test_crawl_shared_processes import runs
from tests.support.scrapy_runs import ROOT
from tests.support.sites import Page, Site, links, serving
from tests.support.told import telling

QUICK: dict[str, object] = {"FRONTIER_ALLOW_NETWORKS": "127.0.0.0/8", "DOWNLOAD_DELAY": 0}
QUICK |= {"FRONTIER_VECTORS": "built-in"}
TOPIC = "telescopes planets"


def page(words: str, *targets: str) -> Page:
    return links(*targets, text=f"{words}. All of this is about {words}. " * 8, title=words)


WEB = {
    "/": page("telescopes and planets", "/soup", "/sky", "/copy"),
    "/soup": page("soup", "/"),
    "/sky": page("telescopes", "/"),
    "/copy": page("telescopes", "/"),
}


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(WEB) as served:
        yield served


@pytest.fixture
def endless() -> Iterator[Site]:
    """A site of which a crawl sees no end."""
    with serving({f"/{n}": page(f"planets {n}", f"/{n + 1}") for n in range(10_000)}) as served:
        yield served


def children(pid: int | None = None) -> list[int]:
    """Crawls of a process, this one unless named, that run."""
    pid = pid or os.getpid()
    listing = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(one)
        for one in listing
        if b"scrapy.cmdline" in Path(f"/proc/{one}/cmdline").read_bytes()
    ]


def test_what_is_there_of_a_crawl_is_in_its_directory_and_the_same_call_goes_on(
    site: Site, tmp_path: Path
) -> None:
    job = tmp_path / "job"
    came = []
    for pages in (1, 100):
        crawl = focus([f"{site.url}/"], TOPIC, pages=pages, directory=job, settings=QUICK)
        for one in crawl:
            assert isinstance(one, PageItem)
            came.append(one)
    paths = [one.url.removeprefix(site.url) for one in came]
    assert paths[0] == "/"
    assert sorted(paths) == sorted(WEB)
    best = crawl.top(2)
    assert best[0].duplicate_of is best[1].duplicate_of is None
    assert best[1].url == f"{site.url}/soup"
    assert crawl.top(1) == best[:1]
    assert children() == []
    with CrawlView.open(job) as view:
        assert view.stats().pages == len(WEB)


@pytest.mark.parametrize(
    ("call", "error", "fact"),
    [
        (lambda url: focus(url), SettingsError, "topic"),
        (lambda url: focus(url, topic=" "), SettingsError, "topic"),
        (lambda _: focus([], topic=TOPIC), SeedsError, "seeds"),
        (lambda _: focus("nothing.txt", topic=TOPIC), SeedsError, "nothing.txt"),
        (lambda _: focus(["mailto:a"], topic=TOPIC), SeedsError, "mailto:a"),
        (lambda url: focus(url, topic=TOPIC, pages=-5), SettingsError, "-5"),
        (lambda url: focus(url, topic=TOPIC, pages="7"), SettingsError, "7"),  # type: ignore[arg-type]
        (lambda url: focus(url, topic=TOPIC, strategy="best"), UnknownOrderError, "best"),
        (
            lambda url: focus(url, topic=TOPIC, settings={"FRONTIER_DAMPING": 7}),
            FrontierError,
            "FRONTIER_DAMPING",
        ),
    ],
)
def test_what_cannot_be_crawled_is_raised_here(
    call: Callable[[str], object], error: type[LinkRankError], fact: str
) -> None:
    with pytest.raises(error, match=telling(fact)):
        list(call("http://127.0.0.1:9/"))  # type: ignore[call-overload]
    assert children() == []


def test_a_loop_that_is_left_ends_the_crawl_and_keeps_what_came(endless: Site) -> None:
    pages = focus(f"{endless.url}/0", TOPIC, settings=QUICK)
    seen = []
    for one in pages:
        assert len(children()) == 1
        seen.append(one)
        break
    assert children() == []
    assert pages.top() == seen
    assert list(pages) == []


def test_a_child_that_is_killed_is_an_error(endless: Site) -> None:
    pages = focus(f"{endless.url}/0", TOPIC, settings=QUICK)
    next(pages)
    (child,) = children()
    os.kill(child, signal.SIGKILL)
    with pytest.raises(FrontierError, match=telling("-9")):
        list(pages)


SCRIPT = """
    import sys
    import frontier
    assert not {{"numpy", "scrapy", "twisted"}} & set(sys.modules)
    from frontier import focus
    for page in focus({url!r}, topic="telescopes planets", settings={settings!r}):
        print(page.url, flush=True)
"""
"""A script as people write it: without `if __name__ == "__main__"`."""


def script(folder: Path, url: str, code: str = SCRIPT) -> subprocess.Popen[str]:
    path = folder / "mine.py"
    path.write_text(textwrap.dedent(code.format(url=url, settings=QUICK)))
    return subprocess.Popen(
        [sys.executable, path],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_script_that_ends_takes_its_crawl_along(endless: Site, tmp_path: Path) -> None:
    with script(tmp_path, f"{endless.url}/0") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"{endless.url}/0\n"
        (child,) = children(process.pid)
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while runs(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not runs(child)


ELSEWHERE = {
    "reactor": """
        from twisted.internet import reactor
        from frontier import focus
        def crawl():
            print(len(list(focus({url!r}, topic="telescopes planets", settings={settings!r}))))
            reactor.stop()
        reactor.callWhenRunning(crawl)
        reactor.run()
    """,
    "spawn": """
        import multiprocessing
        from frontier import focus
        def crawl(url):
            return len(list(focus(url, topic="telescopes planets", settings={settings!r})))
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.apply(crawl, ({url!r},)))
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("where", ELSEWHERE)
def test_it_works_wherever_it_is_called(site: Site, tmp_path: Path, where: str) -> None:
    with script(tmp_path, f"{site.url}/", ELSEWHERE[where]) as process:
        out, err = process.communicate(timeout=120)
    assert out.split() == [str(len(WEB))], err
