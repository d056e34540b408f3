"""Hand-outs that have not been answered yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontier import meta as key

if TYPE_CHECKING:
    from frontera.core.models import Request as FronteraRequest
    from scrapy import Request


@dataclass(slots=True, eq=False)
class Lease:
    """One request handed out: `handed` as the frontier knows it, `request` as Scrapy does.

    `reentering` is True from the moment a downloader middleware answered with another request
    (a retry or a redirect) until that request is back in the scheduler.
    """

    handed: FronteraRequest
    request: Request
    reentering: bool = False

    @property
    def number(self) -> int:
        """Under which the lease stands in the store."""
        return int(self.handed.meta[key.LEASE])

    @property
    def slot(self) -> str:
        """Download slot the request was handed out for."""
        return str(self.handed.meta[key.SLOT])
