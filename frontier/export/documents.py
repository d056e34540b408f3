"""Pages with their texts as JSON Lines, a document a line, for tools that prepare training data.

* `datatrove`: `text`, `id` and `metadata`, as its JsonlReader reads them;
* `dolma`: the same with `source`, `added` (when it was fetched) and `created` (when it last
  changed, as far as is known), as Dolma's data format has them.

`metadata` holds what the crawl knows of a page and what the page asks of its users: no page is left
out for that, but those with `noindex`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from frontier.errors import StoreMissingError
from frontier.export.columns import rows_of
from frontier.export.crawled import CrawledGraph
from frontier.follow.events import event_id
from frontier.states import State
from frontier.store import StoreReader
from frontier.texts import TextReader
from ranking.offline.files import new_file

if TYPE_CHECKING:
    from pathlib import Path

Answer: TypeAlias = tuple[str, bytes | None]
"""URL and hash of the body of an answer."""
TextSource: TypeAlias = Callable[[Sequence[int], Sequence[Answer]], Mapping[int, str]]
"""Returns the texts of pages that it has, by id; called with ids and their last answers."""
DOCUMENTS: Final = ("datatrove", "dolma")
METADATA: Final = (
    *("url", "title", "host", "depth", "language", "asks", "fetched", "last_changed"),
    *("relevance", "score", "in_links", "marks"),
)


class WrittenDocuments(NamedTuple):
    """The result; `without_text` and `hidden` (noindex) count pages that were left out."""

    documents: int
    without_text: int
    hidden: int
    file: Path


def write_documents(
    directory: Path, form: str, out: Path, texts: TextSource | None = None
) -> WrittenDocuments:
    """Write the fetched pages of a crawl in one of the forms DOCUMENTS.

    `texts` None: the texts that the crawl has kept. `out` is compressed if its name ends in .gz,
    .bz2 or .xz. Raises StoreMissingError where there are no texts, the other StoreErrors, and
    OfflineInputError where the file cannot be written.
    """
    kept = TextReader.open(directory) if texts is None else None
    if texts is None and kept is None:
        raise StoreMissingError(
            f"Expected texts of the pages in {directory}, found none. Crawl with -s "
            f"FRONTIER_TEXT=main or all, or name the WARC files of the crawl: --warc FILE..."
        )
    written = missing = 0
    with kept or nullcontext(), StoreReader.open(directory) as reader, new_file(out) as file:
        graph = CrawledGraph(reader)
        for page, text in _pages(graph, reader, texts or _kept(kept)):
            if text:
                document = _document(form, page, text, directory.resolve().name)
                file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
                written += 1
            else:
                missing += 1
    return WrittenDocuments(written, missing, graph.n_hidden, out)


def _kept(reader: TextReader | None) -> TextSource:
    assert reader is not None, "opened"

    def texts(ids: Sequence[int], answers: object) -> dict[int, str]:
        return {url_id: kept.text for url_id, (_, kept) in reader.texts_of(ids).items()}

    return texts


def _pages(
    graph: CrawledGraph, reader: StoreReader, texts: TextSource
) -> Iterator[tuple[dict[str, Any], str | None]]:
    """Yield each fetched page, with `canonical` besides its columns, and its text."""
    names = [column.name for column in graph.page_columns]
    for portion in graph.pages(State.CRAWLED):
        pages = [dict(zip(names, row, strict=True)) for row in rows_of(graph.page_columns, portion)]
        ids: list[Any] = [page["id"] for page in pages]
        answers = [
            _last_answer(reader, page["id"], str(page["url"]))  # type: ignore[arg-type]  # a number
            for page in pages
        ]
        found = texts(ids, answers)
        for page, canonical in zip(pages, reader.canonical_urls_of(ids), strict=True):
            text = found.get(page["id"])  # type: ignore[arg-type]  # a number
            yield {**page, "canonical": canonical}, text


def _last_answer(reader: StoreReader, url_id: int, url: str) -> Answer:
    row = reader.page_row(url_id)
    return (url, None) if row is None else (row.final_url or url, row.hash)


def _document(form: str, page: dict[str, Any], text: str, source: str) -> dict[str, Any]:
    text = text.encode("utf-8", "replace").decode()  # a lone surrogate cannot be written
    document = {"id": event_id(page["canonical"]), "text": text}
    if form == "dolma":
        created = page["last_changed"] or page["first_seen"]
        document |= {"source": source, "added": page["fetched"], "created": created}
    return document | {"metadata": {name: page.get(name) for name in METADATA}}
