"""What fetchers say: the kinds of messages in the inbox."""

from __future__ import annotations

# Answers: each ends one hand-out.
PAGE = "page"
"""A page that was read, with its links; an error page too, if it has any."""
FAILED = "failed"
"""It is not going to be fetched, or was in vain."""
REDIRECT = "redirect"
"""It leads to another URL, the only link."""
RETRY = "retry"
"""It is to be fetched once more: after so many others (`hold`), in so many seconds (`wait`)."""

# Of their own accord.
URLS = "urls"
"""Seeds, and requests that no page led to."""
EXAMPLES = "examples"
"""Texts of the examples that the topic is to be learned from."""
REFUSED = "refused"
"""Links that were left out, counted."""
