"""What can go wrong when looking into a crawl, beside what its file can do wrong."""

from __future__ import annotations

from frontier.errors import FrontierError


class UnknownUrlError(FrontierError, LookupError):
    """The crawl never met the URL asked about."""
