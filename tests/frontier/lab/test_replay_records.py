from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from frontier.lab.replay.records import RunKey, RunRecord
from tests.frontier.lab import replay_webs as webs

TASK = webs.task("bfs", targets=["x", "y"])


@given(
    st.builds(
        RunRecord,
        st.builds(RunKey, st.text(), st.text(), st.text(), st.integers(0, 9), st.text()),
        st.text(),
        st.integers(1, 2000),
        st.integers(1, 200),
        st.text(alphabet="hprtfn"),
        st.lists(st.integers(0, 10**6)).map(tuple),
    )
)
def test_a_record_is_read_as_it_was_written(record: RunRecord) -> None:
    line = record.to_json()

    assert "\n" not in line
    assert RunRecord.from_json(line) == record


def test_the_digest_of_a_task_covers_everything_it_says() -> None:
    others = [
        replace(TASK, seeds=("http://b.example/",)),
        replace(TASK, examples=("http://b.example/",)),
        replace(TASK, topic_words="b"),
        replace(TASK, targets=frozenset({"http://b.example/"})),
        replace(TASK, budget=9),
        replace(TASK, strategy="b"),
    ]
    assert len({one.digest for one in (TASK, *others)}) == 7
    same = frozenset(sorted(TASK.targets, reverse=True))
    assert replace(TASK, targets=same).digest == TASK.digest
