"""What the project's spider yields."""

from frontier.plugin.focus.spider import PageItem

__all__ = ["PageItem"]
