"""From WARC files to the file that replays read.

The parser of pages is an argument, because it uses Scrapy's response classes, which only
`frontier.plugin` imports. The name of the file is a digest of the recordings and of the code that
reads them, so that another recording or another parser makes another file.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lxml import etree

from frontier.errors import RecordingError
from frontier.lab.replay.webfile import WARNINGS, WebFile, WebWriter
from frontier.parsing.reader import ReadingLimits
from frontier.urls.canonical import host_of, normal_url
from frontier.web.recorded_web import RecordedWeb
from ranking.offline.files import new_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from frontier.lab.replay.webfile import Parsed
    from frontier.web.recorded_web import Recorded
    from ranking.offline.extras import Progress

    Parser = Callable[[Recorded], Parsed]

ROBOTS = "robots"
"""Key of the extra data that holds host and port -> body of its robots.txt."""
_CODE = (
    *("parsing", "pagerules", "urls", "warc", "web", "lab/replay/parsing.py"),
    *("lab/replay/webfile.py", "plugin/recorded.py", "plugin/crawl"),
)
"""Folders and modules of this package that determine the content of a parsed page."""
_NAMED = 3
_KEPT = 30 * 24 * 3600
"""Seconds after its last use that a parsed recording is kept: it is as large as its WARC files."""


def cache_directory() -> Path:
    """Where parsed recordings are kept: $XDG_CACHE_HOME/scrapy-linkrank, or in ~/.cache."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "scrapy-linkrank"


def digest_of(paths: Iterable[Path], *texts: str) -> str:
    """32 hexadecimal digits for the contents of files, the code that parses pages, and texts.

    Raises RecordingError for a file that cannot be read.
    """
    digest = blake2b(digest_size=16)
    places = [Path(__file__).parents[2] / name for name in _CODE]
    code = [file for place in places for file in _sources(place)]
    try:
        for path in (*paths, *code):
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    except OSError as error:
        raise RecordingError(
            f"expected a recording in {error.filename}, but it cannot be read: {error.strerror}. "
            "Name WARC files"
        ) from error
    digest.update(repr((etree.LXML_VERSION, *texts)).encode())
    return digest.hexdigest()


def _sources(place: Path) -> list[Path]:
    """A module, or the modules of a folder with their kernels."""
    if place.is_file():
        return [place]
    return sorted(file for file in place.rglob("*.py*") if file.suffix in (".py", ".pyx"))


def open_recording(
    paths: Sequence[Path],
    parse: Parser,
    parser: str,
    cache: Path,
    progress: Progress | None = None,
    most: int = ReadingLimits().body,
    announce: Callable[[str], None] = lambda _: None,
) -> WebFile:
    """The web of some WARC files, which are parsed unless that was done before.

    `parser` names what `parse` does, its version and its options; `most` bytes of a body are read,
    which it must name as well if they decide anything. `announce` is called before
    anything is parsed.
    Raises RecordingError for files that hold nothing that can be replayed.
    """
    path = cache / f"{digest_of(paths, parser)}.labweb"
    if path.exists():
        path.touch()
        return WebFile(path, name_of(paths))
    size = sum(path.stat().st_size for path in paths) / 1e6
    announce(f"Parsing {name_of(paths)} ({size:,.1f} MB), once: the result is kept in {cache}")
    cache.mkdir(parents=True, exist_ok=True)
    with new_file(path) as file:
        _parse(paths, parse, WebWriter(file), progress, most)
    for other in cache.glob("*.labweb"):
        if other.stat().st_mtime < path.stat().st_mtime - _KEPT:
            other.unlink(missing_ok=True)
    return WebFile(path, name_of(paths))


def name_of(paths: Sequence[Path]) -> str:
    """The name of a web for people: those of its first files without their endings."""
    names = [path.name.removesuffix(".gz").removesuffix(".warc") for path in paths[:_NAMED]]
    more = [f"{len(paths) - _NAMED}-more"] if len(paths) > _NAMED else []
    return "+".join(names + more)


def _parse(
    paths: Sequence[Path], parse: Parser, writer: WebWriter, progress: Progress | None, most: int
) -> None:
    robots: dict[str, bytes] = {}
    recorded = RecordedWeb(paths, most)
    for done, url in enumerate(recorded.urls(), start=1):
        answer = recorded.read(url)
        if urlsplit(url).path != "/robots.txt":
            writer.add(url, parse(answer))
        elif answer.status < 300:
            robots[host_of(normal_url(url))] = answer.body
        if progress is not None:
            progress(done, len(recorded))

    def answered_by(url: str) -> str | None:
        answer = recorded.find(url)
        return None if answer is None else answer.url

    warnings = [str(damage) for damage in recorded.warnings]
    writer.finish(answered_by, {ROBOTS: robots, WARNINGS: warnings})
