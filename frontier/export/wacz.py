"""WARC files of a crawl as a WACZ, an archive that replay tools open, by py-wacz (extra `wacz`)."""

from __future__ import annotations

import json
import os
import uuid
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from frontier.errors import RecordingError
from frontier.export.columns import rows_of
from frontier.export.crawled import CrawledGraph
from frontier.states import State
from frontier.store import StoreReader
from frontier.warc.records import require_readable
from ranking.errors import OfflineInputError
from ranking.offline.extras import optional

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HEAD = {"format": "json-pages-1.0", "id": "pages", "title": "Pages of the crawl"}


class WrittenArchive(NamedTuple):
    """The result; `hidden` counts noindex pages, which the WARC files hold but no list names."""

    pages: int
    hidden: int
    file: Path


def write_wacz(directory: Path, warcs: Sequence[Path], out: Path) -> WrittenArchive:
    """Write the WARC files of the crawl in `directory` as one WACZ, with a list of its pages.

    Raises RecordingError for a file that is no WARC, StoreErrors, OfflineInputError where the
    archive cannot be written and MissingExtraError without py-wacz.
    """
    require_readable(warcs)
    if len({path.name for path in warcs}) < len(warcs):
        raise RecordingError(
            f"expected WARC files of different names, got {', '.join(map(str, warcs))}: in a WACZ "
            f"they lie in one folder. Rename some."
        )
    create = optional("wacz.main", "writing WACZ", "wacz").main
    with StoreReader.open(directory) as reader, TemporaryDirectory() as folder:
        graph = CrawledGraph(reader)
        lines = [json.dumps(line) + "\n" for line in (_HEAD, *_pages(graph))]
        pages = Path(folder, "pages.jsonl")
        pages.write_text("".join(lines), encoding="utf-8")
        part = out.with_name(f".{out.name}.{os.getpid()}.part")
        options = ["-o", str(part), "-p", str(pages), "-c", "--title", directory.resolve().name]
        try:
            with redirect_stdout(StringIO()) as messages:
                code = create(["create", *options, "-f", *map(str, warcs)])
            if code:
                raise RecordingError(
                    f"expected WARC files of the crawl, but py-wacz cannot use "
                    f"{', '.join(map(str, warcs))}: {messages.getvalue().strip()}"
                )
            part.replace(out)
        except OSError as error:
            raise OfflineInputError(f"cannot write {out}: {error.strerror or error}") from error
        finally:
            part.unlink(missing_ok=True)
    return WrittenArchive(len(lines) - 1, graph.n_hidden, out)


def _pages(graph: CrawledGraph) -> Iterator[dict[str, Any]]:
    """Yield the fetched pages as lines of `pages.jsonl`, seeds marked."""
    wanted = [c for c in graph.page_columns if c.name in ("id", "url", "title", "seed", "fetched")]
    for portion in graph.pages(State.CRAWLED):
        for _, url, seed, title, fetched in rows_of(wanted, portion):
            page = {"id": uuid.uuid5(uuid.NAMESPACE_URL, str(url)).hex, "url": url, "ts": fetched}
            yield page | {"title": title or str(url)} | ({"seed": True} if seed else {})
