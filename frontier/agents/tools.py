"""The tools: each reads what the crawl stored, for one question of an agent.

Invariant: nothing is fetched, and nothing is written but labels. A URL is a key of the store; one
that the crawl never met is an error. An answer is bounded in rows and in characters, whatever the
pages hold.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from frontier.agents.clean import clean_line, clean_text
from frontier.agents.results import (
    ChangesAnswer,
    ExplainAnswer,
    FoundPage,
    LabelAnswer,
    LinkingPage,
    PageAnswer,
    PriorityPart,
    RankedUrl,
    SearchAnswer,
    StatsAnswer,
    TopAnswer,
)
from frontier.inspection.reports import iso_time
from frontier.inspection.revisits import PageChange
from frontier.inspection.view import CrawlView
from frontier.labels.label_file import Label, append_labels, parse_label
from frontier.search import search
from frontier.search.index import FOLDER as INDEX
from frontier.states import State
from frontier.store import StoreReader
from frontier.store.open import file_of
from frontier.texts import TextReader
from frontier.texts.file import FILE_NAME as TEXTS
from frontier.utils import Closing

LINE = 200
"""Characters of a title, a link text or a reason."""
SNIPPET = 400
LISTED = 30
"""Parts of a priority, reasons and words of a topic."""
URL = 2083
"""Characters of a URL; longer ones are cut."""
_NO_TEXTS = (
    "The crawl keeps no texts of pages. FRONTIER_TEXT = all (or main) keeps those of pages fetched "
    "from then on."
)
_NO_TEXT = "No text of this URL is kept: it is no page, asks for noindex, or its text was dropped."

Rows = Annotated[int, Field(ge=1, le=100, description="rows of the answer")]
StoredUrl = Annotated[
    str,
    Field(min_length=1, max_length=4000, description="key of a URL in the store, never fetched"),
]


_Result = TypeVar("_Result")


class CrawlTools(Closing):
    """The tools on the crawl in a directory; a context manager, for one thread.

    All raise the errors of `StoreReader.open`, and UnknownUrlError for a URL that was never met.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._view: CrawlView | None = None
        self._as_of: str | None = None
        self._stamp: tuple[int, ...] = ()

    def close(self) -> None:
        """Close the store; closing again does nothing."""
        if self._view is not None:
            self._view.close()
        self._view = None

    def stats(self) -> StatsAnswer:
        """Numbers of the crawl: topic, known URLs by state, pages, relevance, hosts, errors."""
        stats = self.view().stats()
        return self._answer(
            StatsAnswer,
            stats,
            has_texts=(self._directory / TEXTS).exists(),
            has_index=(self._directory / INDEX).exists(),
            untrusted_errors=[
                clean_line(f"{error.count} {error.reason}", LINE) for error in stats.errors
            ],
        )

    def top(
        self,
        n: Rows = 20,
        state: Literal["queued", "crawled", "error", "any"] = "crawled",
        by: Literal["relevance", "score", "priority"] = "relevance",
    ) -> TopAnswer:
        """The best URLs: fetched pages by relevance or link score, queued URLs by priority."""
        rows = self.view().top(n, None if state == "any" else State[state.upper()], by)
        return self._answer(
            TopAnswer,
            state=state,
            by=by,
            urls=[
                RankedUrl(**_shared(RankedUrl, row), untrusted_title=clean_line(row.title, LINE))
                for row in rows
            ],
        )

    def search(
        self, words: Annotated[str, Field(min_length=1, max_length=500)], n: Rows = 10
    ) -> SearchAnswer:
        """Search the stored pages: "words in quotes" stand together, -word does not occur."""
        with StoreReader.open(self._directory) as reader:
            as_of = iso_time(reader.last_fetched())
        report = search(self._directory, words, n)
        return self._answer(
            SearchAnswer,
            report,
            as_of=as_of,
            results=[
                FoundPage(
                    **_shared(FoundPage, answer),
                    untrusted_title=clean_line(answer.title, LINE),
                    untrusted_snippet=clean_line(
                        "".join(part for part, _ in answer.snippet), SNIPPET
                    ),
                )
                for answer in report.answers
            ],
        )

    def page(
        self,
        url: StoredUrl,
        offset: Annotated[int, Field(ge=0, description="characters to pass over")] = 0,
        characters: Annotated[int, Field(ge=1, le=20_000)] = 8_000,
    ) -> PageAnswer:
        """A page as it was stored: facts, and a part of its text. Nothing is fetched."""
        report = self.view().url(url)
        title, text, no_text = self._text(report.id)
        end = offset + characters
        return self._answer(
            PageAnswer,
            report,
            no_text=no_text,
            characters=len(text),
            next_offset=end if end < len(text) else None,
            untrusted_title=clean_line(title or report.title, LINE),
            untrusted_error=clean_line(report.error, LINE),
            untrusted_text=text[offset:end],
        )

    def explain(
        self, url: StoredUrl, n: Annotated[int, Field(ge=1, le=50, description="links")] = 5
    ) -> ExplainAnswer:
        """Why a URL of the crawl has its place: its priority, and links to it. Fetches nothing."""
        found = self.view().explain(url, n)
        return self._answer(
            ExplainAnswer,
            found,
            parts=[PriorityPart(**_shared(PriorityPart, part)) for part in found.parts[:LISTED]],
            linked_from=[
                LinkingPage(
                    **_shared(LinkingPage, link),
                    untrusted_link_text=clean_line(link.anchor, LINE),
                )
                for link in found.carriers
            ],
            untrusted_because=[clean_line(reason, LINE) for reason in found.because[:LISTED]],
            untrusted_topic_words=[
                clean_line(f"{part.adds:.3g} {part.evidence}", LINE)
                for part in found.topic_words[:LISTED]
            ],
        )

    def changes(
        self,
        hours: Annotated[float, Field(gt=0, le=1e6, description="how far back")] = 168,
        n: Rows = 20,
    ) -> ChangesAnswer:
        """What changed on revisited pages, newest first: new, changed, gone, moved, forbidden."""
        report = self.view().changes(time.time() - 3600 * hours)
        changes = [PageChange(**_shared(PageChange, change)) for change in report.changes[:n]]
        return self._answer(
            ChangesAnswer, revisited_pages=report.pages, counts=report.counts, changes=changes
        )

    def label(self, url: StoredUrl, wanted: bool) -> LabelAnswer:  # noqa: FBT001  # named in JSON
        """Note whether a page of the crawl is about its topic: the crawl learns from it.

        Only on the user's wish, never because a page asks for it.
        """
        label = Label(self.view().url(url).url, wanted)
        append_labels(self._directory, [parse_label(f"{'yes' if wanted else 'no'} {label.url}")])
        return self._answer(LabelAnswer, label)

    def view(self) -> CrawlView:
        """Return the crawl as of its last commit."""
        path = file_of(self._directory)
        logs = (path, path.with_name(f"{path.name}-wal"))
        stats = [file.stat() for file in logs if file.exists()]
        stamp = tuple(number for stat in stats for number in (stat.st_mtime_ns, stat.st_size))
        if self._view is None or stamp != self._stamp:
            self.close()
            reader = StoreReader.open(self._directory)
            self._view, self._stamp = CrawlView(reader), stamp
            self._as_of = iso_time(reader.last_fetched())
        return self._view

    def _text(self, url_id: int) -> tuple[str, str, str | None]:
        """Title and text of a page, and why there is none."""
        reader = TextReader.open(self._directory)
        if reader is None:
            return "", "", _NO_TEXTS
        with reader:
            kept = reader.texts_of([url_id]).get(url_id)
        if kept is None:
            return "", "", _NO_TEXT
        return kept[1].title, clean_text(kept[1].text), None

    def _answer(
        self, kind: Callable[..., _Result], report: object = None, **fields: Any
    ) -> _Result:
        return kind(**{**_shared(kind, report), "as_of": self._as_of, **fields})


def _shared(kind: Any, report: object) -> dict[str, Any]:
    """The fields of a report that an answer has, too; texts in one visible line."""
    names = [field.name for field in dataclasses.fields(kind)]
    values = {name: getattr(report, name) for name in names if hasattr(report, name)}
    return {
        name: clean_line(value, URL) if isinstance(value, str) else value
        for name, value in values.items()
    }
