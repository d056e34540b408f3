"""A directory that goes away under a crawl, or cannot be written to, ends it with one message."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.kept import Kept, site_of
from tests.support.scrapy_forks import Forks, forking
from tests.support.sites import Asked, Page, serving

PAGES = 60
TRIGGER = "/5"
AFTERWARDS = 12
"""Requests after the fault at most: what was in flight, and what came until the next commit."""


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with forking() as found:
        yield found


@contextmanager
def crawl_with(forks: Forks, job: Path, fault: Callable[[Path], None]) -> Iterator[Kept]:
    """Yield a crawl; when page TRIGGER is first answered, something happens to the directory."""
    pages = site_of(PAGES)
    html = str(pages[TRIGGER])

    def answer(asked: Asked) -> Page:
        if asked.count == 1:
            fault(job)
        return 200, {"Content-Type": "text/html"}, html.encode()

    pages[TRIGGER] = answer
    with serving(pages) as site:
        yield Kept(forks, site, job)


def stopped_in_order(log: str, *words: str) -> None:
    """One message with what to do, and nothing that looks like a crash."""
    assert log.count(" CRITICAL: ") == 1, log
    for sign in ("Traceback", " ERROR: ", "Unhandled", "never retrieved"):
        assert sign not in log, log
    message = next(line for line in log.splitlines() if " CRITICAL: " in line)
    for word in words:
        assert word in message, message


def removed(job: Path) -> None:
    shutil.rmtree(job)


def moved(job: Path) -> None:
    job.rename(job.with_name("elsewhere"))


def replaced_by_an_empty_one(job: Path) -> None:
    moved(job)
    job.mkdir()


def file_removed(job: Path) -> None:
    (job / "frontier.sqlite").unlink()


def file_replaced(job: Path) -> None:
    shutil.copy(job / "frontier.sqlite", job / "copy")
    (job / "copy").replace(job / "frontier.sqlite")


def wal_removed(job: Path) -> None:
    (job / "frontier.sqlite-wal").unlink()


@pytest.mark.parametrize(
    "fault",
    [removed, moved, replaced_by_an_empty_one, file_removed, file_replaced, wal_removed],
)
def test_a_directory_that_goes_away_stops_the_crawl_at_once(
    forks: Forks, tmp_path: Path, fault: Callable[[Path], None]
) -> None:
    with crawl_with(forks, tmp_path / "job", fault) as kept:
        assert kept.start().wait() == 1
        stopped_in_order(kept.log, str(kept.job), "removed, moved or replaced", "JOBDIR")
        asked = kept.site.paths
    assert len(asked) - asked.index(TRIGGER) <= AFTERWARDS


def test_a_crawl_that_was_moved_goes_on_when_it_is_put_back(forks: Forks, tmp_path: Path) -> None:
    with crawl_with(forks, tmp_path / "job", moved) as kept:
        assert kept.start().wait() == 1
        shutil.rmtree(kept.job, ignore_errors=True)
        (tmp_path / "elsewhere").rename(kept.job)
        kept.finish()
        assert set(kept.site.paths) == {f"/{number}" for number in range(PAGES)}


def test_what_was_put_in_its_place_is_left_alone(forks: Forks, tmp_path: Path) -> None:
    """Another crawl may be at work there."""
    content = {name: name.encode() for name in ("frontier.sqlite", "frontier.sqlite-wal")}
    content |= {name: name.encode() for name in ("frontier.pid",)}

    def replaced(job: Path) -> None:
        moved(job)
        job.mkdir()
        for name, data in content.items():
            (job / name).write_bytes(data)

    with crawl_with(forks, tmp_path / "job", replaced) as kept:
        assert kept.start().wait() == 1
        assert {name: (kept.job / name).read_bytes() for name in content} == content


def a_file(job: Path) -> None:
    job.write_text("not a directory")


def a_file_above(job: Path) -> None:
    job.parent.mkdir()
    job.parent.rmdir()
    job.parent.write_text("not a directory")


@pytest.mark.parametrize("obstacle", [a_file, a_file_above])
def test_a_jobdir_that_cannot_be_a_directory_is_named(
    forks: Forks, tmp_path: Path, obstacle: Callable[[Path], None]
) -> None:
    job = tmp_path / "above" / "job" if obstacle is a_file_above else tmp_path / "job"
    obstacle(job)
    with serving(site_of(1)) as site:
        kept = Kept(forks, site, tmp_path / "log" / "job")
        kept.job.parent.mkdir()
        kept.more = "-s", f"JOBDIR={job}"
        assert kept.start().wait() == 1
        assert kept.site.asked == []
    stopped_in_order(kept.log, str(job), "JOBDIR")
