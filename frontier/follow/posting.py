"""Bodies posted to a server over HTTP, with patience for one that is busy or away."""

from __future__ import annotations

import http.client
import logging
import time
from base64 import b64encode
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from w3lib.url import safe_url_string

from frontier.errors import FollowError
from frontier.politeness.retry_after import retry_after
from frontier.utils import Closing
from ranking.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

logger = logging.getLogger(__name__)

AT_FIRST: Final = 10.0
"""Seconds in which a server must answer for the first time: a wrong address is an error soon."""
PATIENCE: Final = 600.0
"""Seconds for which a server that has answered before may be busy or away."""
PAUSES: Final = (0.2, 30.0)
"""Seconds of the first pause, and of the longest one; each is twice as long as the one before."""
LONGEST_PAUSE: Final = 300.0
"""Seconds that a Retry-After may ask for."""
_TIMEOUT: Final = 60.0
_MOST: Final = 1 << 26  # bytes of an answer that are read


class Reply(NamedTuple):
    """An answer of a server."""

    status: int
    body: bytes

    @property
    def beginning(self) -> str:
        """The beginning of the body, as it may be printed."""
        return shown(self.body[:300].decode("utf-8", "replace"))


class Address(NamedTuple):
    """An address without its user and password, and the header that has these."""

    url: str
    shown: str
    """As it may be printed: without what may be secret."""
    authorization: str | None

    @classmethod
    def parse(cls, url: str) -> Address:
        """Take an address apart; raises FollowError where it is none of HTTP."""
        try:
            parts = urlsplit(safe_url_string(url.strip()))
            port = "" if parts.port is None else f":{parts.port}"
        except ValueError:
            parts, port = urlsplit(""), ""
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FollowError("expected an address such as https://host:9200/index, got another")
        name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        bare = f"{parts.scheme}://{name}{port}{parts.path}"
        authorization = None
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            authorization = f"Basic {b64encode(pair.encode()).decode()}"
        return cls(f"{bare}?{parts.query}" if parts.query else bare, bare, authorization)


class Poster(Closing):
    """Posts to one address, over one connection."""

    def __init__(self, address: Address, busy: Container[int]) -> None:
        """Begin; `busy` are the statuses of a server that is to be asked again."""
        self.shown = address.shown
        self._busy = busy
        parts = urlsplit(address.url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        assert parts.hostname is not None
        self._connection = kind(parts.hostname, parts.port, timeout=_TIMEOUT)
        self._target = parts.path + (f"?{parts.query}" if parts.query else "")
        self._has_answered = False
        self._since: float | None = None
        self._pause = PAUSES[0]

    def post(self, body: bytes, headers: Callable[[], Mapping[str, str]]) -> Reply:
        """Return the answer to a body, as soon as there is one that is not of a busy server.

        `headers` are made for each try. Raises FollowError when patience is at an end.
        """
        while True:
            try:
                self._connection.request("POST", self._target, body, dict(headers()))
                answer = self._connection.getresponse()
                got = Reply(answer.status, answer.read(_MOST))
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                self.wait(f"{type(error).__name__}: {error}")
                continue
            if answer.will_close:
                self._connection.close()
            self._has_answered = True
            if got.status not in self._busy:
                return got
            asked = answer.headers.get_all("Retry-After", [])
            pause = retry_after(asked, time.time(), answer.headers.get("Date"))
            self.wait(f"HTTP {got.status}: {got.beginning}", pause)

    def wait(self, why: str, asked: float | None = None) -> None:
        """Pause before the next try, for as many seconds as the server asked for, if it did."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        most = PATIENCE if self._has_answered else AT_FIRST
        if now - self._since >= most:
            raise FollowError(
                f"{self.shown} took no events for {now - self._since:.0f} seconds ({why}): "
                f"expected a server that does. All it has taken is kept: start again to go on."
            )
        pause = self._pause if asked is None else min(max(asked, self._pause), LONGEST_PAUSE)
        logger.info("%s takes no events now (%s): next try in %.1f s", self.shown, why, pause)
        time.sleep(min(pause, most))
        self._pause = min(2 * self._pause, PAUSES[1])

    def went_on(self) -> None:
        """Something was taken: the next trouble has all patience again."""
        self._since, self._pause = None, PAUSES[0]

    def close(self) -> None:
        self._connection.close()
