"""A fetcher's connection to the exchange, worked in a thread of its own.

The crawl never waits for the database: it leaves its messages here, which are sent soon, many in a
transaction, and asks for URLs, which come when they are there. Messages that were not confirmed are
sent again over the next connection; a message that arrives twice counts once.

Invariant: `_held` are the URLs that were taken and whose answers were not confirmed; after a lost
connection all others are given back.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

from frontier.errors import ExchangeError, ExchangeLostError
from frontier.exchange import schema
from frontier.exchange.connection import connect, gather, translated
from frontier.exchange.fetcher_side import FetcherExchange, FetcherMessage, TakenUrl
from frontier.exchange.topic_sync import TOPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from frontier.exchange.fetcher_side import PublishedState
    from frontier.exchange.notes import Note

logger = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds between two renewals."""
_PAUSE = 0.5
"""Seconds between two tries to connect."""
_AT_END = 10.0
"""Seconds that the end of a crawl waits for the delivery of its last answers."""


class MessageListener(Protocol):
    """Receives messages from the exchange, in the crawl's own thread."""

    def on_urls(self, taken: list[TakenUrl], topic: Note | None, notes: list[Note]) -> None:
        """Get URLs, the topic model if it is newer, and notes on their hosts."""

    def on_state(self, state: PublishedState | None, verdict: str | None, received: int) -> None:
        """Get the published state, None where there is none yet, and the verdict on this fetcher.

        By then the coordinator had applied at least the first `received` messages of this fetcher.
        """

    def on_renewal(self, changed: set[int]) -> None:
        """Learn that the partitions were renewed; `changed` have come or gone."""

    def on_late_answers(self, seqs: set[int]) -> None:
        """Learn that answers came too late."""

    def on_failure(self, error: ExchangeError) -> None:
        """Learn that the exchange cannot be used any more."""


@dataclass
class _Outgoing:
    """Messages and notes to send; they are kept until their delivery is confirmed."""

    messages: list[FetcherMessage] = field(default_factory=list)
    notes: dict[tuple[str, str], Note] = field(default_factory=dict)
    back: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.messages or self.notes or self.back)

    def copy(self) -> _Outgoing:
        return _Outgoing([*self.messages], {**self.notes}, [*self.back])

    def remove(self, sent: _Outgoing) -> None:
        """Drop what was sent, behind which more may have been added since."""
        del self.messages[: len(sent.messages)], self.back[: len(sent.back)]
        for key, note in sent.notes.items():
            if self.notes[key] is note:
                del self.notes[key]


class ExchangeThread:
    """One fetcher's connection; `start` it once, and `close` it at the end."""

    def __init__(
        self,
        dsn: str,
        name: str,
        info: dict[str, Any],
        places: int,
        call: Callable[..., object],
        needs: Callable[[Sequence[TakenUrl]], dict[str, list[str]]],
    ) -> None:
        """Connect at once, so that errors show before the crawl starts.

        `call(function, *arguments)` runs a function in the crawl's thread. `needs` names the notes
        that are to come with some URLs, by kind. Raises ExchangeError.
        """
        self.me = uuid4().hex
        self._dsn, self._name = dsn, name
        self._call, self._needs = call, needs
        self._connection = connect(dsn, name)
        schema.check(self._connection)
        self._exchange = FetcherExchange(
            self._connection, self.me, name, info, places, time.monotonic
        )
        self.owned = self._exchange.owned
        """The partitions that are held."""
        self._lock = threading.Lock()
        self._outgoing = _Outgoing()
        self._wanted: tuple[int, Sequence[str]] = 0, ()
        self._changed = False
        self._held: dict[int, int] = {}
        self._topic = 0
        self._ending = self._ended = False
        self._beat_at = 0.0
        self._admitted = False
        self._last_state: tuple[PublishedState | None, str | None, int] | None = None
        self.sent = self._received = 0
        """Messages so far, and how many of them the coordinator had applied at the last beat."""
        self._fences: dict[int, int] = {}
        self._wake_r, self._wake_w = os.pipe()
        self._thread = threading.Thread(target=self._run, name="exchange", daemon=True)

    def start(self, listener: MessageListener) -> None:
        """Begin to work."""
        self._listener = listener
        self._thread.start()

    # -- called by the crawl -------------------------------------------------------------------

    def send(self, message: FetcherMessage) -> None:
        """Deliver a message."""
        with self._lock:
            self.sent += 1
            self._outgoing.messages.append(message)
        self._wake()

    def put_note(self, note: Note) -> None:
        """Share a note with fetchers that ask the same hosts later; not in a hurry."""
        with self._lock:
            self._outgoing.notes[note.kind, note.name] = note

    def give_back(self, seq: int) -> None:
        """Leave a URL that was not begun to other fetchers."""
        with self._lock:
            self._outgoing.back.append(seq)
        self._wake()

    def request_urls(self, most: int, busy: Sequence[str]) -> None:
        """Ask for so many URLs of no `busy` host, in place of the request before."""
        with self._lock:
            if (most, busy) == self._wanted:
                return  # new offers wake the thread
            self._wanted = most, busy
            self._changed = True
        self._wake()

    @property
    def all_confirmed(self) -> bool:
        """Whether the delivery of all messages and notes is confirmed."""
        with self._lock:
            return not self._outgoing

    def set_idle(self, *, idle: bool) -> None:
        """Report with the next renewal whether this fetcher has work left."""
        hurries = idle and not self._exchange.idle  # the end of the crawl may wait for it
        self._exchange.idle = idle
        if hurries:
            self._beat_at = 0.0
            self._wake()

    def close(self) -> None:
        """Send the remaining messages, give back URLs that were not fetched, and end."""
        if self._ended:
            return
        self._ending = True
        self._wake()
        if self._thread.ident is not None:
            self._thread.join(_AT_END)
        if self._thread.is_alive():
            logger.error(
                "The last answers could not be handed in: their URLs are fetched again once the "
                "exchange is there"
            )
            return
        self._ended = True
        self._connection.close()
        for end in (self._wake_r, self._wake_w):
            os.close(end)

    def _wake(self) -> None:
        if not self._ended:
            os.write(self._wake_w, b"!")

    # -- the thread ----------------------------------------------------------------------------

    def _run(self) -> None:
        step: Callable[[], None] = self._begin
        gives_up = float("inf")
        while time.monotonic() < gives_up:
            if self._ending:
                gives_up = min(gives_up, time.monotonic() + _AT_END)
            try:
                with translated():
                    step()
                    if self._ending and not self._outgoing:
                        self._exchange.leave()
                        return
            except ExchangeLostError as error:
                if step != self._reconnect:  # once an outage
                    logger.warning("The exchange cannot be reached, trying again: %s", error)
                time.sleep(_PAUSE)
                step = self._reconnect
            except ExchangeError as error:
                self._call(self._listener.on_failure, error)
                return
            else:
                step = self._work

    def _begin(self) -> None:
        self._exchange.reconnect(self._connection, ())

    def _reconnect(self) -> None:
        self._connection.close()
        self._connection = connect(self._dsn, self._name)
        self._exchange.reconnect(self._connection, self._held)
        self._beat_at = 0.0
        self._changed = True  # notifications of the outage do not come again

    def _work(self) -> None:
        self._send_and_take()  # notes on hosts arrive before these are another fetcher's
        if time.monotonic() >= self._beat_at:
            self._beat()
            self._send_and_take()
        self._wait()

    def _beat(self) -> None:
        self._beat_at = time.monotonic() + EVERY
        with self._lock:
            delivered = self.sent - len(self._outgoing.messages)
        state, verdict = self._exchange.heartbeat()
        if state is not None and state.has_all:
            self._received = delivered
        self._admitted = verdict == ""
        if self._admitted and not self._ending:
            self._exchange.claim_share(set(self._held.values()))
            self._changed = True
        if (state, verdict, self._received) != self._last_state:
            self._last_state = state, verdict, self._received
            self._call(self._listener.on_state, *self._last_state)
        before, self._fences = self._fences, dict(self.owned.fences)
        changed = {part for part, _ in before.items() ^ self._fences.items()}
        self._call(self._listener.on_renewal, changed)

    def _send_and_take(self) -> None:
        """Send messages and notes, and take URLs if the feed may have some."""
        with self._lock:
            sending = self._outgoing.copy()
        if sending.back:
            self._exchange.give_back(sending.back)
        if sending.notes:
            self._exchange.put_notes(sending.notes.values())
        taken = self._sent_and_taken(sending)
        if taken:
            # Held from here on: URLs that are lost before they are delivered are given back.
            topic, notes = self._newer_topic(taken), self._notes_on(taken)
            self._held.update((url.seq, url.part) for url in taken)
            self._call(self._listener.on_urls, taken, topic, notes)

    def _sent_and_taken(self, outgoing: _Outgoing) -> list[TakenUrl]:
        most, busy = self._wanted
        takes = most > 0 and self._admitted and not self._ending
        late: set[int] = set()
        taken: list[TakenUrl] = []
        if outgoing.messages or (takes and self._changed):
            self._changed = False
            wanted = most if takes else 0
            late, taken = self._exchange.send_and_take(outgoing.messages, wanted, busy)
        for seq in [message.seq for message in outgoing.messages] + outgoing.back:
            self._held.pop(seq, None)  # type: ignore[arg-type]  # None of what answers no lease
        with self._lock:
            self._outgoing.remove(outgoing)
            if self._wanted == (most, busy):
                self._wanted = most - len(taken), busy
        if late:
            self._call(self._listener.on_late_answers, late)
        return taken

    def _newer_topic(self, taken: list[TakenUrl]) -> Note | None:
        if all(url.topic <= self._topic for url in taken):
            return None
        topic = next(iter(self._exchange.notes(TOPIC, ["model"])), None)
        self._topic = topic.data["version"] if topic is not None else self._topic
        return topic

    def _notes_on(self, taken: list[TakenUrl]) -> list[Note]:
        needs = self._needs(taken)
        return [
            note for kind, names in needs.items() if names
            for note in self._exchange.notes(kind, names)
        ]  # fmt: skip

    def _wait(self) -> None:
        """Wait for the crawl or the exchange, until the next renewal at most."""
        seconds = max(0.0, self._beat_at - time.monotonic()) if self.all_confirmed else 0.0
        ready, _, _ = select.select([self._connection.fileno(), self._wake_r], (), (), seconds)
        if self._wake_r in ready:
            os.read(self._wake_r, 65536)
            if not self._ending:
                gather(len(self._held))
        news = [notice.payload.split() for notice in self._connection.notifies(timeout=0)]
        if news:
            self._notified(news)

    def _notified(self, news: list[list[str]]) -> None:
        """Note that there is something new for some partitions, or for all."""
        own = any(int(part) in self.owned.fences for parts in news for part in parts)
        self._changed |= own or not all(news)
        if self._last_state is None or self._last_state[0] is None or not self._admitted:
            self._beat_at = 0.0
