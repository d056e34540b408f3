"""Whether a crawl could go on: found out by doing what its start does, up to the first hand-out.

Nothing is changed, for what the start writes is forgotten; and all of it sees one moment, also
beside a running crawl.
"""

from __future__ import annotations

from pathlib import Path

from frontier.backend.backend import LinkRankBackend
from frontier.config import DEFAULT_TOPIC_MODEL, CrawlConfig
from frontier.inspection.resumed import NoExecutor, stored_config
from frontier.store import keys, sqlite
from frontier.store.open import open_to_read, reading
from frontier.store.store import Store
from frontier.strategy.prior_scores import stored_prior
from ranking.errors import LinkRankError, TopicError
from ranking.prior import Prior
from ranking.topics import load_topic_model


def rehearse(directory: Path) -> None:
    """Go on with a crawl, and do not.

    Raises the LinkRankError that would stop its start, StoreMissingError where no file is.
    """
    store = _Onlooking.open(directory)
    try:
        with store.reading():
            begun = store.settings().get(keys.IDENTITY) is not None
            config = stored_config(store) if begun else CrawlConfig(directory=directory)
            _Rehearsal(config, NoExecutor(), store=store)
            _take_notes(store, config)
    finally:
        store.close()


def fault_of(directory: Path) -> str | None:
    """Why a crawl could not go on, in words; None: it could."""
    try:
        rehearse(directory)
    except LinkRankError as error:
        return str(error)
    except Exception as error:  # of values that no crawl writes, anything may come
        return f"{type(error).__name__}: {error}"
    return None


def _take_notes(store: Store, config: CrawlConfig) -> None:
    """Make sense of what else the plug-in reads as it starts."""
    store.politeness()
    learned = store.settings().get(keys.TOPIC)
    if learned is not None and config.topic_model == DEFAULT_TOPIC_MODEL:
        try:
            load_topic_model(config.topic_model).restore(learned)
        except TopicError as error:
            raise sqlite.damaged(store.path, error) from error


class _Onlooking(Store):
    """A crawl that takes everything and writes nothing."""

    @classmethod
    def open(cls, directory: Path | None = None, *, keep_leases: bool = False) -> Store:
        assert directory is not None, "there is something to look at"
        path, connection = open_to_read(directory)
        with sqlite.closed_on_error(connection), reading(path):
            connection.execute("BEGIN")
            return cls(path, connection)

    def commit(self) -> None:
        """Forget it: nothing is written."""

    def close(self) -> None:
        """Close the connection; closing again does nothing."""
        self._connection.close()


class _Rehearsal(LinkRankBackend):
    """A frontier that is built and never asked."""

    def _prior(self) -> Prior | None:
        return stored_prior(self._store)
