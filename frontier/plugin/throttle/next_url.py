"""Which URL leaves the frontier, or that none does for a while: patience, in seconds.

A good URL leaves at once. Where none may be asked for, the best that may leaves when patience is
over (`frontier.queue.eligibility`); until then the engine's wakeup is set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.meta import handed_out
from frontier.queue.eligibility import Patience

if TYPE_CHECKING:
    from frontier.config import CrawlConfig
    from frontier.plugin.throttle.engine_wakeup import EngineWakeup
    from frontier.plugin.throttle.host_gate import HostGate
    from frontier.records import HandedOut


class NextUrl:
    """Takes leases from Frontera's manager, one at a time; whoever asks for them commits."""

    def __init__(
        self, manager: Any, gate: HostGate, wakeup: EngineWakeup, config: CrawlConfig
    ) -> None:
        self._manager = manager
        self._gate = gate
        self._wakeup = wakeup
        self._slow = config.wait_for_best
        self._patience = Patience(config.wait_for_best)

    def take(self) -> HandedOut | None:
        """Lease a good URL; where none may be asked for and patience is over, the best that may."""
        handed = self._patience.take(self._lease_best, self._lease_ahead)
        if handed is None:
            self._wakeup.set(self._patience.seconds() or None)
            self._wakeup.set(self._gate.take_wait())
        return handed

    def _lease_ahead(self) -> HandedOut | None:
        """Lease what waits in the downloader for its host: nothing else may be asked for now."""
        if not self._gate.may_go_ahead or self._patience.share < 1:
            return None
        with self._gate.going_ahead():
            return self._lease_best(1.0)

    def _lease_best(self, share: float) -> HandedOut | None:
        slow = self._gate.overdue(self._slow) if share < 1 else ()
        batch = self._manager.get_next_requests(
            1, room=self._gate.room, share=share, slow=slow, commit=False
        )
        return handed_out(batch[0]) if batch else None
