"""What the frontier is told of a page and of its links, with and without a topic."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.parsing.html import Link, PageContent
from frontier.records import UrlRecord
from frontier.states import NOFOLLOW
from frontier.topic.relevance import describe, judgement, plain_link, voice_of, voices
from ranking.errors import TopicError
from ranking.topics import TfidfTopic
from ranking.topics.judging import Judgement, LinkCues, LinkWords, PageText
from tests.support.told import telling

HOST = "a.example"
LINKS = [
    Link("http://b.example/comets", "All comets", "seen this year", nofollow=False, zone=7),
    Link("http://b.example/x", "", "", nofollow=True),
]


class Fixed(TfidfTopic):
    """Answers what it is told to."""

    def __init__(self, judgement: Judgement, cues: LinkCues) -> None:
        super().__init__("off")
        self.answers = judgement, cues
        self.asked: list[object] = []

    def judge(self, page: PageText) -> Judgement:
        self.asked.append(page)
        return self.answers[0]

    def cues(self, links: Sequence[LinkWords]) -> list[LinkCues]:
        self.asked.append(links)
        return [self.answers[1]] * len(links)


def fixed(relevance: float = 0.75, promise: float = 0.5, anchor: float = 0.25) -> Fixed:
    return Fixed(Judgement(relevance, 0.5), LinkCues(promise, anchor, 1.0, 0.0))


def told(link: UrlRecord) -> tuple[object, ...]:
    return link.anchor, link.promise, link.flags, link.cues, link.context, link.voice


def found(links: Sequence[Link] = LINKS) -> list[tuple[UrlRecord, Link]]:
    return [(plain_link(link.url, 0, link.url, 1), link) for link in links]


def test_a_page_is_judged_once_with_title_and_text():
    topic = fixed()
    assert judgement(PageContent("Comets", "Ice and dust", []), topic) == (0.75, 0.5)
    (asked,) = topic.asked
    assert (asked.title, asked.text) == ("Comets", "Ice and dust")


def test_without_a_topic_nothing_is_judged_and_nothing_weighed():
    assert judgement(PageContent("Comets", "Ice and dust", []), None) is None
    first, second = describe(found(), None, HOST)
    assert told(first) == ("All comets", 0.0, 0, None, "", 0)
    assert told(second) == (None, 0.0, NOFOLLOW, None, "", 0)
    assert (first.zone, second.zone) == (7, 0)


def test_links_are_weighed_together_and_their_cues_kept_in_steps():
    topic = fixed()
    first, second = describe(found(), topic, HOST)
    assert topic.asked == [[(link.anchor, link.context, link.url) for link in LINKS]]
    voice = voice_of(HOST, "All comets", "seen this year")
    assert told(first) == ("All comets", 0.5, 0, (64, 255, 0), "seen this year", voice)
    assert second.flags == NOFOLLOW


def test_a_page_without_links_asks_the_model_nothing():
    topic = fixed()
    assert describe([], topic, HOST) == []
    assert topic.asked == []


@pytest.mark.parametrize("relevance", [1.5, -0.1, float("nan")])
def test_a_model_that_judges_out_of_range_is_named(relevance: float):
    with pytest.raises(TopicError, match=telling(0, 1, "page", "TOPIC_MODEL")):
        judgement(PageContent("", "text", []), fixed(relevance))


@pytest.mark.parametrize("anchor", [1.5, -0.1, float("nan")])
def test_links_weighed_out_of_range_say_what_they_say_without_a_topic(anchor: float):
    links = found()
    with pytest.raises(TopicError, match=telling(0, 1, "link")):
        describe(links, fixed(anchor=anchor), HOST)
    assert [link.promise for link, _ in links] == [0.0, 0.0]
    assert [link.cues for link, _ in links] == [None, None]


def test_the_same_words_are_one_voice_by_host_by_anchor_and_by_what_is_around():
    voice = voice_of(HOST, "Comets", "seen this year")
    assert voice_of(HOST, "COMETS", "Seen this year") == voice
    around = voice_of(HOST, "Comets", "seen next year")
    assert (around >> 16, around & 0xFFFF) != (voice >> 16, voice & 0xFFFF)
    assert around >> 16 == voice >> 16
    assert voice_of(HOST, "Planets", "seen this year") >> 16 != voice >> 16
    assert voice_of("b.example", "Comets", "seen this year") >> 16 != voice >> 16


SAID = st.text(alphabet=st.one_of(st.sampled_from("aZ\n É\u0130ßΣς\ud800😀"), st.characters()))


def plain_voice(host: str, anchor: str, context: str) -> int:
    spoken = crc32(f"{host}\n{anchor}".casefold().encode("utf-8", "replace"))
    around = crc32(context.casefold().encode("utf-8", "replace"), spoken)
    first, second = ((one ^ one >> 16) & 0xFFFF or 1 for one in (spoken, around))
    return first << 16 | second


@given(SAID, st.lists(st.tuples(SAID, SAID), max_size=4))
def test_voices_are_checksums_of_what_is_said_whatever_its_letter_case(
    host: str, said: list[tuple[str, str]]
):
    assert voices(host, said) == [plain_voice(host, *one) for one in said]
