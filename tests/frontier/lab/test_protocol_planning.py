from __future__ import annotations

import dataclasses

import pytest

from frontier.errors import LabError
from frontier.lab.protocol.labels import Labels
from frontier.lab.protocol.planning import (
    VARIANTS,
    Protocol,
    drawn,
    plan,
    reasons,
)
from frontier.lab.replay.webfile import WebFile
from tests.frontier.lab.small_web import small_web

BIRDS = [f"http://birds.example/{i}" for i in range(8)]
FAR = [f"http://far.example/{i}" for i in range(6)]
HOME = "http://home.example/"
MOVED = "http://old.example/moved"
GONE = "http://gone.example/"


def _web() -> WebFile:
    """Far pages -> home -> birds in a ring; a bird that moved; one that nothing leads to."""
    pages = {
        url: (f"beak plumage bird {i}", [BIRDS[(i + 1) % 7], HOME]) for i, url in enumerate(BIRDS)
    }
    pages[BIRDS[7]] = ("plumage", [BIRDS[0]])
    pages[HOME] = ("home", [MOVED, GONE])
    pages |= {url: ("far", [HOME]) for url in FAR}
    return small_web(pages, {MOVED: BIRDS[0]})


LABELS = Labels({"birds": (*BIRDS[1:], MOVED, GONE, "http://nobody.example/")})
ONE = Protocol(("bfs", "ppr"), ("inside",), budget=20, draws=2, fewest_targets=1)


def _with(**changes: object) -> Protocol:
    return dataclasses.replace(ONE, **changes)  # type: ignore[arg-type]  # any field of it


def test_inside_the_seeds_are_the_examples_and_no_targets() -> None:
    made = plan(_web(), LABELS, ONE)
    assert [(task.draw, task.strategy) for task in made.tasks] == [
        *((0, "bfs"), (0, "ppr"), (1, "bfs"), (1, "ppr"))
    ]
    for task in made.tasks:
        assert task.seeds == task.examples
        assert len(task.seeds) == 4
        assert set(task.seeds) <= set(BIRDS)
        # Page 7 is labelled, but no link leads to it; page 0 is the one behind the redirect.
        assert task.targets == set(BIRDS[:7]) - set(task.seeds)
        assert task.topic_words == ""
        assert task.budget == 20
    assert made.topics == ("birds",)
    assert made.dropped == []


def test_outside_the_seeds_lie_two_or_three_links_away_from_the_topic() -> None:
    (task, *_) = plan(_web(), LABELS, _with(variants=("outside",))).tasks
    assert set(task.seeds) <= {*FAR, HOME}
    assert len(task.examples) == 4
    hops = _web().hops_to([_web().find(url) for url in BIRDS])
    assert {int(hops[_web().find(url)]) for url in task.seeds} <= {2, 3}
    assert task.targets == set(BIRDS[:7]) - set(task.examples)


def test_keywords_come_with_the_starts_of_outside_and_without_examples() -> None:
    both = plan(_web(), LABELS, _with(variants=("outside", "keywords"), draws=1)).tasks
    outside, keywords = both[0], both[2]
    assert keywords.seeds == outside.seeds
    assert keywords.examples == ()
    assert keywords.topic_words == "birds plumage beak"
    assert keywords.targets == outside.targets


@pytest.mark.parametrize("given", [{}, {"birds": "Birds of prey"}, {"fish": "Fish"}])
def test_a_name_takes_the_place_of_examples_and_gives_no_page_away(given: dict[str, str]) -> None:
    asked = _with(variants=tuple(VARIANTS), draws=1, strategies=("bfs",), names=given)
    tasks = {task.variant: task for task in plan(_web(), LABELS, asked).tasks}
    names, inside = tasks["names"], tasks["inside-names"]
    assert {names.topic_words, inside.topic_words} == {given.get("birds", "birds")}
    assert names.examples == inside.examples == ()
    assert names.seeds == tasks["outside"].seeds == tasks["keywords"].seeds
    assert inside.seeds == tasks["inside"].seeds == tasks["inside-keywords"].seeds
    assert names.targets == set(BIRDS[:7])
    assert inside.targets == tasks["inside"].targets == names.targets - set(inside.seeds)


def test_a_name_needs_no_page_that_could_be_an_example() -> None:
    labels = Labels({"History.Old_Birds": (BIRDS[1],), "A.The": (BIRDS[2],)})
    made = plan(_web(), labels, _with(variants=("names", "outside", "inside-names")))
    assert {(one.variant, one.topic, one.topic_words) for one in made.tasks} == {
        ("names", "History.Old_Birds", "old birds")
    }
    assert [line.split(" (")[0] for line in reasons(made.dropped)] == [
        "names: 1 topic: its name holds no word that could be searched for",
        "outside: 2 topics: fewer than 4 labelled pages hold text and links",
        "inside-names: 1 topic: fewer than 4 labelled pages hold text and links",
        "inside-names: 1 topic: its name holds no word that could be searched for",
    ]


def test_seeds_that_a_web_comes_with_are_used_and_those_it_lacks_are_named() -> None:
    seeds = (FAR[2], "http://nobody.example/", GONE)
    made = plan(_web(), LABELS, _with(variants=("outside",), seeds=seeds))
    assert {task.seeds for task in made.tasks} == {(FAR[2],)}
    assert made.lost_seeds == ("http://nobody.example/", GONE)
    with pytest.raises(LabError, match="of 2 it holds none as a page"):
        plan(_web(), LABELS, _with(seeds=seeds[1:]))


def test_a_topic_with_nothing_to_find_is_listed_with_the_reason() -> None:
    labels = Labels({**LABELS.topics, "ships": ("http://nobody.example/",), "few": (BIRDS[1],)})
    made = plan(_web(), labels, ONE)
    assert {task.topic for task in made.tasks} == {"birds"}
    assert {(one.topic, one.draw) for one in made.dropped} == {
        *(("ships", 0), ("ships", 1), ("few", 0), ("few", 1))
    }
    (line,) = reasons(made.dropped)
    assert line.startswith("inside: 2 topics: fewer than 4 labelled pages hold text and links (")


def test_a_budget_that_leaves_nothing_to_choose_is_refused() -> None:
    with pytest.raises(LabError, match="a budget above the 4 seeds"):
        plan(_web(), LABELS, _with(budget=4))


def test_what_is_drawn_depends_on_nothing_but_the_candidates_and_the_name_of_the_draw() -> None:
    first = drawn(BIRDS, "birds", 0, "examples")
    assert first == drawn(reversed(BIRDS), "birds", 0, "examples")
    assert sorted(first) == sorted(BIRDS)
    others = [
        drawn(BIRDS, "birds", 1, "examples"),
        drawn(BIRDS, "fish", 0, "examples"),
        drawn(BIRDS, "birds", 0, "starts"),
    ]
    assert first not in others
    without = [url for url in first if url != BIRDS[3]]
    assert drawn(set(BIRDS) - {BIRDS[3]}, "birds", 0, "examples") == without
