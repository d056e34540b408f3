"""A recorded web, served from WARC files.

The index holds a capture for each URL: the place of its record. docs/recorded-webs.md says which
record answers. A client of a plain HTTP proxy cannot request https, so that a recorded redirect
that only changes the scheme would be a circle: if its target was recorded, that is the answer. A
redirect to a recorded https URL has the http spelling for a request over http.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.errors import RecordingError
from frontier.urls.canonical import host_of, normal_url, other_scheme
from frontier.urls.resolve import located
from frontier.warc.captures import Capture, Recorded, WarcIndex
from frontier.warc.payload import header
from frontier.web.serving import WebAnswer, text_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from frontier.warc.records import Damage

__all__ = ["Recorded", "RecordedWeb"]

_NOT_RECORDED = "Not recorded: {url}\nThis web answers only what its WARC files hold.\n"


class RecordedWeb:
    """The responses of one or several WARC files, found by URL.

    Invariant: every URL in ``urls()`` has exactly one capture, and its record was whole
    when the index was built.

    ``warnings`` lists the parts of the files that cannot be served. Raises ``RecordingError`` if a
    file is missing or is no WARC, or if nothing can be served.
    """

    def __init__(
        self, paths: Iterable[Path | str], most: int | None = None, *, latest: bool = False
    ) -> None:
        """``most`` bytes of a body are read; None: all, as a server must.

        ``latest``: of equally good records of a URL the last one answers, not the first.
        """
        self._most = most
        self._index = WarcIndex(paths, latest=latest)
        self._exact = self._index.captures
        self.warnings: list[Damage] = [*self._index.damages, *self._index.left_out]
        self._refuse_nothing()
        self._normal = _by_spelling(self._exact)

    def _refuse_nothing(self) -> None:
        for path, records in self._index.records.items():
            if not records:
                raise RecordingError(_no_record(path, self.warnings))
        if not self._exact:
            why = "".join(f"\n  {damage}" for damage in self.warnings)
            raise RecordingError(
                "expected WARC files with response records, found not one that can be "
                f"served. Record again, or name other files.{why}"
            )

    def __len__(self) -> int:
        return len(self._exact)

    def urls(self) -> Iterator[str]:
        """The recorded URLs, in the order of their first record."""
        return iter(self._exact)

    def pages(self) -> list[str]:
        """The recorded URLs with status 200, without robots.txt files."""
        good = (url for url, capture in self._exact.items() if capture.status == 200)
        return [url for url in good if not url.endswith("/robots.txt")]

    def hosts(self) -> set[str]:
        """The recorded hosts, with their port unless it is the default."""
        return {host_of(url) for url in self._normal} - {""}

    def read(self, url: str) -> Recorded:
        """The record of one of `urls()`, even if it only changes the scheme."""
        return self._exact[url].read(self._most)

    def find(self, url: str) -> Recorded | None:
        """The recorded response for a URL, or None."""
        first = None
        for capture in self._candidates(url):
            recorded = capture.read(self._most)
            if not self._changes_scheme_only(recorded):
                return recorded
            first = first or recorded
        return first

    def _candidates(self, url: str) -> Iterator[Capture]:
        normal = normal_url(url)
        if capture := self._exact.get(url) or self._normal.get(normal):
            yield capture
        if capture := self._normal.get(other_scheme(normal)):
            yield capture

    def _changes_scheme_only(self, recorded: Recorded) -> bool:
        if not 300 <= recorded.status <= 399:
            return False
        target = _target(recorded.url, header(recorded.headers, "location"))
        return normal_url(target) == other_scheme(normal_url(recorded.url))

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        recorded = self.find(url)
        if not recorded:
            return text_answer(404, _NOT_RECORDED.format(url=url))
        sent = [(name, self._reachable(name, value, url)) for name, value in recorded.headers]
        return WebAnswer(recorded.status, sent, recorded.body, recorded.reason)

    def _reachable(self, name: str, value: str, url: str) -> str:
        """A header value; a Location with the scheme that the client can request."""
        if name.lower() != "location" or not url.lower().startswith("http:"):
            return value
        target = _target(url, value)
        if not target.lower().startswith("https:") or not any(self._candidates(target)):
            return value
        reachable = other_scheme(normal_url(target))
        # A redirect to the same URL would be useless.
        return value if reachable == normal_url(url) else reachable


def _target(url: str, location: str) -> str:
    """The target of a Location as a crawl reads it; the URL itself without one."""
    return located(url, location.encode("latin-1")) or url


def _by_spelling(exact: dict[str, Capture]) -> dict[str, Capture]:
    normal: dict[str, Capture] = {}
    for url, capture in exact.items():
        key = normal_url(url)
        if key not in normal or capture.beats(normal[key]):
            normal[key] = capture
    return normal


def _no_record(path: Path, warnings: list[Damage]) -> str:
    size = path.stat().st_size
    why = next((f": {damage.reason}" for damage in warnings if damage.file == path), "")
    fault = f"found {size:,} bytes without one whole record{why}" if size else "the file is empty"
    return (
        f"expected a WARC file (WARC/1.0 or 1.1, plain or .gz) in {path}, but {fault}. "
        "Name another file, or record one with: scrapy crawl SPIDER -s WARC_FILE=OUT.warc.gz"
    )
