"""Where nothing is given up: what looks like a trap is fetched after everything else."""

from __future__ import annotations

import re
from pathlib import Path

from frontier.states import State
from frontier.traps.limits import TrapLimits
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.made_webs import MadeWeb, prose, said

SITE, OTHER = "http://site.example", "http://other.example"
N = 200


def dull(url: str) -> Page | None:
    """A chain of pages that say nothing, and another host with something to say."""
    number = int((re.findall(r"\d+", url) or ["0"])[-1])
    if url.startswith(OTHER):
        return said(prose(url), [f"{OTHER}/{number + 1}"] if number < N else [])
    after = [f"{SITE}/{number + k}" for k in (1, 2) if number + k <= N]
    return said("Nothing to see", after)


def crawled(folder: Path | None, steps: int = 5000, web: object = dull) -> DrivenCrawl:
    limits = TrapLimits(budget=6, drop=False)
    crawl = DrivenCrawl(folder, MadeWeb(web), strategy="bfs", traps=limits)  # type: ignore[arg-type]  # a function
    crawl.seed(f"{SITE}/0", f"{OTHER}/0")
    crawl.run(steps)
    return crawl


def test_everything_is_fetched_and_suspects_after_all_others() -> None:
    crawl = crawled(None)
    counts, finished = crawl.backend.ledger.counts, crawl.backend.finished()
    crawl.close()
    assert (counts[State.TRAP], counts[State.QUEUED], finished) == (0, 0, True)
    assert len(crawl.fetched) == 2 * (N + 1)
    last_other = max(at for at, url in enumerate(crawl.fetched) if url.startswith(OTHER))
    before = [url for url in crawl.fetched[:last_other] if url.startswith(SITE)]
    assert len(before) < 40


def test_nothing_is_refused_for_its_spelling_or_its_host() -> None:
    odd = [
        f"{SITE}/a/b/a/b/a/b/a/b",
        f"{SITE}/{'x' * 3000}",
        f"{SITE}/?{'&'.join('a=1' for _ in range(30))}",
    ]
    hosts = [f"http://h{n}.site.example/" for n in range(400)]

    def wide(url: str) -> Page | None:
        if url == f"{SITE}/0":
            return said("All of it", [*odd, *hosts, f"{SITE}/plain"])
        return said("One of many")

    crawl = crawled(None, 5000, wide)
    refused = dict(crawl.backend.refusals.counts)
    crawl.close()
    assert refused == {}
    assert {*odd, *hosts} <= set(crawl.fetched)
    at = [crawl.fetched.index(one) for one in odd]
    assert min(at) > crawl.fetched.index(f"{SITE}/plain")


def test_what_was_given_up_is_taken_up_where_nothing_is_any_more(tmp_path: Path) -> None:
    limits = TrapLimits(budget=6)
    strict = DrivenCrawl(tmp_path, MadeWeb(dull), strategy="bfs", traps=limits)
    strict.seed(f"{SITE}/0")
    strict.run()
    strict.close()
    rest = crawled(tmp_path)
    rest.close()
    assert {f"{SITE}/{n}" for n in range(N + 1)} == {
        one for one in strict.fetched + rest.fetched if one.startswith(SITE)
    }
