"""How large a share of what was fetched people call relevant: an estimate from labels.

The topic model ranks pages well, and of its scale nothing is known: no function of the relevances
that it gives tells the harvest rate better than a constant would (docs/coverage.md). So the rate is
told where people have looked at pages that were drawn by chance, and nowhere else.

Pages draw lots (`frontier/topic/samples.py`) that know nothing of what is on them, so those with
the smallest lots are a random sample, if every one of them is labelled. Labels that were given for
another reason are not: people name what they have found, and are asked about what the model is
unsure of. Where such a page has a small lot its label counts like any other, because it would have
been asked about anyway; with a larger lot than a page without label it does not. That needs no
weights, and nobody has to remember why a label was given. (Just behind the last page that was asked
about, one counts only if it was named: with three in ten relevant pages named and 30 asked about,
34 % were told as 34.7 % in the mean, in simulated crawls.)

A crawl that goes on fetches pages with smaller lots than some that are labelled. Those labels still
are a sample of what had been fetched before, and of that the rate is told. Of all pairs of a lot
and a time for which every page with at most this lot, fetched before this time, is labelled, the
one with the most pages counts: that depends on which pages are labelled, not on what was said.

The interval is that of Wilson (Probable inference, the law of succession, and statistical
inference, JASA 22, 1927), which Brown, Cai and DasGupta (Interval estimation for a binomial
proportion, Statistical Science 16, 2001) recommend for few observations. It takes the crawl for
endless: of a small one that is labelled to the last page it is too wide.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from frontier.estimates.remaining import FOUR_OF_FIVE

if TYPE_CHECKING:
    from collections.abc import Iterable

FEWEST = 10
"""Labelled pages before anything is said: of fewer the interval is half of all there could be."""


class Drawn(NamedTuple):
    """A page that was drawn: when it was fetched, in Unix seconds, and what was said of it."""

    fetched: float
    wanted: bool | None
    """None: it is not labelled."""


class HarvestRate(NamedTuple):
    """Share of relevant pages among those fetched before a time, in [0, 1], and its interval."""

    estimate: float
    low: float
    high: float
    labelled: int
    """Pages that it was told from."""
    until: float
    """Unix seconds; infinity: of all pages there are."""


def harvest_rate(pages: Iterable[Drawn]) -> HarvestRate | None:
    """Estimate the rate from pages in the order of their lots; None where too few are labelled.

    `pages` must be all those of a crawl that drew no larger lot than the last of them.
    """
    counted, until = _sample(pages)
    if len(counted) < FEWEST:
        return None
    wanted = sum(bool(page.wanted) for page in counted)
    return HarvestRate(wanted / len(counted), *_wilson(wanted, len(counted)), len(counted), until)


def _sample(pages: Iterable[Drawn]) -> tuple[list[Drawn], float]:
    """The largest sample, of equal ones the latest, and the time before which it was fetched."""
    until, counted = math.inf, list[Drawn]()
    best = counted, until
    for page in pages:
        if page.wanted is None:
            until = min(until, page.fetched)
            counted = [one for one in counted if one.fetched < until]
        elif page.fetched < until:
            counted = [*counted, page]
            if len(counted) > len(best[0]):
                best = counted, until
    return best


def _wilson(wanted: int, n: int) -> tuple[float, float]:
    """The shares of which so many wanted of n pages are not too far away."""
    share, z2 = wanted / n, FOUR_OF_FIVE**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = FOUR_OF_FIVE * math.sqrt(share * (1 - share) / n + z2 / (4 * n**2)) / (1 + z2 / n)
    # Where all pages say the same, rounding could leave their share outside.
    return min(max(centre - reach, 0.0), share), max(min(centre + reach, 1.0), share)
