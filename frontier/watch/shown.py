"""Fetched pages as they are shown: title, relevance, words of the topic, how they were reached."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from frontier.config import DEFAULT_TOPIC_MODEL
from frontier.states import ENDED, Change, State
from frontier.store.schema import TOPIC
from ranking.errors import TopicError
from ranking.topics import TfidfTopic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.store import StoreReader
    from frontier.store.reader import BriefAnswer

SHOWN: Final = 50
READ: Final = 200
"""Answers that are looked through for the latest pages and changes."""
WORDS: Final = 5
TELLING: Final = 0.05
_CHANGES: Final = (Change.CHANGED, *ENDED)


class TitleWords:
    """Which words of title, link text and URL count for the topic, as it is known now.

    They are weighed as those of a link to the page are: texts of pages are not stored, but of a
    few, of which `explain` shows what counts. Of another topic model nothing is known.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self._model: TfidfTopic | None = None
        state = settings.get(TOPIC)
        self.are_known = state is not None
        """Whether anything was learned yet."""
        if state is None or settings["identity"]["topic model"] != DEFAULT_TOPIC_MODEL:
            return
        model = TfidfTopic("off")
        try:
            model.restore(state)
        except TopicError:  # that of another version; the rest of the crawl can be seen
            return
        self._model = model

    def of(self, title: str, anchor: str, url: str) -> list[dict[str, Any]]:
        """Those that count for it most, with what each adds: 1 makes a prediction of one half."""
        if self._model is None:
            return []
        found = self._model.explain_link((title, anchor, url))[:WORDS]
        return [{"name": name, "value": value} for name, value in found if value >= TELLING]


def shown_pages(
    reader: StoreReader, answers: Iterable[BriefAnswer], words: TitleWords, *, looks: bool
) -> list[dict[str, Any]]:
    """What is shown of answers, in their order; `looks`: whether pages are looked at again."""
    some = list(answers)
    rows = reader.fetch_urls([one.url_id for one in some])
    referrers = {row.referrer for row in rows.values() if row.referrer is not None}
    sources = reader.fetch_urls(sorted(referrers))
    pages = []
    for one in some:
        row = rows[one.url_id]
        source = sources.get(-1 if row.referrer is None else row.referrer)
        look = reader.look(one.url_id) if looks else None
        pages.append(
            {
                "url": row.url,
                "title": one.title,
                "status": one.status,
                "fetched": one.fetched,
                "relevance": one.relevance,
                "words": words.of(one.title or "", row.anchor or "", row.url),
                "anchor": row.anchor,
                "from_url": None if source is None else source.url,
                "change": None if look is None else Change(look.found).name.lower(),
            }
        )
    return pages


class LatestPages:
    """The pages that were fetched last, and the changes that looks at pages found last."""

    def __init__(self) -> None:
        self._next = 0
        self.pages: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self.changes: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        """Newest first, as the pages."""

    def read(self, reader: StoreReader, words: TitleWords, *, looks: bool) -> None:
        """Take in what is new, of many answers the last READ."""
        answers = reader.brief_answers(self._next, READ)
        if not answers:
            return
        self._next = answers[0].seq + 1
        fetched = [one for one in answers if one.state == State.CRAWLED][:SHOWN]
        for page in reversed(shown_pages(reader, fetched, words, looks=looks)):
            self.pages.appendleft(page)
        if looks:
            for one in reversed(answers):
                self._note_change(reader, one)

    def _note_change(self, reader: StoreReader, answer: BriefAnswer) -> None:
        look = reader.look(answer.url_id)
        if look is None or Change(look.found) not in _CHANGES:
            return
        self.changes.appendleft(
            {
                "url": reader.urls_of([answer.url_id])[0],
                "title": answer.title,
                "seen": answer.fetched,
                "change": Change(look.found).name.lower(),
                "share": look.share,
            }
        )
