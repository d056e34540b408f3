import subprocess
import sys
import threading

import pytest

from ranking import threads


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
