import numpy as np
import pytest

from ranking.errors import RankingInputError
from ranking.graph.link_graph import LinkGraph
from ranking.pagerank.live import LiveScores
from ranking.pagerank.pagerank import pagerank


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weights", [None, np.array([3, 1], np.float32)])
def test_a_page_hands_its_score_to_its_links_by_their_weight(dtype, weights):
    live = LiveScores(0.5, dtype)
    live.grow(4, 1.0)
    shares = [2.0, 2.0] if weights is None else [3.0, 1.0]
    total = 2.0 if weights is None else 4.0
    before = live.hand_out(np.array([0, 2, 3], np.int32), weights, total, gained=7.0)
    assert before.tolist() == [1, 1, 1]
    each = 4.0 / sum(shares)
    assert live.scores.tolist() == [8, 1, 1 + each * shares[0], 1 + each * shares[1]]
    assert live.scores.dtype == dtype


def test_a_page_without_followed_links_hands_nothing_on():
    live = LiveScores()
    live.grow(2, 1.0)
    live.hand_out(np.array([0, 1], np.int32), np.zeros(1, np.float32), 0.0)
    assert live.scores.tolist() == [1, 1]


def test_ids_found_since_have_what_jumps_give_them():
    graph = LinkGraph.from_edges([0], [1])
    ranking = pagerank(graph, tol=1e-12)
    live = LiveScores()
    live.grow(2, 1.0)
    assert live.scores.tolist() == [1, 1]
    live.take(ranking, 1.0)
    live.grow(3, 0.5)
    # Page 0 has no link to it and restart weight 1.
    assert live.scores == pytest.approx([live.jump, ranking.scores[1], live.jump / 2])


def test_ids_that_are_not_known_yet_are_refused():
    live = LiveScores()
    live.grow(2, 1.0)
    with pytest.raises(IndexError):
        live.hand_out(np.array([0, 2], np.int32), None, 1.0)
    with pytest.raises(RankingInputError, match="pagerank"):
        live.take(pagerank(LinkGraph()), 1.0)
