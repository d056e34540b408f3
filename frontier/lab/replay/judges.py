"""Who says how much a replayed page is about the topic, and who remembers what was said."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from frontier.lab.replay.webfile import RecordedAnswer, Spoken
from frontier.topic.relevance import judgement
from ranking.topics.judging import Judgement

if TYPE_CHECKING:
    from frontier.lab.replay.webfile import WebFile
    from frontier.records import UrlRecord
    from ranking.topics import TopicModel

Judge = Callable[[int, RecordedAnswer], Judgement | None]
"""Number and answer of a page -> how much it is about the topic; None where nobody says."""


def by_topic(topic: TopicModel) -> Judge:
    """The judge of a crawl: the topic model reads the page."""
    return lambda _, answer: judgement(answer.content, topic)


def by_label(judge: Judge, web: WebFile, wanted: Collection[int]) -> Judge:
    """A perfect page judge: relevance is 1 for the pages wanted and 0 for others.

    What the page's words are like, `judge` says.
    """

    def told(number: int, answer: RecordedAnswer) -> Judgement:
        found = judge(number, answer)
        label = float(int(web.answers[number]) in wanted)
        return Judgement(label, label if found is None else found.similarity)

    return told


class Memory:
    """What a topic model said of pages and their links, for the next run of the same case.

    Of links it keeps what it has room for. It is of one state of the model: a run whose model has
    learned something goes on with a memory of its own.
    """

    def __init__(self, links: int = 1_000_000) -> None:
        self.judgements: dict[int, Judgement | None] = {}
        self.spoken: dict[int, Spoken] = {}
        self._room = links

    def judged(self, judge: Judge, number: int, answer: RecordedAnswer) -> Judgement | None:
        """What the judge says of a page, which he reads once."""
        if number not in self.judgements:
            self.judgements[number] = judge(number, answer)
        return self.judgements[number]

    def keep(self, number: int, links: Sequence[UrlRecord]) -> None:
        """Keep what the links of a page say, as `describe` told it."""
        self._room -= len(links)
        if self._room >= 0:
            self.spoken[number] = Spoken(
                [one.promise for one in links],
                [one.matches or () for one in links],
            )
