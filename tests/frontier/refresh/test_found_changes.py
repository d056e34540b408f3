"""How many changes are found, and how many of those found are true, on webs that vary besides."""

from __future__ import annotations

import pytest

from frontier.refresh.change_finder import ChangeFinder
from tests.support.changing_crawl import kept_blocks, quality
from tests.support.changing_web import KINDS, LAYOUTS, NOISES, ChangingWeb

NOTICES = {3: "<title>Oh</title><h1>Maintenance</h1><p>We are back soon", 7: ""}
"""What all pages show instead in a round."""
Revisits = set[tuple[int, float]]


def watched(
    web: ChangingWeb, rounds: int, notices: dict[int, str] | None = None
) -> tuple[Revisits, Revisits, Revisits]:
    """The revisits that found a change, those that should have, those that met a notice."""
    finder = ChangeFinder()
    found: Revisits = set()
    true: Revisits = set()
    noticed: Revisits = set()
    before: dict[tuple[int, float], bytes] = {}
    last = {number: kept_blocks(web.page(number)) for number in range(len(web))}
    unseen: set[int] = set()
    for number, blocks in last.items():
        finder.note(0, number, blocks)
    for at in range(1, rounds + 1):
        unseen |= web.pass_time().keys()
        web.notice = (notices or {}).get(at)
        for number in web.random.sample(range(len(web)), len(web)):
            revisit, blocks = (number, float(at)), kept_blocks(web.page(number))
            finding = finder.find(0, revisit, last[number], blocks)
            found -= {*finding.settled, *finding.notices}
            for other in finding.notices:
                last[other[0]] = before[other]
                noticed.add(other)
            if web.notice is None and number in unseen:
                unseen.discard(number)
                true.add(revisit)
            if finding.is_notice:
                noticed.add(revisit)
                continue
            before[revisit], last[number] = last[number], blocks
            if finding.share:
                found.add(revisit)
    return found, true, noticed


def assert_found(
    *webs: ChangingWeb, rounds: int = 12, notices: dict[int, str] | None = None
) -> None:
    found, true = set(), set()
    for number, web in enumerate(webs):
        some = watched(web, rounds, notices)
        found |= {(page + 100 * number, at) for page, at in some[0]}
        true |= {(page + 100 * number, at) for page, at in some[1]}
        told = {(page, float(at)) for at in notices or {} for page in range(len(web))}
        assert some[2] == told, "notices, all of them and nothing else"
    precision, recall = quality(found, true)
    assert len(true) >= 10
    assert precision >= 0.9
    assert recall >= 0.95


def webs(seeds: int = 1, **how: object) -> list[ChangingWeb]:
    return [
        ChangingWeb(seed, layout=layout, **how)  # type: ignore[arg-type]  # as the caller says
        for seed in range(seeds)
        for layout in LAYOUTS
    ]


@pytest.mark.parametrize("noise", [*NOISES, ""])
def test_true_changes_are_told_from_each_kind_of_noise(noise: str) -> None:
    assert_found(*webs(noises={noise}, pages=12, rate=0.1))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_change_is_found_amid_all_noise_together(kind: str) -> None:
    rate = 0.3 if "index" in kind else 0.1  # of three pages
    assert_found(*webs(kinds=[kind], noises=NOISES, pages=12, rate=rate))


def test_a_notice_on_all_pages_hides_no_change_and_is_none() -> None:
    assert_found(*webs(noises=NOISES, pages=12, rate=0.1), notices=NOTICES)


SOME_NOISE = [[one] for one in NOISES] + [[]]
# Amid all noise at once, where one revisit in fifty is a change, too much is taken for one.
PACES = [(noises, rate) for noises in SOME_NOISE for rate in (0.02, 0.06, 0.4)]
PACES += [(list(NOISES), rate) for rate in (0.06, 0.4)]


@pytest.mark.slow
@pytest.mark.parametrize("pages", [3, 24])
@pytest.mark.parametrize(("noises", "rate"), PACES)
def test_webs_of_any_size_and_pace(noises: list[str], pages: int, rate: float) -> None:
    rounds = 120 if rate * pages < 1 else 24
    assert_found(*webs(1, noises=noises, pages=pages, rate=rate), rounds=rounds)
