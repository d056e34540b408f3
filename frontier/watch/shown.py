"""Fetched pages as shown: title, relevance, words of the topic, source."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from frontier.config import DEFAULT_TOPIC_MODEL
from frontier.states import ENDED, Change, State
from frontier.store import statements
from frontier.store.schema import IDENTITY, TOPIC
from ranking.errors import TopicError
from ranking.topics import TfidfTopic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.store import StoreReader

SHOWN: Final = 50
READ: Final = 200
"""Answers read for the latest pages and changes."""
WORDS: Final = 5
TELLING: Final = 0.05
_CHANGES: Final = {change.name.lower() for change in (Change.CHANGED, *ENDED)}


class TitleWords:
    """The words of title, link text and URL that count for the topic, by the current topic model.

    They are weighed as in a link to the page, because the texts of most pages are not stored. For
    another topic model than the default there are none.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self._model: TfidfTopic | None = None
        if TOPIC in settings and settings[IDENTITY]["topic model"] == DEFAULT_TOPIC_MODEL:
            self._model = TfidfTopic()
            try:
                self._model.restore(settings[TOPIC])
            except TopicError:  # of another version; everything else can be shown
                self._model = None

    def of(self, title: str, anchor: str, url: str) -> list[dict[str, Any]]:
        """The most important words, with their weights: 1 makes a prediction of one half."""
        if self._model is None:
            return []
        weighed = self._model.explain_link((title, anchor, url))[:WORDS]
        return [{"name": name, "value": value} for name, value in weighed if value >= TELLING]


def shown_pages(
    reader: StoreReader, answers: Iterable[tuple[Any, ...]], words: TitleWords, *, revisits: bool
) -> list[dict[str, Any]]:
    """The shown pages of answers, rows of BRIEF_FROM; `revisits`: whether pages are revisited."""
    listed = list(answers)
    rows = reader.fetch_urls([answer[0] for answer in listed])
    sources = reader.fetch_urls({row.referrer for row in rows.values() if row.referrer is not None})
    pages = []
    for url_id, _, status, fetched, title, relevance, _ in listed:
        row, revisit = rows[url_id], reader.revisit(url_id) if revisits else None
        source = None if row.referrer is None else sources[row.referrer].url
        pages.append(
            {
                "url": row.url,
                "title": title,
                "status": status,
                "fetched": fetched,
                "relevance": relevance,
                "words": words.of(title or "", row.anchor or "", row.url),
                "anchor": row.anchor,
                "from_url": source,
                "change": None if revisit is None else Change(revisit.result).name.lower(),
            }
        )
    return pages


class LatestPages:
    """The pages fetched last, and the changes found last; newest first.

    Pages that are gone or moved are only among the changes.
    """

    def __init__(self) -> None:
        self._next = 0
        self.pages: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self.changes: deque[dict[str, Any]] = deque(maxlen=SHOWN)

    def read(self, reader: StoreReader, words: TitleWords, *, revisits: bool) -> None:
        """Read the new answers, the last READ of many."""
        new = reader.ask(statements.BRIEF_FROM, self._next, READ)
        if new:
            self._next = new[0][-1] + 1
        listed = (
            new if revisits else [answer for answer in new if answer[1] == State.CRAWLED][:SHOWN]
        )
        shown = shown_pages(reader, listed, words, revisits=revisits)
        for answer, page in reversed(list(zip(listed, shown, strict=True))):
            if answer[1] == State.CRAWLED:
                self._show(page)
            if page["change"] in _CHANGES:
                self.changes.appendleft(page)

    def _show(self, page: dict[str, Any]) -> None:
        """Insert a page by its time: one judged again, as by a label, was fetched earlier."""
        fetch = page["url"], page["fetched"]
        others = [other for other in self.pages if (other["url"], other["fetched"]) != fetch]
        place = sum(other["fetched"] > page["fetched"] for other in others)
        self.pages = deque([*others[:place], page, *others[place:]][:SHOWN], maxlen=SHOWN)
