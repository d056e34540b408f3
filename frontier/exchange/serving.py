"""`scrapy frontier serve`: one crawl's order for several fetchers, from its start to its end.

The first fetcher brings the configuration: a new crawl stores it, a resumed crawl compares it with
the stored one. From then on the coordinator works by turns, through lost connections, until no URL
is left or it is stopped.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from frontier.backend.backend import LinkRankBackend
from frontier.backend.progress.figures import CrawlFigures
from frontier.backend.progress.snapshots import Snapshots
from frontier.errors import CrawlChangedError, ExchangeLostError, StoreError
from frontier.exchange import schema
from frontier.exchange.connection import connect, gather, translated
from frontier.exchange.coordinator import WAITING, Coordinator
from frontier.exchange.fetcher_config import config_from_json, other_version
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
"""Seconds between two checks for the first fetcher, and between two tries to connect again."""
_LOG_EVERY = 60.0
"""Seconds between two log lines that name what is waited for."""


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
        """`name` shows in the exchange; for `most_pages` see `Coordinator`."""
        self._directory = directory
        self._dsn = dsn
        self._name = name
        self._most_pages = most_pages
        self.coordinator: Coordinator | None = None
        self.stopping = False
        self._logged: dict[str, float] = {}

    def connect(self, crawl: str, *, wipe: bool = False) -> None:
        """Become the owner of the order; `wipe`: of an exchange that is emptied first.

        Raises ExchangeError where the exchange cannot be used, or belongs to another crawl.
        """
        self._connection = connect(self._dsn, self._name)
        with translated():
            self._exchange = OwnerExchange(self._connection, self._name)
            try:
                # In one transaction: no other process may come in after a wipe.
                with self._connection.transaction():
                    (schema.renew if wipe else schema.create)(self._connection)
                    self._exchange.own(crawl)
            except BaseException:
                self._connection.close()
                raise

    def run(self, after_turn: Callable[[CrawlFigures], None] = lambda _: None) -> None:
        """Serve until the crawl is over, or `stopping` is set.

        `after_turn` is called with the figures of the crawl after each turn.
        Raises ReplacedError where another process has become the owner, StoreError where the file
        of the crawl fails, ExchangeError where the exchange cannot be used any more.
        """
        self._after_turn = after_turn
        step = self._wait_for_fetcher
        while not (self.stopping or (self.coordinator is not None and self.coordinator.is_over)):
            if not self._tried(step):
                step = self._reconnect
            else:
                step = self._wait_for_fetcher if self.coordinator is None else self._turn

    def _tried(self, step: Callable[[], None]) -> bool:
        """Take a step; returns False where the exchange could not be reached."""
        try:
            with translated():
                step()
        except ExchangeLostError as error:
            self._log("The exchange cannot be reached, trying again: %s", error)
            time.sleep(_PAUSE)
            return False
        return True

    def _wait_for_fetcher(self) -> None:
        """Open the crawl with the configuration of the first fetcher that has come."""
        exchange = self._exchange
        with exchange.turn():
            exchange.publish({"phase": WAITING})
            for row in exchange.fetchers():
                if row.is_live and not row.verdict:
                    refused = self._open(row.info)
                    if refused is None:
                        break
                    logger.warning("Fetcher %s: %s", row.name, refused)
                    exchange.set_verdict(row.id, refused)
        if self.coordinator is not None:
            self.coordinator.start()
            return
        self._log("Waiting for fetchers: scrapy crawl SPIDER -s FRONTIER_EXCHANGE=...")
        self._wait(_PAUSE)

    def _open(self, info: dict[str, Any]) -> str | None:
        """Open the crawl with a fetcher's configuration; returns why that is refused, or None."""
        if info.get("wire") != WIRE_VERSION:
            return other_version(info)
        try:
            config = replace(config_from_json(info.get("config")), directory=self._directory)
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
        self.coordinator = Coordinator(config, backend, figures, self._exchange, self._most_pages)
        return None

    def _turn(self) -> None:
        assert self.coordinator is not None
        pause = self.coordinator.turn()
        self._after_turn(self.coordinator.figures)
        if pause and self._wait(pause):
            gather(len(self.coordinator.feed.outstanding))
            self._wait(0.0)  # messages that came meanwhile are applied in the next turn

    def _wait(self, seconds: float) -> bool:
        """Wait for a message, so many seconds at most; returns whether there is one."""
        return bool(list(self._connection.notifies(timeout=seconds, stop_after=1)))

    def _reconnect(self) -> None:
        """Connect again, and compare the leases of the exchange with those of the crawl."""
        self._connection.close()
        self._connection = connect(self._dsn, self._name)
        was_emptied = self._exchange.reconnect(self._connection)
        if was_emptied:
            logger.warning("The exchange was emptied: what fetchers hold is offered again")
        if self.coordinator is not None:
            self.coordinator.reconnected(was_emptied=was_emptied)

    def _log(self, text: str, *values: object) -> None:
        """Log a text, once a minute."""
        now = time.monotonic()
        if now - self._logged.get(text, float("-inf")) >= _LOG_EVERY:
            self._logged[text] = now
            logger.info(text, *values)

    def close(self) -> None:
        """Write everything down; fetchers wait for the next owner."""
        try:
            if self.coordinator is not None:
                with translated():
                    self.coordinator.leave()
        except LinkRankError as error:
            logger.debug("The end could not be published: %s", error)
        finally:
            if self.coordinator is not None:
                self.coordinator.backend.close()
            self._connection.close()
