"""What the links of a page say, weighed, and what an order knew of a URL: blobs and back.

Kept in a crawl with a topic, and by orders that learn; elsewhere the columns are null and cost
nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frontier.records import LinkText
from frontier.store import blobs
from ranking.page_update import MATCHES

COPIED = 4
"""Flag of a link of a page that repeats another one: its words count nothing."""
TOPICAL = 16
"""Flag of a link whose text or surroundings are the topic's: from half of what can be on."""
FEATURES = np.dtype("<f4")


def stored_features(row: NDArray[np.float32] | None) -> bytes | None:
    """Return what an order knew of a URL, (d,) float32, as it is stored."""
    return None if row is None else row.astype(FEATURES, copy=False).tobytes()


def features_of(blob: bytes | None) -> NDArray[np.float32] | None:
    """Return (d,) float32; ValueError where the blob is of another length."""
    return None if blob is None else np.frombuffer(blob, FEATURES).astype(np.float32, copy=False)


def text_blobs(said: LinkText | None) -> tuple[bytes | None, bytes | None]:
    """Return matches and contexts as they are stored."""
    if said is None:
        return None, None
    return (
        said.matches.astype(np.uint8, copy=False).tobytes(),
        None if said.contexts is None else blobs.packed(said.contexts),
    )


def text_of_blobs(matches: bytes | None, texts: bytes | None, links: int) -> LinkText | None:
    """Decode what `text_blobs` gave of `links` links; None where nothing was weighed.

    Raises ValueError where they do not fit.
    """
    if matches is None:
        return None
    weighed = np.frombuffer(matches, np.uint8).reshape(-1, MATCHES)
    if len(weighed) != links:
        raise ValueError(f"expected what {links} links say, found {len(weighed)} matches")
    return LinkText(weighed, None if texts is None else blobs.unpacked(texts, links))
