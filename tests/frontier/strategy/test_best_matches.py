"""The best that links say of a URL: live as from the record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.records import LinkText
from frontier.states import NAMED, NOFOLLOW
from frontier.store.link_text import LinkTexts
from frontier.strategy.best_matches import BestMatches

LINK = st.tuples(
    st.integers(0, 5),
    st.tuples(*[st.integers(0, 255)] * 3),
    st.sampled_from([0, NOFOLLOW, NAMED]),
)
PAGE = st.tuples(st.floats(0, 1, width=32), st.lists(LINK, max_size=5))


@given(st.lists(PAGE, max_size=6))
def test_the_largest_of_each_number_is_kept_and_followed_links_vouch(pages) -> None:
    live, loaded, history = BestMatches(), BestMatches(), []
    best = {target: ([0, 0, 0], 0.0) for target in range(6)}
    for similarity, links in pages:
        targets = np.array([one[0] for one in links], np.int32)
        matches = np.array([one[1] for one in links], np.uint8).reshape(-1, 3)
        flags = np.array([one[2] for one in links], np.uint8)
        live.note(targets, matches, flags, np.float32(similarity))
        of_page = np.full(len(links), similarity, np.float32)
        history.append(LinkTexts(targets, flags, of_page, LinkText(matches)))
        for target, said, flag in links:
            known, vouched = best[target]
            kept = [max(pair) for pair in zip(known, said, strict=True)]
            best[target] = kept, vouched if flag else max(vouched, similarity)
    loaded.load(history)
    expected = [(tuple(matches), similarity) for matches, similarity in best.values()]
    for matches in (live, loaded):
        assert [matches.best(target) for target in range(6)] == expected


def test_ids_below_zero_are_refused() -> None:
    with pytest.raises(IndexError, match="below 0"):
        BestMatches().note(np.array([-1], np.int32), np.zeros((1, 3), np.uint8), *[np.zeros(1)] * 2)
