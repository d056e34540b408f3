"""The apprentice without a part of it, to measure what that part is worth: none is for crawls."""

from __future__ import annotations

from ranking.orders.apprentice.order import Apprentice
from ranking.orders.apprentice.signals import LINKS, WORDS, YIELD


class FixedWeights(Apprentice):
    """What the beliefs are worth by themselves."""

    name = "fixed-weights"
    summary = "The apprentice before its first update: its beliefs, never corrected."
    source = "Chakrabarti, Punera, Subramanyam 2002, without the learning"
    formula = "w₀ · x(v) + exploration, w₀ the apprentice's beliefs"
    learns = False


class ApprenticeNoLinks(Apprentice):
    """Without scores of link analysis."""

    name = "apprentice-no-links"
    summary = "The apprentice without PageRank, TrustRank, HITS and counts of links."
    formula = "w · x(v) + exploration, x without the signals of the link graph"
    left_out = frozenset({LINKS})


class ApprenticeNoWords(Apprentice):
    """Without lexical signals."""

    name = "apprentice-no-words"
    summary = "The apprentice without the words of links, around them and of addresses."
    formula = "w · x(v) + exploration, x without the signals of words"
    left_out = frozenset({WORDS})


class ApprenticeNoYield(Apprentice):
    """Without signals of how links and places have paid."""

    name = "apprentice-no-yield"
    summary = "The apprentice without how links, hosts and folders have paid so far."
    formula = "w · x(v) + exploration, x without the signals of yield"
    left_out = frozenset({YIELD})


ABLATIONS = (FixedWeights, ApprenticeNoLinks, ApprenticeNoWords, ApprenticeNoYield)
