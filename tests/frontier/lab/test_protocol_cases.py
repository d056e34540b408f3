"""What holds of every case on any web, against a walk over links written the plain way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.errors import LabError
from frontier.lab.protocol.cases import VARIANTS, Case, CaseMaker
from tests.frontier.lab.small_web import SmallWeb

N = 14
DRAWN = 1
URLS = [f"http://page{n}.example/" for n in range(N)]


@st.composite
def webs(draw: st.DrawFn) -> SmallWeb:
    """Pages, some of them redirects; a page may lead to itself, and to what was never recorded."""
    targets = st.lists(st.sampled_from([*URLS, "http://unknown.example/"]), min_size=1, max_size=2)
    redirects = draw(st.dictionaries(st.sampled_from(URLS), st.sampled_from(URLS), max_size=2))
    pages = {
        url: (draw(st.sampled_from(["", *["words of a page"] * 4])), draw(targets))
        for url in URLS
        if url not in redirects
    }
    return SmallWeb(pages, redirects)


def _walk(web: SmallWeb, starts: set[str], steps: int = N + 1) -> set[str]:
    """Everything within so many links."""
    found = set(starts)
    for _ in range(steps):
        for number in range(web.n_recorded):
            if web.urls[number] in found:
                links = web.targets[web.indptr[number] : web.indptr[number + 1]]
                found |= {web.urls[target] for target in links}
    return found


def _within(web: SmallWeb, start: str, goals: set[str], steps: int) -> bool:
    reached = {start}
    for _ in range(steps):
        numbers = [web.find(url) for url in reached]
        reached |= {
            web.urls[target]
            for number in numbers
            if number < web.n_recorded
            for target in web.targets[web.indptr[number] : web.indptr[number + 1]]
        }
    return bool(reached & goals)


@settings(max_examples=200, deadline=None)
@given(
    webs(),
    st.sets(st.sampled_from([*URLS, "http://unknown.example/"]), min_size=3, max_size=7),
    st.sampled_from(VARIANTS),
    st.integers(0, 3),
    st.sampled_from(["", "words of a person"]),
)
def test_a_case_is_fair_or_there_is_none(
    web: SmallWeb, labelled: set[str], variant: str, draw: int, words: str
) -> None:
    maker = CaseMaker(web, count=DRAWN)
    topic = maker.topic("birds", sorted(labelled), {"birds": words} if words else {})
    try:
        case = maker.case(variant, topic, draw)
    except LabError:
        return
    assert case == CaseMaker(web, count=DRAWN).case(variant, topic, draw)
    _check(web, case, {web.urls[page] for page in topic.pages}, words)


def _check(web: SmallWeb, case: Case, labelled: set[str], words: str) -> None:
    assert case.targets
    assert case.targets <= labelled & _walk(web, set(case.seeds))
    assert not case.targets & set(case.examples)
    assert len(case.seeds) == len(set(case.seeds)) == DRAWN
    if case.variant == "inside":
        assert case.seeds == case.examples
        assert set(case.seeds) <= labelled
    else:
        for seed in case.seeds:
            assert not _within(web, seed, labelled, 1)
            assert _within(web, seed, labelled, 3)
    if case.variant == "keywords":
        assert case.examples == ()
        assert case.topic_words == words if words else case.topic_words.startswith("birds")
    else:
        assert case.topic_words == ""


def test_a_topic_without_a_word_to_search_for_is_no_case_of_keywords() -> None:
    """Its name is a function word, and its pages say nothing else."""
    goal, near, far = URLS[:3]
    web = SmallWeb({goal: ("it is", [near]), near: ("", [goal]), far: ("", [near])})
    maker = CaseMaker(web, count=DRAWN, fewest=0)
    topic = maker.topic("IT", [goal], {})
    assert maker.case("outside", topic, 0).topic_words == ""
    with pytest.raises(LabError, match="neither its name nor its pages hold a word"):
        maker.case("keywords", topic, 0)
    named = maker.topic("IT", [goal], {"IT": "computers"})
    assert maker.case("keywords", named, 0).topic_words == "computers"
