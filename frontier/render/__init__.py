"""Which pages would gain by a browser: what they show of it, and what is learned of that."""

from typing import Final

AUTO: Final = "auto"
"""FRONTIER_RENDER: pages that are likely to gain, where that pays."""
ALL: Final = "all"
