"""The index: tantivy's files in the folder `search.index` of a crawl's directory.

A page is a document: the terms of its title, text and URL, and these texts compressed. The texts of
links to it are a document of their own, because they change far more often. Each field is there
twice, in terms as written and in stems, without endings and accents; stems have positions, for
phrases. The numbers for ranking change for all pages at once and are in a file beside,
`numbers.npy`; data about the index is in `about.json`.

Pages added together are one commit: a reader sees the last complete commit, also after a kill.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import Document, Query

from frontier.errors import SearchError
from frontier.search.words import all_terms, stems, url_words, with_letters
from frontier.store.open import file_of
from frontier.utils import Closing
from ranking.topics.terms import MAX_TEXT

FOLDER: Final = "search.index"
SCHEMA_VERSION: Final = 2
"""Raise it when fields or terms change: a query must have the terms of the index."""
FIELDS: Final = "title", "text", "links", "url"
WRITTEN: Final = "_written"
"""Suffix of a field with terms as written."""
PAGE: Final = "page"
"""Field with the crawl's number of the URL, in documents of pages."""
LINKED: Final = "linked"
"""The same in documents of link texts."""

_ABOUT = "about.json"
_NUMBERS = "numbers.npy"
_TOKENIZER = "terms"  # terms between blanks
_NOTHING = "_ _ _ _ _ _"
"""Link texts in the document of a page: BM25 uses the mean length of a field over all documents,
and
six terms are usual."""
_HEAP = 32_000_000  # bytes; tantivy needs 15 million at least
_LEVEL = 4  # of zlib: a tenth smaller than 1 for a tenth of the time


class IndexedPage(NamedTuple):
    """A page to be indexed, with the crawl's number of its URL."""

    url_id: int
    url: str
    title: str
    text: str

    def lined(self) -> IndexedPage:
        """Return the page as it is kept: the beginnings of its texts, each a line of UTF-8."""
        texts = (self.url, self.title, self.text)
        cut = (text[:MAX_TEXT].replace("\n", " ") for text in texts)
        kept = (text.encode("utf-8", "replace").decode() for text in cut)
        return IndexedPage(self.url_id, *kept)

    def packed(self) -> bytes:
        """Return the lines of a page compressed."""
        return zlib.compress("\n".join(self[1:]).encode(), _LEVEL)

    @classmethod
    def unpacked(cls, url_id: int, kept: bytes) -> IndexedPage:
        """Return the page of compressed lines."""
        return cls(url_id, *zlib.decompress(kept).decode().split("\n"))

    def terms(self) -> dict[str, list[str]]:
        """Return the terms of each field but `links`."""
        return {
            "title": all_terms(self.title),
            "text": all_terms(self.text),
            "url": all_terms(url_words(self.url)),
        }


class PageNumbers(NamedTuple):
    """The numbers of a page for ranking; None: unknown.

    `authority` is the share of pages with a lower score, `twin` the id of the page that this one
    repeats or names as canonical.
    """

    authority: float | None
    relevance: float | None
    twin: int | None


class SearchIndex(Closing):
    """The index of a crawl's pages; a context manager, for one thread at a time.

    All methods raise SearchError if the files cannot be used. An index opened for reading stays as
    it was then.
    """

    def __init__(self, path: Path, *, writes: bool) -> None:
        self.path = path
        with _translated(path):
            self.schema = _schema()
            self._index = tantivy.Index(self.schema, str(path))
            self._index.config_reader("manual")
            by_blanks = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            self._index.register_tokenizer(_TOKENIZER, by_blanks)
            self._writer = self._index.writer(_HEAP, 1) if writes else None
            self._index.reload()
            self._searcher = self._index.searcher()

    @classmethod
    def open(cls, directory: Path, *, write: bool = False) -> SearchIndex:
        """Open the index in `directory`; for writing, it is made if there is none.

        Raises StoreMissingError without index and crawl, SearchError without an index, for one of
        another version, or one that another process writes to.
        """
        path = directory / FOLDER
        with _translated(path):
            if write and not path.exists():
                path.mkdir(parents=True)
                _put(path / _ABOUT, json.dumps({"version": SCHEMA_VERSION}).encode())
            elif not write and not path.exists():
                file_of(directory)
                raise SearchError(
                    f"No index in {directory}: expected a folder {FOLDER}. Make one from the "
                    f"crawl's WARC files or its feed: scrapy frontier index {directory} "
                    f"--warc FILE, or crawl with FRONTIER_TEXT or FRONTIER_INDEX = True."
                )
            version = _about(path).get("version")
        if version != SCHEMA_VERSION:
            raise SearchError(
                f"{path} cannot be searched: expected an index of version {SCHEMA_VERSION}, found "
                f"version {version}. {_anew(path)}"
            )
        return cls(path, writes=write)

    def close(self) -> None:
        """Wait until files are merged, and release them."""
        if self._writer is not None:
            with _translated(self.path):
                self._writer.wait_merging_threads()
            self._writer = None

    def __len__(self) -> int:
        """Number of pages."""
        with _translated(self.path):
            result = self._searcher.search(Query.exists_query(PAGE), 1)
            return int(result.count)  # type: ignore[attr-defined] # missing in its types

    def ids(self) -> NDArray[np.int64]:
        """Return the ids of all pages, ascending."""
        return np.sort(self.matches(Query.exists_query(PAGE), PAGE)[0])

    def linked_ids(self) -> set[int]:
        """Return the ids of pages with link texts."""
        return set(self.matches(Query.exists_query(LINKED), LINKED)[0].tolist())

    def matches(
        self, query: Query, key: str, most: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return ids and scores of the best documents for a query, all by default.

        `key` is the field of their ids: PAGE or LINKED.
        """
        with _translated(self.path):
            limit = most or max(self._searcher.num_docs, 1)
            hits = self._searcher.search(query, limit, count=False).hits
            places = [place for _, place in hits]
            ids = self._searcher.fast_field_values(key, places) if places else []
        return np.array(ids, np.int64), np.array([score for score, _ in hits], np.float64)

    def among(self, ids: Iterable[int], key: str) -> Query:
        """Return the query for documents of some pages, which adds nothing to a score."""
        wanted = Query.term_set_query(self.schema, key, list(map(int, ids)))
        return Query.const_score_query(wanted, 0.0)

    def pages(self, ids: Iterable[int]) -> dict[int, IndexedPage]:
        """Return the indexed ones of some pages, in any order."""
        with _translated(self.path):
            kept = self._kept(ids, PAGE)
            return {url_id: IndexedPage.unpacked(url_id, data) for url_id, data in kept.items()}

    def link_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """Return the link texts of pages, as terms joined by blanks."""
        with _translated(self.path):
            return {url_id: data.decode() for url_id, data in self._kept(ids, LINKED).items()}

    def add(self, pages: Iterable[IndexedPage]) -> int:
        """Index pages, also again; returns the number of new or changed ones.

        One commit. Their link texts and numbers stay, or come with the next sync.
        """
        given = {page.url_id: page.lined() for page in pages}
        with _translated(self.path):
            kept = self._kept(given, PAGE)
        packed = {url_id: page.packed() for url_id, page in given.items()}
        changed = {url_id: data for url_id, data in packed.items() if data != kept.get(url_id)}
        self._replace(
            PAGE,
            changed,
            (
                _document(PAGE, url_id, data, {**given[url_id].terms(), "links": _NOTHING.split()})
                for url_id, data in changed.items()
            ),
        )
        return len(changed)

    def remove(self, ids: Iterable[int]) -> int:
        """Remove pages and their link texts; returns the number of removed pages."""
        wanted, before = list(ids), len(self)
        self._replace(LINKED, wanted)
        self._replace(PAGE, wanted)
        return before - len(self)

    def set_links(self, texts: Mapping[int, str]) -> int:
        """Set the link texts of pages, as terms joined by blanks; returns the number of changes."""
        known = self.link_texts(texts)
        changed = {url_id: text for url_id, text in texts.items() if text != known.get(url_id, "")}
        self._replace(
            LINKED,
            changed,
            (
                _document(LINKED, url_id, text.encode(), {"links": text.split()})
                for url_id, text in changed.items()
                if text
            ),
        )
        return len(changed)

    def set_numbers(self, numbers: Mapping[int, PageNumbers]) -> None:
        """Replace all numbers."""
        rows = sorted((url_id, *known) for url_id, known in numbers.items())
        table = np.array(rows, np.float64).reshape(-1, 4)  # of None NumPy makes NaN
        with _translated(self.path):
            temporary = self.path / f"new.{_NUMBERS}"
            np.save(temporary, np.ascontiguousarray(table.T))
            temporary.replace(self.path / _NUMBERS)

    def numbers(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (3, n) authority, relevance and twin of pages, NaN where unknown."""
        columns = np.full((3, len(ids)), np.nan)
        with _translated(self.path):
            file = self.path / _NUMBERS
            table = np.load(file, mmap_mode="r") if file.exists() else np.empty((4, 0))
            if table.shape[1]:
                at = np.searchsorted(table[0], ids).clip(max=table.shape[1] - 1)
                known = table[0, at] == ids
                columns[:, known] = table[1:, at[known]]
        return columns

    def note(self, key: str, value: str | None = None) -> str | None:
        """Return the value of a key in `about.json`; sets it if a value is given."""
        with _translated(self.path):
            about = _about(self.path)
            if value is not None and about.get(key) != value:
                about[key] = value
                _put(self.path / _ABOUT, json.dumps(about).encode())
        return about.get(key)

    def _kept(self, ids: Iterable[int], key: str) -> dict[int, bytes]:
        """Return the stored bytes of the documents of pages."""
        wanted = list(map(int, ids))
        if not wanted:
            return {}
        query = Query.term_set_query(self.schema, key, wanted)
        hits = self._searcher.search(query, len(wanted), count=False).hits
        documents = [self._searcher.doc(place) for _, place in hits]
        return {int(document[key][0]): bytes(document["kept"][0]) for document in documents}

    def _replace(self, key: str, ids: Collection[int], documents: Iterable[Document] = ()) -> None:
        """Replace the documents of some pages, in one commit."""
        assert self._writer is not None, "it was opened to be read"
        if not ids:
            return
        with _translated(self.path):
            try:
                # Deleting by term does not work for numbers.
                self._writer.delete_documents_by_query(self.among(ids, key))
                for document in documents:
                    self._writer.add_document(document)
                self._writer.commit()
            except BaseException:
                self._writer.rollback()
                raise
            self._index.reload()
            self._searcher = self._index.searcher()


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for key in (PAGE, LINKED):
        builder.add_unsigned_field(key, stored=True, indexed=True, fast=True)
    builder.add_bytes_field("kept", stored=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name=_TOKENIZER, index_option="position")
        builder.add_text_field(field + WRITTEN, tokenizer_name=_TOKENIZER, index_option="freq")
    return builder.build()


def _document(key: str, url_id: int, kept: bytes, terms: Mapping[str, list[str]]) -> Document:
    document = Document()
    document.add_unsigned(key, url_id)
    document.add_bytes("kept", kept)
    for field, words in terms.items():
        document.add_text(field, stems(words))
        document.add_text(field + WRITTEN, with_letters(words))
    return document


def _about(path: Path) -> dict[str, Any]:
    try:
        about = json.loads((path / _ABOUT).read_bytes())
    except NotADirectoryError as error:
        raise ValueError(str(error)) from None
    if not isinstance(about, dict):
        raise ValueError(f"{_ABOUT} holds no object")
    return about


def _put(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"new.{path.name}")
    temporary.write_bytes(data)
    temporary.replace(path)


def _anew(path: Path) -> str:
    return f"Remove it and make it anew: scrapy frontier index {path.parent} --warc FILE."


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Translate errors of tantivy or the system into SearchError."""
    try:
        yield
    except (OSError, ValueError, zlib.error) as error:
        if "LockBusy" in str(error):
            raise SearchError(
                f"{path} is written to by another process: a crawl with FRONTIER_INDEX, or scrapy "
                f"frontier index. Try again when it has ended."
            ) from error
        # tantivy's spellings of system errors.
        if isinstance(error, OSError) or any(mark in str(error) for mark in ("Os {", "(os error")):
            raise SearchError(
                f"{path} cannot be used now ({error}). Check free space and permissions, then try "
                f"again: all that was committed is kept."
            ) from error
        raise SearchError(f"{path} is damaged ({error}). {_anew(path)}") from error
