"""The backend of a served crawl, as Frontera's workers would have it."""

from __future__ import annotations

from typing import Any

from frontera.core.components import DistributedBackend

from frontier.backend.backend import LinkRankBackend


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
