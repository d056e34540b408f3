"""What the links of a page say is read into columns as they say it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frontier.backend import _links
from frontier.records import UrlRecord
from ranking.page_update import MATCHES

_BYTE = st.integers(0, 255)
_LINK = st.builds(
    UrlRecord,
    url=st.just("u"),
    fingerprint=st.just(1),
    canonical=st.just("u"),
    slot=st.just("s"),
    depth=st.just(1),
    url_id=st.integers(0, 2**31 - 1),
    predicted=st.floats(0, 1),
    flags=_BYTE,
    matches=st.none() | st.tuples(*[_BYTE] * MATCHES),
    anchor=st.none() | st.text(max_size=3),
    context=st.text(max_size=3),
)


def _link(number: int) -> UrlRecord:
    return UrlRecord(url="u", fingerprint=number, canonical="u", slot="s", depth=1)


def _read(links: list[UrlRecord], nameless: int) -> tuple[object, ...]:
    k = len(links)
    arrays = np.empty(k, np.int32), np.empty(k), np.empty(k, np.uint8)
    matches = np.full((k, MATCHES), 7, np.uint8)
    texts = _links.columns(links, nameless, *arrays, matches)
    return *(array.tolist() for array in (*arrays, matches)), *texts


@given(st.lists(_LINK, max_size=6), _BYTE)
def test_links_are_read_into_columns(links: list[UrlRecord], nameless: int) -> None:
    assert _read(links, nameless) == (
        [one.url_id for one in links],
        [one.predicted for one in links],
        [one.flags for one in links],
        [[*(one.matches or (0,) * MATCHES)] for one in links],
        ["" if one.flags & nameless else one.anchor or "" for one in links],
        [one.context for one in links],
        any(one.matches is not None for one in links),
    )


@given(st.lists(st.integers(-3, 3), max_size=8), st.sets(st.integers(-3, 3)), st.integers(7, 9))
def test_new_urls_get_the_next_ids_one_each(numbers: list[int], known: set[int], n: int) -> None:
    links = [_link(number) for number in numbers]
    for link in links:
        link.is_new, link.url_id = True, link.fingerprint + 3 if link.fingerprint in known else -1
    met = [*dict.fromkeys(number for number in numbers if number not in known)]
    expected = [number + 3 if number in known else n + met.index(number) for number in numbers]

    news = _links.number(links, n)

    assert [one.url_id for one in links] == expected
    assert [(one.url_id, one.fingerprint) for one in news] == [*enumerate(met, n)]
    assert [one for one in links if one.is_new] == news
