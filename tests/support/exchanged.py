"""A frontier on a real exchange, and fetchers that a test works by hand: no Scrapy, no threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

from frontier.backend.backend import LinkRankBackend
from frontier.backend.progress.figures import CrawlFigures
from frontier.config import CrawlConfig
from frontier.exchange import schema, wire
from frontier.exchange.connection import Connection, connect
from frontier.exchange.coordinator import Coordinator
from frontier.exchange.fetcher_config import config_as_json
from frontier.exchange.fetcher_side import FetcherExchange, FetcherMessage, TakenUrl
from frontier.exchange.notes import Note
from frontier.exchange.owner_side import OwnerExchange
from frontier.exchange.serving import crawl_name
from frontier.exchange.wire import WIRE_VERSION
from frontier.records import Lease, Page, UrlRecord
from frontier.states import State
from frontier.store import Store
from frontier.topic.relevance import plain_link
from frontier.urls.canonical import canonical_url, fingerprint, slot_of

CONFIG = CrawlConfig(strategy="bfs")
_tokens = count()


def record(url: str, depth: int = 0, **said: Any) -> UrlRecord:
    """A URL as a link or a seed has it."""
    canonical = canonical_url(url)
    made = plain_link(url, fingerprint(canonical, CONFIG.fingerprint_key), canonical, depth)
    for name, value in said.items():
        setattr(made, name, value)
    return made


class Fetcher:
    """One fetcher's side, one statement at a time, with a clock that the test moves."""

    def __init__(self, connection: Connection, me: str, places: int, about: dict[str, Any]) -> None:
        self.connection = connection
        self.me = me
        self.now = 0.0
        self.exchange = FetcherExchange(connection, me, me, about, places, lambda: self.now)
        self.exchange.reconnect(connection, ())
        self.held: dict[int, TakenUrl] = {}

    def beat(self) -> str | None:
        """Renew, and claim or release partitions as a link does."""
        _, verdict = self.exchange.heartbeat()
        if verdict == "":
            self.exchange.claim_share({url.part for url in self.held.values()})
        return verdict

    def take(self, most: int = 16, busy: tuple[str, ...] = ()) -> list[Lease]:
        _, taken = self.exchange.send_and_take((), most, busy)
        self.held.update((url.seq, url) for url in taken)
        return [url.lease for url in taken]

    def send(self, kind: str, head: dict[str, Any], body: bytes = b"", token: str = "") -> None:
        message = FetcherMessage(kind, head, body, token=token or f"{self.me}-{next(_tokens)}")
        self.exchange.send_and_take([message], 0, ())

    def seed(self, *urls: str, **said: Any) -> None:
        self.ask(*(record(url, seed=True, asked=True, again=True, **said) for url in urls))

    def ask(self, *records: UrlRecord) -> None:
        """Send requests that no page led to."""
        self.send(wire.URLS, {}, wire.pack_urls(records))

    def answer(self, lease: Lease, kind: str, body: bytes, **head: Any) -> bool:
        """Hand an answer in; whether it was in time."""
        seq = lease.number
        held = self.held.pop(seq)
        message = FetcherMessage(kind, head, body, seq, held.fence)
        late, _ = self.exchange.send_and_take([message], 0, ())
        return not late

    def page(self, lease: Lease, *links: str, **how: Any) -> bool:
        """Answer with a page."""
        found = [record(url, lease.depth + 1) for url in links]
        return self.read(lease, found, **how)

    def read(
        self, lease: Lease, links: Sequence[UrlRecord] = (), status: int = 200, **how: Any
    ) -> bool:
        """Answer with a page that has blocks, validators or a canonical address."""
        canonical = how.pop("canonical", None)
        page = Page(state=State.CRAWLED, fetched=1.0, status=status, final_url=lease.url, **how)
        return self.answer(lease, wire.PAGE, wire.pack_page(page, links, canonical))

    def failed(self, lease: Lease) -> bool:
        page = Page(state=State.ERROR, fetched=1.0, status=404, error="HTTP 404")
        return self.answer(lease, wire.FAILED, wire.pack_page(page, ()))

    def redirect(self, lease: Lease, target: str, **said: Any) -> bool:
        page = Page(state=State.REDIRECTED, fetched=1.0, status=301, final_url=target)
        body = wire.pack_page(page, [record(target, lease.depth + 1, **said)])
        return self.answer(lease, wire.REDIRECT, body)

    def retry(self, lease: Lease, hold: int = 0, wait: float = 0.0) -> bool:
        return self.answer(lease, wire.RETRY, wire.pack_urls([lease]), hold=hold, wait=wait)

    def note(self, *notes: Note) -> None:
        self.exchange.put_notes(notes)


class Exchanged:
    """One frontier and its fetchers."""

    def __init__(self, dsn: str, directory: Path, **config: Any) -> None:
        self.dsn, self.directory = dsn, directory
        self.config = CrawlConfig(
            directory=directory, **{"strategy": "bfs", "wait_for_best": 1.0, **config}
        )
        self.connections: list[Connection] = []
        self.connection = self._connect()
        schema.create(self.connection)
        self.coordinator = self.serve()

    def _connect(self) -> Connection:
        self.connections.append(connect(self.dsn, "test"))
        return self.connections[-1]

    def serve(self, most_pages: int = 0) -> Coordinator:
        """Begin to serve, or go on."""
        self.owner = OwnerExchange(self._connect(), "frontier")
        self.owner.own(crawl_name(self.directory, uuid4))
        backend = LinkRankBackend(self.config, store=Store.open(self.directory, keep_leases=True))
        figures = CrawlFigures(backend, self.config)
        self.coordinator = Coordinator(self.config, backend, figures, self.owner, most_pages)
        self.coordinator.start()
        return self.coordinator

    def stop(self) -> None:
        """End as after Ctrl-C."""
        self.coordinator.leave()
        self.coordinator.backend.close()

    def about(self, **said: Any) -> dict[str, Any]:
        """What a fetcher says of itself."""
        about = {"wire": WIRE_VERSION, "spider": "s", "per_host": 4, "pauses": False}
        return {**about, "config": config_as_json(self.config), **said}

    def fetcher(self, me: str = "one", places: int = 16, **said: Any) -> Fetcher:
        """A fetcher that has come, and was judged; of several see that all have `settle`d."""
        fetcher = Fetcher(self._connect(), me, places, self.about(**said))
        fetcher.beat()
        self.revisit()
        fetcher.beat()
        return fetcher

    def fetchers(self, *names: str) -> list[Fetcher]:
        """Several that have come and share the partitions."""
        found = [self.fetcher(name) for name in names]
        for _ in range(2):
            for one in found:
                one.beat()
        return found

    def revisit(self) -> None:
        """A turn that looks at who is there too."""
        self.coordinator._checked_at = float("-inf")
        self.coordinator.turn()

    def expire(self, fetcher: Fetcher) -> None:
        """Let the leases of a fetcher run out."""
        past = "now() - interval '1 s'"
        run = self.connection.execute
        run(f"UPDATE frontier.parts SET until = {past} WHERE owner = %s", (fetcher.me,))
        run(f"UPDATE frontier.fetchers SET until = {past} WHERE id = %s", (fetcher.me,))

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """What a statement finds in the exchange."""
        return self.connection.execute(statement.encode()).fetchall()

    def state(self, url: str) -> State:
        """State of a URL in the crawl's own file."""
        ledger = self.coordinator.backend.ledger
        url_id = int(ledger.find([record(url).fingerprint])[0])
        assert url_id >= 0, f"{url} was never met"
        return ledger.state_of(url_id)

    def knows(self, url: str) -> bool:
        return self.coordinator.backend.knows(record(url).fingerprint)

    def close(self) -> None:
        self.coordinator.backend.close()
        for one in self.connections:
            one.close()


@contextmanager
def exchanged(dsn: str, directory: Path, **config: Any) -> Iterator[Exchanged]:
    """A frontier on an empty exchange, until the end of the block."""
    served = Exchanged(dsn, directory, **config)
    try:
        yield served
    finally:
        served.close()


def slots(lease: list[Lease]) -> set[str]:
    """Hosts of what was leased."""
    return {slot_of(one.url) for one in lease}
