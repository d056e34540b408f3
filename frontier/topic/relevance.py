"""From what a page says to what the frontier is told: how much the page is about the topic, and
what its links say of their targets.

Everything that judges text meets here, for a crawl and for a replay of a recorded web alike: page
and links go to the topic model once, and what comes back is numbers. A link's words become
*matches*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.records import UrlRecord
from frontier.states import NOFOLLOW
from frontier.urls.canonical import slot_of
from ranking.errors import TopicError
from ranking.page_update import MATCH_STEPS, MATCHES
from ranking.topics.judging import SILENT, judged, matches_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.parsing.html import Link, PageContent
    from ranking.topics.judging import Judgement, LinkMatches, TopicModel

_NO_STEPS = (0,) * MATCHES


def judgement(content: PageContent, topic: TopicModel | None) -> Judgement | None:
    """How much a page is about the topic; None without one.

    Raises TopicError for a model that answers with anything but numbers in [0, 1], and whatever
    the model itself raises.
    """
    if topic is None:
        return None
    found = judged(topic, content.spoken)
    if not (0 <= found.relevance <= 1 and 0 <= found.similarity <= 1):
        raise TopicError(_out_of_range("a page", found))
    return found


def plain_link(
    url: str, number: int, canonical: str, depth: int, slot: str | None = None
) -> UrlRecord:
    """The record of a link of which its URL says everything; `number` is its fingerprint.

    `slot` is that of the URL, where it is known.
    """
    slot = slot_of(url) if slot is None else slot
    return UrlRecord(url=url, fingerprint=number, canonical=canonical, slot=slot, depth=depth)


def describe(found: Sequence[tuple[UrlRecord, Link]], topic: TopicModel | None) -> list[UrlRecord]:
    """Note in the records of a page's links what the links say.

    Args:
        found: a record and the link it was made of, in page order.
        topic: None: anchors and flags are told, and that nothing is promised.

    Returns:
        The records, with all that `Frontier.take` asks of them.

    Raises:
        TopicError: a model that answers with anything but numbers in [0, 1]; whatever the model
            raises passes through. The records then say what they say without a topic.

    """
    for record, link in found:
        record.anchor, record.zone = link.anchor or None, link.zone
        record.flags = NOFOLLOW if link.nofollow else 0
        record.modified = link.modified
    if topic is not None and found:
        links = [link for _, link in found]
        weighed = _weighed(links, topic)
        for (record, link), matches in zip(found, weighed, strict=True):
            record.predicted, record.matches = matches[0], _in_steps(matches)
            record.context = link.context
    return [record for record, _ in found]


def _weighed(links: Sequence[Link], topic: TopicModel) -> list[LinkMatches]:
    weighed = matches_of(topic, [(one.anchor, one.context, one.url) for one in links])
    for matches in weighed:
        if matches is not SILENT and not all(0 <= match <= 1 for match in matches):
            raise TopicError(_out_of_range("a link", matches))
    return weighed


def _in_steps(matches: LinkMatches) -> tuple[int, ...]:
    if matches is SILENT:
        return _NO_STEPS
    return tuple([round(MATCH_STEPS * part) for part in matches[1:]])


def _out_of_range(what: str, found: object) -> str:
    return (
        f"expected numbers from 0 to 1 of {what}, got {found} from the topic model; correct the "
        f"class that TOPIC_MODEL names"
    )
