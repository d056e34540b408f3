"""The books as bytes: what was kept decides on as it did."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from frontier.traps.budgets import Budgets
from frontier.traps.limits import TrapLimits
from frontier.traps.novelty import SiteWords, words_of
from frontier.traps.serialization import Kept, packed

LIMITS = TrapLimits()


def sites() -> OrderedDict[str, SiteWords]:
    found = OrderedDict((name, SiteWords()) for name in ("one.example", "two.example"))
    found["one.example"].judge(words_of("the first page of a site says something new"))
    found["one.example"].judge(words_of("and so does its second page, in other words"))
    return found


def assert_same(found: Kept) -> None:
    expected = sites()
    assert [*found.sites] == [*expected]
    for name, site in expected.items():
        assert found.sites[name].pages == site.pages
        assert np.array_equal(found.sites[name].tables, site.tables)


def test_what_sites_have_said_is_kept() -> None:
    assert_same(Kept(packed(LIMITS, Budgets(LIMITS), sites(), {}, ()), LIMITS))
