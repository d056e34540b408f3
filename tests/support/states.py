"""The states of a crawl's URLs, as they follow from its file."""

from __future__ import annotations

from typing import Any

from frontier.states import State
from frontier.store import Store, StoreReader, UrlRow


def states_of(reader: StoreReader) -> list[State]:
    """The state of each URL, by id."""
    return [State(one) for one in reader.load().states.tolist()]


def put_url(
    store: Store, url_id: int, fingerprint: int, url: str, *, host: int, **more: Any
) -> None:
    """Add an unknown URL; `more` are other fields of its row."""
    known: dict[str, Any] = {
        "depth": 0,
        "discovered": 1.0,
        "referrer": None,
        "anchor": None,
        "zone": 0,
    }
    known |= {"canonical": None, "seed": 0} | more
    known["canonical"] = None if known["canonical"] == url else known["canonical"]
    store.add_urls([UrlRow(url_id=url_id, fingerprint=fingerprint, url=url, host=host, **known)])
