import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.pagerank.live import LiveScores
from ranking.pagerank.pagerank import pagerank, provisional
from tests.support.told import telling

N = 10
LINK = st.tuples(st.integers(0, N - 1), st.sampled_from([0.0, 0.5, 1.0]))
RECORDS = st.lists(
    st.tuples(st.integers(0, N - 1), st.lists(LINK, max_size=6)),
    max_size=N,
    unique_by=lambda record: record[0],
)


@given(RECORDS, st.integers(0, N))
def test_page_by_page_or_all_at_once_gives_the_provisional_scores(records, split):
    graph = LinkGraph(N)
    for page, links in records[:split]:
        graph.append(page, [t for t, _ in links], [w for _, w in links])
    before, known = pagerank(graph, tol=1e-12), graph.n_pages
    one, all_at_once = LiveScores(), LiveScores()
    one.take(before, 1.0)
    all_at_once.take(before, 1.0)
    for page, links in records[split:]:
        graph.append(page, [t for t, _ in links], [w for _, w in links])
        one.hand_on(page, *graph.links(page))
    all_at_once.catch_up(graph.snapshot(), known)
    np.testing.assert_allclose(one.scores, all_at_once.scores, rtol=1e-14)
    after = provisional(graph, before)
    frontier = np.setdiff1d(np.arange(N), graph.snapshot().pages)
    # Live scores keep the scale of the ranking before; fetched pages have what they are owed.
    expected = after.scores * after.memory.unit / before.memory.unit
    np.testing.assert_allclose(one.scores[frontier], expected[frontier], rtol=1e-9)
    assert (one.scores >= expected - 1e-12).all()


def test_ids_found_since_have_what_jumps_give_them():
    graph = LinkGraph.from_edges([0], [1])
    ranking = pagerank(graph, tol=1e-12)
    live = LiveScores()
    live.grow(2, 1.0)
    assert live.scores.tolist() == [1, 1]
    live.take(ranking, 1.0)
    live.grow(3, 0.5)
    live.gain(1, 1.0)
    live.gain(np.array([1, 0], np.int32), np.array([1.0, 0.0]))
    # Page 0 has no link to it and restart weight 1.
    assert live.scores == pytest.approx(
        [live.jump, ranking.scores[1] + 2 * live.jump, live.jump / 2]
    )


def test_ids_that_are_not_known_yet_are_refused():
    live = LiveScores()
    live.grow(2, 1.0)
    with pytest.raises(IndexError, match=telling(2, "n=2")):
        live.hand_on(0, np.array([2], np.int32), None)
    with pytest.raises(RankingInputError, match=telling(3, 2)):
        live.catch_up(LinkGraph.from_edges([0], [2]).snapshot(), 0)
    with pytest.raises(RankingInputError, match="pagerank"):
        live.take(pagerank(LinkGraph()), 1.0)
