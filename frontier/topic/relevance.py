"""From text to numbers: the judgement of a page, and the matches of its links with the topic.

Page and links go to the topic model once, in a crawl and in a replay of a recorded web alike. A
link's words become *matches*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.records import UrlRecord
from frontier.states import NOFOLLOW
from frontier.urls.canonical import slot_of
from ranking.errors import TopicError
from ranking.page_update import MATCH_STEPS, MATCHES
from ranking.topics.judging import (
    SILENT,
    Judgement,
    LinkMatches,
    TopicModel,
    judged,
    matches_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.parsing.html import Link, PageContent

_NO_STEPS = (0,) * MATCHES


def judgement(content: PageContent, topic: TopicModel | None) -> Judgement | None:
    """Relevance and similarity of a page; None without a topic.

    Raises TopicError for a model that gives anything but numbers in [0, 1], and whatever the model
    itself raises.
    """
    if topic is None:
        return None
    result = judged(topic, content.spoken)
    if not all(0 <= number <= 1 for number in result):
        raise TopicError(_out_of_range("a page", result))
    return result


def plain_link(
    url: str, number: int, canonical: str, depth: int, slot: str | None = None
) -> UrlRecord:
    """The record of a link of which only the URL is known; `number` is its fingerprint.

    `slot` is that of the URL, where it is known.
    """
    slot = slot_of(url) if slot is None else slot
    return UrlRecord(url=url, fingerprint=number, canonical=canonical, slot=slot, depth=depth)


def describe(links: Sequence[tuple[UrlRecord, Link]], topic: TopicModel | None) -> list[UrlRecord]:
    """Fill the records of a page's links with anchors, flags, predictions and matches.

    Args:
        links: a record and the link that it was made of, in page order.
        topic: None: no predictions and matches.

    Returns:
        The records, with all that `Frontier.take` asks of them.

    Raises:
        TopicError: a model that gives anything but numbers in [0, 1]; whatever the model raises
            passes through. The records then are as without a topic.

    """
    for record, link in links:
        record.anchor, record.zone = link.anchor or None, link.zone
        record.flags = NOFOLLOW if link.nofollow else 0
        record.modified = link.modified
    if topic is not None and links:
        weighed = _weighed([link for _, link in links], topic)
        for (record, link), matches in zip(links, weighed, strict=True):
            record.predicted, record.matches = matches[0], _in_steps(matches)
            record.context = link.context
    return [record for record, _ in links]


def _weighed(links: Sequence[Link], topic: TopicModel) -> list[LinkMatches]:
    weighed = matches_of(topic, [(link.anchor, link.context, link.url) for link in links])
    for matches in weighed:
        if matches is not SILENT and not all(0 <= match <= 1 for match in matches):
            raise TopicError(_out_of_range("a link", matches))
    return weighed


def _in_steps(matches: LinkMatches) -> tuple[int, ...]:
    if matches is SILENT:
        return _NO_STEPS
    return tuple([round(MATCH_STEPS * part) for part in matches[1:]])


def _out_of_range(what: str, got: object) -> str:
    return (
        f"expected numbers from 0 to 1 of {what}, got {got} from the topic model; correct the "
        f"class that TOPIC_MODEL names"
    )
