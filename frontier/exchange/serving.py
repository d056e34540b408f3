"""`scrapy frontier serve`: a crawl's order for several fetchers, from its start to its end.

What the crawl is about, its first fetcher says; one that goes on is held against what it was. From
then on the brain works by turns, through lost connections, until nothing is left or it is stopped.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from frontier.backend.backend import LinkRankBackend
from frontier.backend.figures import CrawlFigures
from frontier.backend.snapshots import Snapshots
from frontier.errors import CrawlChangedError, ExchangeLostError, StoreError
from frontier.exchange import schema
from frontier.exchange.brain import WAITING, Brain
from frontier.exchange.connection import connect, translated
from frontier.exchange.fetchers import config_of, other_version
from frontier.exchange.owner_side import OwnerExchange
from frontier.exchange.wire import WIRE_VERSION
from frontier.store import Store
from frontier.store.schema import EXCHANGE
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from uuid import UUID


logger = logging.getLogger(__name__)

_PAUSE = 0.5
"""Seconds between two checks for the first fetcher, and two tries to connect again."""
_SAID_EVERY = 60.0
"""Seconds between two lines of the log that say what is waited for."""
_TOGETHER = 0.001
"""Seconds for each URL that is out: a turn waits so long for what others say in the same moment."""
_NO_LONGER = 0.015
"""Seconds of that at most: few beside those of a request."""


def crawl_name(directory: Path, new: Callable[[], UUID]) -> str:
    """Return the name by which an exchange knows the crawl in a directory, a new one if need be.

    Raises the StoreErrors of `Store.open`.
    """
    with Store.open(directory, keep_leases=True) as store:
        name: str | None = store.settings().get(EXCHANGE)
        if name is None:
            name = new().hex
            store.set_setting(EXCHANGE, name)
        return name


class Server:
    """Serves the crawl in a directory on one exchange."""

    def __init__(self, directory: Path, dsn: str, name: str, most_pages: int = 0) -> None:
        """`name` is told to who looks at the exchange; for `most_pages` see `Brain`."""
        self._directory = directory
        self._dsn = dsn
        self._name = name
        self._most_pages = most_pages
        self.brain: Brain | None = None
        self.stopping = False
        self._said: dict[str, float] = {}

    def connect(self, crawl: str, *, wipe: bool = False) -> None:
        """Become the owner of the order; `wipe`: of an exchange that is emptied first.

        Raises ExchangeError where the exchange cannot be used, or belongs to another crawl.
        """
        self._connection = connect(self._dsn, self._name)
        with translated():
            self._exchange = OwnerExchange(self._connection, self._name)
            try:
                self._own(crawl, wipe=wipe)
            except BaseException:
                self._connection.close()
                raise

    def _own(self, crawl: str, *, wipe: bool) -> None:
        if not wipe:
            schema.create(self._connection)
            self._exchange.own(crawl)
            return
        with self._connection.transaction():  # or somebody else could come in between
            schema.renew(self._connection)
            self._exchange.own(crawl)

    def run(self, after_turn: Callable[[CrawlFigures], None] = lambda _: None) -> None:
        """Serve until the crawl is over, or `stopping` is set.

        `after_turn` is called with the figures of the crawl after each turn.
        Raises ReplacedError where another process has become the owner, StoreError where the file
        of the crawl fails, ExchangeError where the exchange cannot be used any more.
        """
        self._after_turn = after_turn
        step = self._look_for_a_fetcher
        while not (self.stopping or (self.brain is not None and self.brain.is_over)):
            if not self._tried(step):
                step = self._come_back
            else:
                step = self._look_for_a_fetcher if self.brain is None else self._turn

    def _tried(self, step: Callable[[], None]) -> bool:
        """Do something; False where the exchange could not be reached."""
        try:
            with translated():
                step()
        except ExchangeLostError as error:
            self._say("The exchange cannot be reached, trying again: %s", error)
            time.sleep(_PAUSE)
            return False
        return True

    def _look_for_a_fetcher(self) -> None:
        """Open the crawl as the first fetcher that has come says."""
        exchange = self._exchange
        with exchange.turn():
            exchange.tell({"state": WAITING})
            rows = [one for one in exchange.fetchers() if one.is_live and not one.verdict]
            for row in rows:
                refused = self._open(row.about)
                if refused is None:
                    break
                logger.warning("Fetcher %s: %s", row.name, refused)
                exchange.judge(row.id, refused)
        if self.brain is not None:
            self.brain.begin()
            return
        self._say("Waiting for fetchers: scrapy crawl SPIDER -s FRONTIER_EXCHANGE=...")
        self._wait(_PAUSE)

    def _open(self, about: dict[str, Any]) -> str | None:
        """Open the crawl as a fetcher says; returns why that cannot be, None if it is open."""
        if about.get("wire") != WIRE_VERSION:
            return other_version(about)
        try:
            config = replace(config_of(about.get("config")), directory=self._directory)
            store = Store.open(self._directory, keep_leases=True)
            backend = LinkRankBackend(config, store=store)
        except CrawlChangedError as error:
            return str(error)
        except StoreError:
            raise
        except LinkRankError as error:
            return str(error)
        figures = CrawlFigures(backend, config)
        backend.snapshots = Snapshots(backend, figures, config)
        self.brain = Brain(config, backend, figures, self._exchange, self._most_pages)
        return None

    def _turn(self) -> None:
        assert self.brain is not None
        pause = self.brain.turn()
        self._after_turn(self.brain.figures)
        if pause and self._wait(pause):
            time.sleep(min(_NO_LONGER, _TOGETHER * len(self.brain.offering.outstanding)))
            self._wait(0.0)  # what came meanwhile is in the next turn, and asks for no other one

    def _wait(self, seconds: float) -> bool:
        """Wait until somebody says something, or for some time; whether somebody did."""
        return bool(list(self._connection.notifies(timeout=seconds, stop_after=1)))

    def _come_back(self) -> None:
        """Connect again, and compare what the exchange knows with what is known here."""
        self._connection.close()
        self._connection = connect(self._dsn, self._name)
        is_known = self._exchange.come_back(self._connection)
        if not is_known:
            logger.warning("The exchange was emptied: what fetchers hold is offered again")
        if self.brain is not None:
            self.brain.come_back(is_known=is_known)

    def _say(self, text: str, *said: object) -> None:
        """Log something once a minute."""
        now = time.monotonic()
        if now - self._said.get(text, float("-inf")) >= _SAID_EVERY:
            self._said[text] = now
            logger.info(text, *said)

    def close(self) -> None:
        """Write all down; fetchers wait for the next owner."""
        try:
            if self.brain is not None:
                with translated():
                    self.brain.leave()
        except LinkRankError as error:
            logger.debug("Nobody could be told: %s", error)
        finally:
            if self.brain is not None:
                self.brain.backend.close()
            self._connection.close()
