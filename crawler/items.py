"""The items of the project's spider."""

from frontier.plugin.focus.spider import PageItem

__all__ = ["PageItem"]
