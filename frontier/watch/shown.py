"""Fetched pages as they are shown: title, relevance, words of the topic, how they were reached."""

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
"""Answers that are looked through for the latest pages and changes."""
WORDS: Final = 5
TELLING: Final = 0.05
_CHANGES: Final = {change.name.lower() for change in (Change.CHANGED, *ENDED)}


class TitleWords:
    """Which words of title, link text and URL count for the topic, as it is known now.

    They are weighed as those of a link to the page are: texts of pages are not stored, but of a
    few, of which `explain` shows what counts. Of another topic model nothing is known.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self._model: TfidfTopic | None = None
        if TOPIC in settings and settings[IDENTITY]["topic model"] == DEFAULT_TOPIC_MODEL:
            self._model = TfidfTopic()
            try:
                self._model.restore(settings[TOPIC])
            except TopicError:  # that of another version; the rest of the crawl can be seen
                self._model = None

    def of(self, title: str, anchor: str, url: str) -> list[dict[str, Any]]:
        """Those that count for it most, with what each adds: 1 makes a prediction of one half."""
        if self._model is None:
            return []
        weighed = self._model.explain_link((title, anchor, url))[:WORDS]
        return [{"name": name, "value": value} for name, value in weighed if value >= TELLING]


def shown_pages(
    reader: StoreReader, answers: Iterable[tuple[Any, ...]], words: TitleWords, *, revisits: bool
) -> list[dict[str, Any]]:
    """What is shown of answers, rows of BRIEF_FROM; `revisits`: whether pages are revisited."""
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
                "change": None if revisit is None else Change(revisit.found).name.lower(),
            }
        )
    return pages


class LatestPages:
    """The pages that were fetched last, and those in which a change was found last; newest first.

    Pages that are gone or moved are among the changes alone.
    """

    def __init__(self) -> None:
        self._next = 0
        self.pages: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self.changes: deque[dict[str, Any]] = deque(maxlen=SHOWN)

    def read(self, reader: StoreReader, words: TitleWords, *, revisits: bool) -> None:
        """Take in what is new, of many answers the last READ."""
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
        """Put a page in its place: one that was judged anew, as by a label, was fetched earlier."""
        fetch = page["url"], page["fetched"]
        others = [other for other in self.pages if (other["url"], other["fetched"]) != fetch]
        place = sum(other["fetched"] > page["fetched"] for other in others)
        self.pages = deque([*others[:place], page, *others[place:]][:SHOWN], maxlen=SHOWN)
