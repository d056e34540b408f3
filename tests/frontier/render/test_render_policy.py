"""Which pages are shown: what travels between hosts, what a trial may cost, what a note holds."""

from __future__ import annotations

import json

import pytest
from lxml import html

from frontier.render import ALL, AUTO
from frontier.render.policy import Decision, RenderPolicy
from frontier.render.signs import Content

WORDS = "word " * 150
LINKS = "".join(f"<a href=/p/{number}>p</a>" for number in range(8))
EMPTY = "<body><div id=root></div><script src=main.js></script>"
WHOLE = f"<body><div id=root>{WORDS}{LINKS}</div><script src=main.js></script>"
ISLAND = f"<body><p>{WORDS}</p><my-list></my-list><script src=island.js></script>"
FULL = Content(200, frozenset(f"http://x.example/{number}" for number in range(20)))
SPENT = {"seconds": 1.5, "bytes": 1000, "failed": 0}


def decide(policy: RenderPolicy, body: str, host: int = 1, priority: float = 1.0) -> Decision:
    root = html.document_fromstring(body)
    return policy.decide(root, f"http://h{host}.example/a/{priority}", "", priority)


def test_an_empty_page_with_scripts_is_shown_at_once_and_a_whole_one_is_not() -> None:
    policy = RenderPolicy(AUTO, focused=False)
    assert decide(policy, EMPTY).shown
    assert not decide(policy, WHOLE).shown
    assert not decide(policy, "<body><div id=root></div>").shown
    assert decide(RenderPolicy(ALL, focused=False), WHOLE).shown


def test_what_a_trial_brought_on_some_hosts_is_known_on_a_new_one() -> None:
    policy = RenderPolicy(AUTO, focused=False)
    before = decide(policy, ISLAND, 0).chance
    for host in range(1, 5):
        policy.learn(decide(policy, ISLAND, host), FULL, SPENT)
    assert before < 0.5 < decide(policy, ISLAND, 9).chance
    for host in range(10, 20):
        decision = decide(policy, EMPTY, host)
        policy.learn(decision, decision.signs.content, SPENT)
    assert decide(policy, EMPTY, 30).chance < 0.1


def test_a_network_failure_teaches_nothing_of_other_hosts_and_is_not_tried_for_ever() -> None:
    policy = RenderPolicy(AUTO, focused=False)
    before = decide(policy, EMPTY, 2).chance
    for _ in range(5):
        decision = decide(policy, EMPTY, 1)
        note = policy.learn(decision, decision.signs.content, SPENT | {"failed": 1})
        assert "signs" not in note
    assert decide(policy, EMPTY, 2).chance == before
    assert not decide(policy, EMPTY, 1).shown


def test_with_a_topic_one_page_in_five_is_shown_and_the_best_are() -> None:
    policy = RenderPolicy(AUTO, focused=True)
    shown = []
    for number in range(1000):
        decision = decide(policy, EMPTY, 1, (number * 37 % 101) / 101)
        if decision.shown:
            shown.append((number * 37 % 101) / 101)
            policy.learn(decision, FULL, SPENT)
    assert 150 <= len(shown) <= 220
    assert sum(shown[50:]) / len(shown[50:]) > 0.7


def test_a_resumed_crawl_learns_again_what_it_noted() -> None:
    policy, notes = RenderPolicy(AUTO, focused=False), []
    for number, body in enumerate((EMPTY, ISLAND, WHOLE, ISLAND, EMPTY)):
        decision = decide(policy, body, number)
        rendered = decision.signs.content if body is WHOLE else FULL
        note = policy.learn(decision, rendered, SPENT) | {"plain": f"{number}"}
        notes.append((number, f"http://h{number}.example/a/1.0", json.dumps(note)))
    again = RenderPolicy(AUTO, focused=False)
    again.restore([*notes, (3, "http://h3.example/", '{"chance": 0.2, "why": "", "parts": {}}')])
    assert again.learner.weights == policy.learner.weights
    assert decide(again, ISLAND, 1).chance == pytest.approx(decide(policy, ISLAND, 1).chance)
    assert again.plain_hash(0) == "0"
    assert again.plain_hash(3) is None
