from __future__ import annotations

import re
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.records import LinkArrays, PageRow
from frontier.states import COPIED, NOFOLLOW, REDIRECT, TOPICAL, State
from frontier.strategy.page_updates import edge_weights, update_of
from frontier.urls.places import folder_places, host_places, template_places


def test_places_are_one_number_a_name_and_survive_any_text():
    places = host_places(["a.example", "b.example", "a.example", "\ud800"])
    assert places.dtype == np.uint32
    assert places[0] == places[2] != places[1]
    assert host_places([]).shape == (0,)


@given(st.lists(st.text(alphabet="a:/?#é\ud800", max_size=12)))
def test_places_are_checksums_of_what_is_before_the_last_slash_of_the_path(urls):
    def checksum(text):
        return crc32(text.encode("utf-8", "surrogatepass"))

    def folder(url):
        path = re.split("[?#]", url)[0]
        scheme = re.match(".*?://", path, re.DOTALL)
        start = scheme.end() if scheme else 0
        return path[: path.rindex("/")] if "/" in path[start:] else path

    assert host_places(urls).tolist() == [checksum(url) for url in urls]
    assert folder_places(urls).tolist() == [checksum(folder(url)) for url in urls]


def masked(part: bytes, *, last: bool) -> bytes:
    dot = part.rfind(b".") if last else -1
    if dot < 1 or len(part) - dot > 6:
        dot = len(part)
    name, ending = part[:dot], part[dot:]
    if not name:
        return ending
    if re.fullmatch(b"[0-9]+", name):
        return b"N" + ending
    return (b"A" if re.search(b"[0-9]", name) else b"W") + ending


def template(url: str) -> bytes:
    """The same in regular expressions."""
    coded = url.encode("utf-8", "surrogatepass").partition(b"#")[0]
    before, mark, query = coded.partition(b"?")
    start = re.match(b"[^/]*://[^/]*|[^/]*", before, re.DOTALL).group()
    parts = before[len(start) :].split(b"/")[1:]
    kept = [start]
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        literal = not place and not last and not re.search(b"[0-9]", part)
        kept.append(part if literal else masked(part, last=last))
    keys = re.sub(b"=[^&?]*", b"", mark + query)
    return b"/".join(kept) + keys


@given(st.lists(st.text(alphabet="a1.:/?#&=é\ud800", max_size=14)))
def test_templates_are_checksums_of_urls_with_their_names_masked(urls):
    assert template_places(urls).tolist() == [crc32(template(url)) for url in urls]


FLAGS = np.array(
    [0, COPIED, TOPICAL, NOFOLLOW | TOPICAL, REDIRECT, COPIED | TOPICAL],
    np.uint8,
)
K = len(FLAGS)
MATCHES = np.arange(6 * K, dtype=np.uint8).reshape(-1, 6)
RECORD = LinkArrays(
    np.arange(10, 10 + K, dtype=np.int32),
    np.linspace(0.5, 1, K).astype(np.float32),
    FLAGS,
    None,
    MATCHES,
)
PAGE = PageRow(url_id=7, state=State.CRAWLED, relevance=0.75, similarity=0.5, links=RECORD)


def test_what_links_of_a_copy_say_counts_nothing():
    update = update_of(PAGE, 2.0)
    assert (update.page, update.relevance, update.similarity) == (7, 0.75, 0.5)
    assert update.targets.tolist() == RECORD.targets.tolist()
    said = [True, False, True, True, True, False]
    assert update.predicted.tolist() == np.where(said, RECORD.predicted, 0).tolist()
    assert update.matches.tolist() == [
        MATCHES[i].tolist() if said[i] else [0] * 6 for i in range(K)
    ]


@pytest.mark.parametrize(("weight", "heavy"), [(2.0, 2.0), (1.0, 1.0), (3.5, 3.5)])
def test_topical_links_weigh_more_and_nofollow_ones_nothing(weight: float, heavy: float):
    update = update_of(PAGE, weight)
    assert update.weights is not None
    assert update.weights.dtype == np.float32
    assert update.weights.tolist() == [1, 1, heavy, 0, 1, heavy]
    assert edge_weights(FLAGS[:0], weight).tolist() == []
