"""What the project's spider yields."""

from frontier.plugin.focus.items import PageItem

__all__ = ["PageItem"]
