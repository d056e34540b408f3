"""What the frontier is told of a page and of its links, with and without a topic."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from frontier.parsing.html import Link, PageContent
from frontier.records import UrlRecord
from frontier.states import NOFOLLOW
from frontier.topic.relevance import describe, judgement, plain_link
from ranking.errors import TopicError
from ranking.topics import TfidfTopic
from ranking.topics.judging import Judgement, LinkMatches, LinkWords, PageText
from tests.support.told import telling

LINKS = [
    Link("http://b.example/comets", "All comets", "seen this year", nofollow=False, zone=7),
    Link("http://b.example/x", "", "", nofollow=True, modified=86_400.5),
]


class Fixed(TfidfTopic):
    """Answers what it is told to."""

    def __init__(self, judgement: Judgement, matches: LinkMatches) -> None:
        super().__init__("off")
        self.answers = judgement, matches
        self.asked: list[object] = []

    def judge(self, page: PageText) -> Judgement:
        self.asked.append(page)
        return self.answers[0]

    def matches(self, links: Sequence[LinkWords]) -> list[LinkMatches]:
        self.asked.append(links)
        return [self.answers[1]] * len(links)


def fixed(relevance: float = 0.75, predicted: float = 0.5, anchor: float = 0.25) -> Fixed:
    return Fixed(Judgement(relevance, 0.5), LinkMatches(predicted, anchor, 1.0, 0.0))


def told(link: UrlRecord) -> tuple[object, ...]:
    return link.anchor, link.predicted, link.flags, link.matches, link.context


def found(links: Sequence[Link] = LINKS) -> list[tuple[UrlRecord, Link]]:
    return [(plain_link(link.url, 0, link.url, 1), link) for link in links]


def test_a_page_is_judged_once_with_title_and_text():
    topic = fixed()
    assert judgement(PageContent("Comets", "Ice and dust", []), topic) == (0.75, 0.5)
    (asked,) = topic.asked
    assert (asked.title, asked.text) == ("Comets", "Ice and dust")


@pytest.mark.parametrize("topic", [None, fixed()])
def test_a_record_knows_when_its_page_changed_as_the_link_says(topic: Fixed | None):
    assert [link.modified for link in describe(found(), topic)] == [None, 86_400.5]


def test_without_a_topic_nothing_is_judged_and_nothing_weighed():
    assert judgement(PageContent("Comets", "Ice and dust", []), None) is None
    first, second = describe(found(), None)
    assert told(first) == ("All comets", 0.0, 0, None, "")
    assert told(second) == (None, 0.0, NOFOLLOW, None, "")
    assert (first.zone, second.zone) == (7, 0)


def test_links_are_weighed_together_and_their_matches_kept_in_steps():
    topic = fixed()
    first, second = describe(found(), topic)
    assert topic.asked == [[(link.anchor, link.context, link.url) for link in LINKS]]
    assert told(first) == ("All comets", 0.5, 0, (64, 255, 0, 0, 0, 0), "seen this year")
    assert second.flags == NOFOLLOW


def test_a_page_without_links_asks_the_model_nothing():
    topic = fixed()
    assert describe([], topic) == []
    assert topic.asked == []


@pytest.mark.parametrize("relevance", [1.5, -0.1, float("nan")])
def test_a_model_that_judges_out_of_range_is_named(relevance: float):
    with pytest.raises(TopicError, match=telling(0, 1, "page", "TOPIC_MODEL")):
        judgement(PageContent("", "text", []), fixed(relevance))


@pytest.mark.parametrize("anchor", [1.5, -0.1, float("nan")])
def test_links_weighed_out_of_range_say_what_they_say_without_a_topic(anchor: float):
    links = found()
    with pytest.raises(TopicError, match=telling(0, 1, "link")):
        describe(links, fixed(anchor=anchor))
    assert [link.predicted for link, _ in links] == [0.0, 0.0]
    assert [link.matches for link, _ in links] == [None, None]
