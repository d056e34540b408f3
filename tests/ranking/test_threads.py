import subprocess
import sys
import threading

import numpy as np
import pytest

from ranking import threads
from ranking.graph.link_graph import LinkGraph
from ranking.pagerank import sweeps
from ranking.pagerank.pagerank import pagerank


@pytest.mark.parametrize("cores", [1, 2])
def test_both_halves_are_done_and_come_back_in_order(cores, monkeypatch):
    monkeypatch.setattr(threads, "available_cores", lambda: cores)
    ran_on = {}

    def work(half: int) -> str:
        ran_on[half] = threading.current_thread()
        return f"half {half}"

    assert threads.in_halves(work) == ("half 0", "half 1")
    assert len(set(ran_on.values())) == cores


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_in_one_half_is_raised_after_the_other_has_ended(failing, monkeypatch):
    monkeypatch.setattr(threads, "available_cores", lambda: 2)
    ended = []

    def work(half: int) -> None:
        if half == failing:
            raise ValueError("this half")
        ended.append(half)

    with pytest.raises(ValueError, match="this half"):
        threads.in_halves(work)
    assert ended == [1 - failing]


def ranking(cores: int, monkeypatch) -> np.ndarray:
    monkeypatch.setattr(threads, "available_cores", lambda: cores)
    rng = np.random.default_rng(8)
    graph = LinkGraph.from_edges(rng.integers(0, 3000, 40_000), rng.integers(0, 9000, 40_000))
    return pagerank(graph, rng.random(9000), tol=1e-10).scores


def test_a_ranking_is_the_same_to_the_last_bit_on_one_core_and_on_two(monkeypatch):
    monkeypatch.setattr(sweeps, "TWO_BLOCKS", 1000)
    np.testing.assert_array_equal(ranking(1, monkeypatch), ranking(2, monkeypatch))


def test_two_blocks_lead_to_the_scores_of_one(monkeypatch):
    one = ranking(1, monkeypatch)
    monkeypatch.setattr(sweeps, "TWO_BLOCKS", 1000)
    assert np.abs(ranking(2, monkeypatch) - one).sum() <= 2e-10


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs os.fork")
def test_a_forked_child_ranks_too():
    code = """
import os, warnings
from ranking import threads
warnings.simplefilter("ignore")
threads.available_cores = lambda: 2
assert threads.in_halves(lambda half: half) == (0, 1)
child = os.fork()
if not child:
    os._exit(0 if threads.in_halves(lambda half: half) == (0, 1) else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=30).returncode == 0
