"""What is salvaged of a real crawl goes on in a real process, whatever had happened to it."""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.errors import StoreError
from frontier.recovery import check, salvage
from tests.support.damages import DAMAGES
from tests.support.kept import Kept, site_of
from tests.support.scrapy_forks import Forks, shared_forks
from tests.support.sites import Site, serving

PAGES = 40
RUNS = 3


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(site_of(PAGES)) as found:
        yield found


@pytest.fixture(scope="module")
def forks() -> Forks:
    return shared_forks()


def started(forks: Forks, site: Site, job: Path, *more: str) -> Kept:
    focused = "-a", "topic=page", "-a", "strategy=apprentice"
    return Kept(forks, site, job, (*focused, *more))


@pytest.fixture(scope="module")
def crawls(forks: Forks, site: Site, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A crawl that was stopped half-way, and one that was killed."""
    folder = tmp_path_factory.mktemp("half")
    closed = started(forks, site, folder / "closed", "-s", "CLOSESPIDER_PAGECOUNT=20")
    assert closed.start().wait() == 0, closed.log
    killed = started(forks, site, folder / "killed")
    site.asked.clear()
    process = killed.start()
    while len(site.asked) < PAGES // 2:
        pass
    process.send(signal.SIGKILL)
    process.wait()
    return [closed.job, killed.job]


def goes_on(forks: Forks, site: Site, pristine: Path, folder: Path, seed: int) -> None:
    """Damage a copy, salvage it and go on with that, unless nothing was left."""
    rng = random.Random(seed)
    name = rng.choice(list(DAMAGES))
    old, new = folder / f"old{seed}", folder / f"new{seed}"
    shutil.copytree(pristine, old)
    DAMAGES[name](old, rng)
    try:
        check(old)
        salvage(old, new)
    except StoreError:
        return
    assert check(new).intact
    # What a crawl is about may have been damaged too, and is then given anew.
    kept = started(forks, site, new, "-s", "FRONTIER_ACCEPT_CHANGES=1")
    assert kept.start().wait() == 0, (name, kept.log)
    assert "Spider closed (finished)" in kept.log, (name, kept.log)
    # A URL in which a letter is another one may fail, and nothing else.
    for sign in (" CRITICAL: ", "Unhandled", "signal handler", "Error processing"):
        assert sign not in kept.log, (name, kept.log)
    shutil.rmtree(old)
    shutil.rmtree(new)


def test_damaged_crawls_go_on(forks: Forks, site: Site, crawls: list[Path], tmp_path: Path) -> None:
    for seed in range(RUNS):
        goes_on(forks, site, crawls[seed % 2], tmp_path, seed)
