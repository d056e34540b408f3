"""A recorded web whose pages change by a change log, in simulated time.

A page in the log is served as recorded, with an added paragraph of words that depend on its URL and
version; its links stay. Before it appears and after it disappears its status is 404. All dates are
sent in the time of the client: at 604,800 simulated seconds a second, a change a simulated week
after the beginning of the log happens one second after the start of the server.
"""

from __future__ import annotations

import heapq
import random
import re
import time
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from email.utils import formatdate, parsedate_to_datetime
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

import numpy as np

from frontier.urls.canonical import normal_url
from frontier.warc.payload import codings_of, header, unpacked
from frontier.web.changelog import DAY
from frontier.web.serving import WebAnswer, text_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from frontier.web.changelog import ChangeLog
    from frontier.web.recorded_web import RecordedWeb

SITEMAPS: Final = ("true", "late", "false", "none")
VALIDATORS: Final = ("honest", "always-304", "always-new")
LATE: Final = 7 * DAY
"""Simulated seconds until a late sitemap announces a change."""
FEED_LENGTH: Final = 20
"""Changes in a feed."""
_OWN: Final = {"etag", "last-modified", "content-encoding"}
_MOST: Final = 1 << 26
_WORDS: Final = 60
_TEXT: Final = re.compile(r"^text/|html", re.IGNORECASE)
_PARAGRAPH_END: Final = re.compile(rb"</p\s*>", re.IGNORECASE)
_SYLLABLES = (
    "ba",
    "de",
    "fi",
    "go",
    "hu",
    "ka",
    "le",
    "mi",
    "no",
    "pu",
    "ra",
    "se",
    "ti",
    "vo",
)
_SITEMAP: Final = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
_FEED: Final = '<feed xmlns="http://www.w3.org/2005/Atom">'


@dataclass(frozen=True)
class Announcing:
    """The announcements of a changing web.

    Attributes:
        sitemap: one of SITEMAPS. `true`: dates of the last change; `late`: LATE later; `false`:
            always now; `none`: there is no sitemap.
        announced: share of the changes that sitemaps announce, in [0, 1].
        validators: one of VALIDATORS. `honest`: ETag and Last-Modified are those of the version;
            `always-304`: likewise, but every conditional request is answered with 304;
            `always-new`: they are different in each answer.

    """

    sitemap: str = "true"
    announced: float = 1.0
    validators: str = "honest"


class ChangingWeb:
    """A web whose pages change; a `Web` of `frontier.web.serving`.

    `speed` is in simulated seconds a second of `clock`; the log begins when the object is made.
    Pages in the log that were not recorded are left out.
    """

    def __init__(
        self,
        web: RecordedWeb,
        log: ChangeLog,
        speed: float = 1.0,
        announcing: Announcing = Announcing(),  # frozen
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._web, self._log, self._speed, self._announcing = web, log, speed, announcing
        self._clock, self._started = clock, clock()
        order = np.argsort(log.pages, kind="stable")
        ends = np.cumsum(np.bincount(log.pages, minlength=len(log)))
        self._changes = np.split(log.times[order], ends[:-1])
        served = {_address(url) for url in web.pages()}
        addresses = map(_address, log.urls)
        self._pages = {address: page for page, address in enumerate(addresses) if address in served}
        self._of_host: dict[str, list[int]] = {}
        for address, page in self._pages.items():
            self._of_host.setdefault(_host(address), []).append(page)

    def __len__(self) -> int:
        """How many pages change."""
        return len(self._pages)

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        now, address = (self._clock() - self._started) * self._speed, _address(url)
        page = self._pages.get(address)
        if page is not None:
            if not self._log.born[page] <= now < self._log.gone[page]:
                return text_answer(404, f"Not there at this time: {url}\n")
            plain = self._web.answer(method, url, {}, body)
            return self._as_of(page, now, headers, plain) if plain.status == 200 else plain
        host = _host(address)
        own, has_sitemap = self._of_host.get(host), self._announcing.sitemap != "none"
        answer = None
        if own and has_sitemap and address == f"{host}/sitemap.xml":
            answer = _xml(self._sitemap(own, now))
        elif own and address == f"{host}/feed.xml":
            answer = _xml(self._feed(host, own, now))
        elif own and has_sitemap and address == f"{host}/robots.txt":
            recorded = self._web.answer(method, url, headers, body)
            rules = recorded.body if recorded.status == 200 else b""
            line = f"\nSitemap: http://{host}/sitemap.xml\n".encode()
            answer = replace(text_answer(200, ""), body=rules + line)
        return answer or self._web.answer(method, url, headers, body)

    def _as_of(
        self, page: int, now: float, headers: Mapping[str, str], recorded: WebAnswer
    ) -> WebAnswer:
        """A page at a time, or 304 if the client has that version."""
        version = self._version(page, now)
        tag, modified = f'"{page}-{version}"', int(self._date(page, version))
        if self._announcing.validators == "always-new":
            tag, modified = f'"{now}"', int(self._clock())
        own = [("ETag", tag), ("Last-Modified", formatdate(modified, usegmt=True))]
        asked = "if-none-match" in headers or "if-modified-since" in headers
        always = asked and self._announcing.validators == "always-304"
        if always or _has(headers, tag, modified):
            return WebAnswer(304, own)
        kept = [pair for pair in recorded.headers if pair[0].lower() not in _OWN]
        body = unpacked(recorded.body, codings_of(recorded.headers), _MOST)
        if _TEXT.search(header(recorded.headers, "content-type")) and version:
            body = _with_words(body, f"{self._log.urls[page]} {version}")
        return replace(recorded, headers=kept + own, body=body)

    def _version(self, page: int, now: float) -> int:
        """Number of changes of the page since it appeared, or since the log began."""
        return int(np.searchsorted(self._changes[page], now, side="right"))

    def _date(self, page: int, version: int) -> float:
        """Unix seconds of a version, by the clock of the client."""
        at = self._changes[page][version - 1] if version else self._log.born[page]
        return self._started + float(at) / self._speed

    def _alive(self, pages: list[int], now: float) -> list[int]:
        return [page for page in pages if self._log.born[page] <= now < self._log.gone[page]]

    def _sitemap(self, pages: list[int], now: float) -> str:
        late = LATE if self._announcing.sitemap == "late" else 0.0
        entries = []
        for page in self._alive(pages, now):
            version = self._version(page, now - late)
            while version and not self._is_announced(page, version):
                version -= 1
            at = self._date(page, version)
            date = _date(self._clock() if self._announcing.sitemap == "false" else at)
            address = escape(_address(self._log.urls[page]))
            entries.append(f"<url><loc>http://{address}</loc><lastmod>{date}</lastmod></url>")
        return f"{_SITEMAP}{''.join(entries)}</urlset>"

    def _is_announced(self, page: int, version: int) -> bool:
        return random.Random(f"{page} {version}").random() < self._announcing.announced

    def _feed(self, host: str, pages: list[int], now: float) -> str:
        latest = ((self._date(page, self._version(page, now)), page) for page in pages)
        alive = set(self._alive(pages, now))
        entries = [
            f"<entry><title>{escape(address)}</title><id>http://{escape(address)}</id>"
            f'<link href="http://{escape(address)}"/><updated>{_date(at)}</updated></entry>'
            for at, page in heapq.nlargest(
                FEED_LENGTH, (dated for dated in latest if dated[1] in alive)
            )
            for address in (_address(self._log.urls[page]),)
        ]
        return f"{_FEED}<title>{host}</title><id>http://{host}/</id>{''.join(entries)}</feed>"


def _address(url: str) -> str:
    """A URL without its scheme: a recorded web answers for http and https alike."""
    return normal_url(url).partition("://")[2]


def _host(address: str) -> str:
    return address.partition("/")[0]


def _has(headers: Mapping[str, str], tag: str, modified: int) -> bool:
    """Whether the client has this version (RFC 9110, section 13.2.2)."""
    if (tags := headers.get("if-none-match")) is not None:
        return tags.strip() == "*" or tag in [
            given.strip().removeprefix("W/") for given in tags.split(",")
        ]
    try:
        return parsedate_to_datetime(headers["if-modified-since"]).timestamp() >= modified
    except (KeyError, ValueError, TypeError):
        return False


def _with_words(body: bytes, seed: str) -> bytes:
    """A text with an added paragraph behind its middle one, or at its end if it has none."""
    chosen = random.Random(seed)
    words = ["".join(chosen.choices(_SYLLABLES, k=3)) for _ in range(_WORDS)]
    ends = [match.end() for match in _PARAGRAPH_END.finditer(body)]
    at = ends[len(ends) // 2] if ends else max(body.lower().rfind(b"</body"), 0) or len(body)
    return body[:at] + f"<p>{' '.join(words)}.</p>".encode() + body[at:]


def _date(at: float) -> str:
    """A date as sitemaps and feeds write it, to the millisecond."""
    return datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="milliseconds")


def _xml(text: str) -> WebAnswer:
    body = f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()
    return WebAnswer(200, [("Content-Type", "application/xml; charset=utf-8")], body)
