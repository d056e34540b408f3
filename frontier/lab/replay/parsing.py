"""From WARC files to the file that replays read.

The parser of a page is handed in: what a page says is decided by Scrapy's own response classes,
and only `frontier.plugin` knows Scrapy. The name of the file is a digest of the recordings and of
the code that read them, so that neither another recording nor another parser ever meets an old one.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lxml import etree

from frontier.errors import RecordingError
from frontier.lab.replay import web, webwriter
from frontier.lab.replay.webfile import WebFile
from frontier.lab.replay.webwriter import WARNINGS, WebWriter
from frontier.pagerules import declared as headers
from frontier.pagerules import directives
from frontier.parsing import (
    charset,
    content,
    content_type,
    decompress,
    dispatch,
    feed,
    head,
    html,
    reader,
    sanitize,
    slow_hosts,
    sniffing,
)
from frontier.parsing.reader import ReadingLimits
from frontier.urls import canonical, resolve, rules
from frontier.warc import captures, payload
from frontier.web import recorded_web
from frontier.web.recorded_web import RecordedWeb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import ModuleType

    from frontier.lab.replay.webwriter import Parsed
    from frontier.web.recorded_web import Recorded
    from ranking.offline.lines import Progress

    Parser = Callable[[Recorded], Parsed]

ROBOTS = "robots"
"""Host and port -> body of its robots.txt, among what a file says beside its pages."""
_PARSERS: tuple[ModuleType, ...] = (
    *(html, resolve, canonical, rules, web, webwriter),
    *(sniffing, charset, content, head, feed, slow_hosts),
    *(dispatch, content_type, reader, sanitize, decompress),
    *(captures, payload, recorded_web, directives, headers),
)
_NAMED = 3
_BLOCK = 1 << 20
_MEGA = 1e6
_KEPT = 30 * 24 * 3600
"""Seconds after its last use that a parsed recording is kept; another one is as large as a WARC."""


def cache_directory() -> Path:
    """Where parsed recordings are kept: $XDG_CACHE_HOME/scrapy-linkrank, or in ~/.cache."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "scrapy-linkrank"


def digest_of(paths: Iterable[Path], *said: str) -> str:
    """32 hexadecimal digits of what files hold, of the code that parses pages, and of texts.

    Raises RecordingError for a file that cannot be read.
    """
    digest = blake2b(digest_size=16)
    code = (Path(str(module.__file__)) for module in _PARSERS)
    for path in (*paths, *code):
        _take(digest, path)
    digest.update(repr((etree.LXML_VERSION, *said)).encode())
    return digest.hexdigest()


def _take(digest: blake2b, path: Path) -> None:
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise RecordingError(
            f"expected a recording in {path}, but it cannot be read: {error.strerror}. "
            "Name WARC files, or the JOBDIR of a crawl"
        ) from error


def open_recording(
    paths: Sequence[Path],
    parse: Parser,
    parser: str,
    cache: Path,
    progress: Progress | None = None,
    most: int = ReadingLimits().body,
    tell: Callable[[str], None] | None = None,
) -> WebFile:
    """The web of some WARC files; parses them unless that was done before.

    `parser` names what `parse` does, its version and its options; `most` bytes of a body are read,
    which it must name as well if they decide anything. `tell` is told before anything is parsed.
    Raises RecordingError for files that hold nothing that can be replayed.
    """
    path = cache / f"{digest_of(paths, parser)}.labweb"

    def write(writer: WebWriter) -> None:
        if tell is not None:
            size = sum(one.stat().st_size for one in paths) / _MEGA
            tell(f"Parsing {name_of(paths)} ({size:,.1f} MB), once: the result is kept in {cache}")
        _parse(paths, parse, writer, progress, most)

    keep_file(path, write)
    return WebFile(path, name_of(paths))


def keep_file(path: Path, write: Callable[[WebWriter], None]) -> None:
    """Have a file written unless it is there, and forget others that were not used for long."""
    if path.exists():
        path.touch()
        return
    writer = WebWriter(path)
    try:
        write(writer)
    except BaseException:
        writer.discard()
        raise
    for other in path.parent.glob("*.labweb"):
        if other.stat().st_mtime < path.stat().st_mtime - _KEPT:
            other.unlink(missing_ok=True)


def name_of(paths: Sequence[Path]) -> str:
    """What people call a web: the names of its first files without their endings."""
    names = [path.name.removesuffix(".gz").removesuffix(".warc") for path in paths[:_NAMED]]
    more = [f"{len(paths) - _NAMED}-more"] if len(paths) > _NAMED else []
    return "+".join(names + more)


def _parse(
    paths: Sequence[Path], parse: Parser, writer: WebWriter, progress: Progress | None, most: int
) -> None:
    robots: dict[str, bytes] = {}
    with RecordedWeb(paths, most) as recorded:
        for done, url in enumerate(recorded.urls()):
            found = recorded.read(url)
            if _is_robots(url):
                if found.status < 300:
                    robots[urlsplit(url).netloc.lower()] = found.body
            else:
                writer.add(url, parse(found))
            if progress is not None:
                progress(done + 1, len(recorded))

        def answered_by(url: str) -> str | None:
            found = recorded.find(url)
            return None if found is None else found.url

        warnings = [str(damage) for damage in recorded.warnings]
        writer.finish(answered_by, {ROBOTS: robots, WARNINGS: warnings})


def _is_robots(url: str) -> bool:
    return urlsplit(url).path == "/robots.txt"
