"""What becomes of a page that cannot be taken in: it is an error, and the crawl goes on."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from frontier.errors import StoreError, described
from frontier.states import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frontier.records import PageRecord

logger = logging.getLogger(__name__)


@contextmanager
def taking_out(page: PageRecord) -> Iterator[None]:
    """Make an error of a page that the block fails on; its links are met all the same.

    What fails because of the store or of memory is no matter of the page, and is raised.
    """
    try:
        yield
    except (StoreError, MemoryError):
        raise
    except Exception as error:  # of strategies and topic models of others, or a fault of ours
        reason = f"not taken in: {described(error)}"
        logger.exception("A page is %s; its links are followed", reason)
        page.state, page.error, page.links = State.ERROR, reason, None
        page.relevance = page.similarity = None
