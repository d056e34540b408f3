"""The books as bytes: what was kept decides on as it did, in the form of before too."""

from __future__ import annotations

import json
import zlib
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


def test_tables_in_one_stream_as_before_are_read() -> None:
    data = packed(LIMITS, Budgets(LIMITS), sites(), {}, ()).tobytes()
    said = json.loads(zlib.decompress(data[8 : 8 + int.from_bytes(data[:8], "big")]))
    del said["tables"]
    text = zlib.compress(json.dumps(said).encode())
    tables = b"".join(site.tables.tobytes() for site in sites().values())
    old = len(text).to_bytes(8, "big") + text + zlib.compress(tables)
    assert_same(Kept(np.frombuffer(old, np.uint8), LIMITS))
