"""What is there before a crawl begins is left out of garbage collections while it runs.

Modules and settings are most of the objects of a small crawl, they stay until the process ends, and
every full collection looks at all of them. Objects that have no cycles are freed as ever.
"""

from __future__ import annotations

import gc


class SetAside:
    """From its making until `end`; does nothing where the process has set objects aside itself."""

    def __init__(self) -> None:
        self._ours = not gc.get_freeze_count()
        if self._ours:
            gc.freeze()

    def end(self) -> None:
        """Have everything looked at again, so that what the crawl has left behind can go."""
        if self._ours:
            self._ours = False
            gc.unfreeze()
