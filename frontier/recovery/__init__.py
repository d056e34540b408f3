"""A damaged crawl: what of its file is intact, and a new crawl made of what is readable."""

from frontier.recovery.checking import CheckReport, check, how_to_go_on
from frontier.recovery.salvaging import Salvaged, salvage

__all__ = ["CheckReport", "Salvaged", "check", "how_to_go_on", "salvage"]
