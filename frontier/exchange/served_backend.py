"""The backend of a served crawl, as Frontera's workers would have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontera.core.components import DistributedBackend

from frontier.backend.backend import LinkRankBackend
from frontier.states import State

if TYPE_CHECKING:
    from frontier.records import HandedOut


class ServedBackend(LinkRankBackend, DistributedBackend):  # type: ignore[misc]  # Frontera has no types
    """Strategy worker and db worker in one, with one partition.

    Frontera's own workers and its message buses are not run: they drop messages on exceptions, and
    split the links of a page by host.
    """

    @classmethod
    def strategy_worker(cls, manager: Any) -> LinkRankBackend:
        return cls.from_manager(manager)

    @classmethod
    def db_worker(cls, manager: Any) -> LinkRankBackend:
        return cls.from_manager(manager)

    def leased(self) -> list[HandedOut]:
        """What is handed out and not answered, in that order, as it left."""
        return self.ledger.leased()

    def lost(self, handed: HandedOut, *, reading: bool) -> None:
        """Queue a hand-out again whose fetcher has died; `reading`: with the answer at work."""
        self.deaths.lost(handed, reading=reading)
        if self.ledger.state_of(handed.url_id) is State.LEASED:
            self.retry(handed, handed, hold=0)
