"""What became of a fetched page, in sentences: what its marks mean, and by whom it was judged.

The texts of pages are not kept, so what each of two opinions said of one can not be had again; that
there were two, and from when, can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.config import DEFAULT_TOPIC_MODEL
from frontier.inspection.formatting import number
from frontier.states import Mark, State
from frontier.store.keys import LABELLED, TOPIC
from frontier.topic.samples import FIRST_REFIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from frontier.config import CrawlConfig
    from frontier.inspection.reports import UrlReport
    from frontier.store import PageRow, StoreReader

_COPIES = Mark.DUPLICATE | Mark.NEAR_DUPLICATE
_MEANING = {
    Mark.NOINDEX: "It asks not to be shown (noindex), so no export holds it.",
    Mark.NOFOLLOW: "It asks that its links pass nothing on (nofollow).",
    Mark.SOFT_404: "It says that there is nothing, with a status that says otherwise (soft 404).",
    Mark.CANONICAL_HERE: "It names itself as the address to keep (canonical).",
}
_MERGED = State.REDIRECTED.name.lower()
_TRUNCATED = "truncated: "
"""How the note of a page begins of which only a part was read; the reason follows."""


def of_page(
    reader: StoreReader, config: CrawlConfig, report: UrlReport, page: PageRow | None
) -> list[str]:
    """Say what there is to a page beside its place; empty for what has no page."""
    if page is None or report.state not in (State.CRAWLED.name.lower(), _MERGED):
        return []
    said = list(_marks(page, report.twin))
    if page.state is State.CRAWLED and page.relevance is not None and not page.marks & _COPIES:
        said += _judged(reader.settings(), config, page)
    return said


def _marks(page: PageRow, twin: str | None) -> Iterator[str]:
    if twin is not None and Mark.DUPLICATE in page.marks:
        yield f"Duplicate of {twin}: relevance 0; in-links count for that page."
    if twin is not None and Mark.NEAR_DUPLICATE in page.marks:
        yield f"Near-duplicate of {twin}: relevance 0; in-links count for that page."
    if page.marks & _COPIES:
        yield "Its links are followed, but carry no weight: those of the original do."
    if Mark.TRUNCATED in page.marks:
        yield f"Only its beginning was read: {_why_truncated(page.error)}."
    for mark, meaning in _MEANING.items():
        if mark in page.marks:
            yield meaning


def _why_truncated(note: str | None) -> str:
    reason = (note or "").partition(_TRUNCATED)[2].partition(";")[0].strip()
    return reason or "no reason is on record"


def _judged(settings: Mapping[str, Any], config: CrawlConfig, page: PageRow) -> Iterator[str]:
    """Say how relevant a page is, and who says so."""
    yield (
        f"Its relevance is {number(page.relevance)}; its words and the topic's have a cosine of "
        f"{number(page.similarity)}."
    )
    labelled: dict[str, dict[str, str]] = settings.get(LABELLED) or {}
    for word, texts in labelled.items():
        if str(page.url_id) in texts:
            yield f"A person was asked about it and said {word}, which outranks every judge."
            return
    if config.topic_model == DEFAULT_TOPIC_MODEL and config.examples:
        learned: dict[str, Any] = settings.get(TOPIC) or {}
        yield _opinions(page, contrasted=bool(learned.get("contrast")), labelled=bool(labelled))


def _opinions(page: PageRow, *, contrasted: bool, labelled: bool) -> str:
    """Say whether the examples, set against fetched pages, have had a say in a relevance."""
    # Labels have the examples set against fetched pages at any time.
    early = page.seq is not None and page.seq < FIRST_REFIT and not labelled
    if early or not contrasted:
        return (
            "It was judged by the topic alone: the examples had not been set against fetched "
            "pages by then."
        )
    return (
        "Examples have been set against fetched pages in this crawl. From then on, which is after "
        f"{FIRST_REFIT} pages at the earliest, a relevance is the geometric mean of two opinions: "
        "how far a page is like the topic, and how far it says what the examples say and other "
        "pages of this crawl do not. Its text is not kept, so what each of them said is not known."
    )
