"""Hand-outs that have not been answered yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frontier.states import NO_MARKS, Mark

if TYPE_CHECKING:
    from scrapy import Request

    from frontier.records import HandedOut, PageRecord

TOKEN = "frontier"  # noqa: S105  # a key of request.meta, no secret
"""Key of `request.meta` under which the number of the lease travels with a request."""
_SLOT = "download_slot"
"""Key of `request.meta`: the slot to use, and the one that Scrapy's downloader did use."""


@dataclass(slots=True, eq=False)
class Lease:
    """One request handed out: `handed` as the frontier knows it, `request` as Scrapy does.

    `reentering` is True from the moment a downloader middleware answered with another request
    (a retry or a redirect) until that request is back in the scheduler. `postponed` is True where
    that is the same request, because its host must not be asked now. `in_flight` is True until
    the downloader has answered: a callback may download the same request once more by itself.
    `marks` are those of an answer that leads elsewhere.
    """

    handed: HandedOut
    request: Request
    reentering: bool = False
    in_flight: bool = True
    postponed: bool = False
    marks: Mark = NO_MARKS
    _chose_slot: bool = field(init=False)

    def __post_init__(self) -> None:
        self._chose_slot = _SLOT in self.request.meta

    @property
    def page(self) -> PageRecord:
        """What is known of the hand-out so far."""
        return self.handed.page

    @property
    def number(self) -> int:
        """Under which the lease stands in the store."""
        return int(self.page.handout or 0)

    @property
    def slot(self) -> str:
        """Download slot the request was handed out for."""
        return self.handed.slot

    @property
    def downloaded(self) -> bool:
        """Whether the request got as far as a slot; a middleware may know the answer."""
        return _SLOT in self.request.meta

    def forget_slot(self, request: Request) -> None:
        """Take the slot that Scrapy noted in our request from one that copied its meta.

        A redirect to another host would else wait in the first host's slot, beside the real one.
        """
        noted = None if self._chose_slot else self.request.meta.get(_SLOT)
        if noted is not None and request.meta.get(_SLOT) == noted:
            del request.meta[_SLOT]
