"""A fetcher's connection to the exchange, worked in a thread of its own.

The crawl never waits for the database: what it has to say is put here and sent as soon as may be,
many answers in one transaction, and what it wants is asked for and comes when it is there. What was
not confirmed is sent again over the next connection; what comes twice counts once.

Invariant: `_held` are the URLs that were taken and whose answers were not confirmed; all others are
given back where the connection was lost in between.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from frontier.errors import ExchangeError, ExchangeLostError
from frontier.exchange.connection import connect, translated
from frontier.exchange.fetcher_side import FeedAnswer, FetcherExchange, Note, Said, Taken
from frontier.exchange.notes import TOPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from frontier.exchange.connection import Connection
    from frontier.exchange.fetcher_side import BrainState, Owned

logger = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds between two renewals."""
_PAUSE = 0.5
"""Seconds between two tries to connect."""
_TOGETHER = 0.001
"""Seconds for each URL that is held: what is said within them goes in one statement."""
_NO_LONGER = 0.015
"""Seconds of that at most."""
_AT_END = 10.0
"""Seconds that the end of a crawl waits for its last answers to be handed in."""


class Listener:
    """Who is told what comes; called in the crawl's own thread."""

    def deliver(self, taken: list[Taken], topic: Note | None, notes: list[Note]) -> None:
        """URLs have come, with the topic model if it is newer, and notes on their hosts."""

    def hear(self, brain: BrainState | None, verdict: str | None, known: int) -> None:
        """The owner of the order has said something, or nobody owns it.

        It knew by then the first `known` things that were said here, or more.
        """

    def renewed(self, changed: set[int]) -> None:
        """The partitions that are held were renewed; `changed` have come or gone."""

    def refuse(self, seqs: set[int]) -> None:
        """Answers came too late."""

    def fail(self, error: ExchangeError) -> None:
        """The exchange cannot be used any more."""


@dataclass
class _Outgoing:
    """What is to be sent, and is kept until that is confirmed."""

    answers: list[FeedAnswer] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    notes: dict[tuple[str, str], Note] = field(default_factory=dict)
    back: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.answers or self.said or self.notes or self.back)

    def copy(self) -> _Outgoing:
        return _Outgoing([*self.answers], [*self.said], {**self.notes}, [*self.back])

    def remove(self, sent: _Outgoing) -> None:
        """Drop what was sent, behind which more may have been added since."""
        del self.answers[: len(sent.answers)], self.said[: len(sent.said)]
        del self.back[: len(sent.back)]
        for key, note in sent.notes.items():
            if self.notes[key] is note:
                del self.notes[key]


class ExchangeLink:
    """One fetcher's link; `start` it once, and `close` it at the end."""

    def __init__(
        self,
        dsn: str,
        name: str,
        about: dict[str, Any],
        places: int,
        call: Callable[..., object],
        needs: Callable[[Sequence[Taken]], dict[str, list[str]]],
    ) -> None:
        """Connect at once, so that what is wrong is known before the crawl starts.

        `call(function, *arguments)` runs a function in the crawl's thread. `needs` says which
        notes are to come with some URLs, by kind. Raises ExchangeError.
        """
        self.me = uuid4().hex
        self._dsn, self._name = dsn, name
        self._call, self._needs = call, needs
        self._connection = connect(dsn, name)
        who = self.me, name, about, places, time.monotonic
        self._exchange = FetcherExchange(self._connection, *who)
        self._lock = threading.Lock()
        self._outgoing = _Outgoing()
        self._wanted: tuple[int, Sequence[str]] = 0, ()
        self._changed = False
        self._held: dict[int, int] = {}
        self._topic = 0
        self._ending = self._ended = False
        self._beat_at = 0.0
        self._admitted = False
        self._heard: tuple[BrainState | None, str | None, int] | None = None
        self.spoken = self._known = 0
        self._fences: dict[int, int] = {}
        self._ears, self._mouth = os.pipe()
        self._thread = threading.Thread(target=self._run, name="exchange", daemon=True)

    @property
    def connection(self) -> Connection:
        """The connection, to be looked at before `start`."""
        return self._connection

    @property
    def owned(self) -> Owned:
        """The partitions that are held."""
        return self._exchange.owned

    def start(self, listener: Listener) -> None:
        """Begin to work."""
        self._listener = listener
        self._thread.start()

    # -- what the crawl says -------------------------------------------------------------------

    def answer(self, answer: FeedAnswer) -> None:
        """Hand an answer in."""
        with self._lock:
            self.spoken += 1
            self._outgoing.answers.append(answer)
        self._wake()

    def say(self, kind: str, head: dict[str, Any], body: bytes = b"") -> None:
        """Say something of one's own accord."""
        with self._lock:
            self.spoken += 1
            self._outgoing.said.append(Said(uuid4().hex, kind, head, body))
        self._wake()

    def note(self, note: Note) -> None:
        """Put something down for whoever asks the same hosts later; not in a hurry."""
        with self._lock:
            self._outgoing.notes[note.kind, note.name] = note

    def give_back(self, seq: int) -> None:
        """Leave a URL that was not begun to others."""
        with self._lock:
            self._outgoing.back.append(seq)
        self._wake()

    def want(self, most: int, busy: Sequence[str]) -> None:
        """Ask for so many URLs, in place of what was asked for before; of no `busy` host."""
        with self._lock:
            if (most, busy) == self._wanted:
                return  # it was asked for; what is offered from now on is told
            self._wanted = most, busy
            self._changed = True
        self._wake()

    @property
    def silent(self) -> bool:
        """Whether all that was said is confirmed."""
        with self._lock:
            return not self._outgoing

    def set_idle(self, *, idle: bool) -> None:
        """Say with the next renewal whether there is anything left to do here."""
        hurries = idle and not self._exchange.idle  # the end of the crawl may wait for it
        self._exchange.idle = idle
        if hurries:
            self._beat_at = 0.0
            self._wake()

    def close(self) -> None:
        """Send what is left, give back what was taken, and end."""
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
        for end in (self._ears, self._mouth):
            os.close(end)

    def _wake(self) -> None:
        if not self._ended:
            os.write(self._mouth, b"!")

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
                self._call(self._listener.fail, error)
                return
            else:
                step = self._work

    def _begin(self) -> None:
        self._exchange.come_back(self._connection, ())

    def _reconnect(self) -> None:
        self._connection.close()
        self._connection = connect(self._dsn, self._name)
        self._exchange.come_back(self._connection, self._held)
        self._beat_at = 0.0
        self._changed = True  # nobody says again what was said meanwhile

    def _work(self) -> None:
        self._trade()  # what is known of hosts is told before they are another fetcher's
        if time.monotonic() >= self._beat_at:
            self._beat()
            self._trade()
        self._wait()

    def _beat(self) -> None:
        self._beat_at = time.monotonic() + EVERY
        with self._lock:
            sent = self.spoken - len(self._outgoing.answers) - len(self._outgoing.said)
        brain, verdict = self._exchange.beat()
        if brain is not None and brain.knows_all:
            self._known = sent
        heard = brain, verdict, self._known
        self._admitted = verdict == ""
        if self._admitted and not self._ending:
            self._exchange.share(set(self._held.values()))
            self._changed = True
        if heard != self._heard:
            self._heard = heard
            self._call(self._listener.hear, *heard)
        before, self._fences = self._fences, dict(self._exchange.owned.fences)
        changed = {part for part, _ in before.items() ^ self._fences.items()}
        self._call(self._listener.renewed, changed)

    def _trade(self) -> None:
        """Say what there is to say, and take what is wanted if there may be something new."""
        with self._lock:
            sending = self._outgoing.copy()
        if sending.back:
            self._exchange.give_back(sending.back)
        if sending.notes:
            self._exchange.keep(sending.notes.values())
        taken = self._exchanged(sending)
        if taken:
            # Held from here on: what is lost before it is delivered is given back.
            delivery = taken, self._newer_topic(taken), self._notes_on(taken)
            self._held.update((one.seq, one.part) for one in taken)
            self._call(self._listener.deliver, *delivery)

    def _exchanged(self, outgoing: _Outgoing) -> list[Taken]:
        most, busy = self._wanted
        takes = most > 0 and self._admitted and not self._ending
        late: set[int] = set()
        taken: list[Taken] = []
        if outgoing.answers or outgoing.said or (takes and self._changed):
            self._changed = False
            wanted = most if takes else 0
            late, taken = self._exchange.trade(outgoing.answers, outgoing.said, wanted, busy)
        for seq in [one.seq for one in outgoing.answers] + outgoing.back:
            self._held.pop(seq, None)
        with self._lock:
            self._outgoing.remove(outgoing)
            if self._wanted == (most, busy):
                self._wanted = most - len(taken), busy
        if late:
            self._call(self._listener.refuse, late)
        return taken

    def _newer_topic(self, taken: list[Taken]) -> Note | None:
        if all(one.topic <= self._topic for one in taken):
            return None
        topic = next(iter(self._exchange.notes(TOPIC, ["model"])), None)
        self._topic = topic.about["version"] if topic is not None else self._topic
        return topic

    def _notes_on(self, taken: list[Taken]) -> list[Note]:
        needs = self._needs(taken)
        return [
            note for kind, names in needs.items() if names
            for note in self._exchange.notes(kind, names)
        ]  # fmt: skip

    def _wait(self) -> None:
        """Until the crawl or the exchange has something to say, or it is time for a renewal."""
        seconds = max(0.0, self._beat_at - time.monotonic())
        if not self.silent:
            seconds = 0.0
        ready, _, _ = select.select([self._connection.fileno(), self._ears], (), (), seconds)
        if self._ears in ready:
            os.read(self._ears, 65536)
            if not self._ending:
                time.sleep(min(_NO_LONGER, _TOGETHER * len(self._held)))
        news = [one.payload.split() for one in self._connection.notifies(timeout=0)]
        if news:
            self._hear(news)

    def _hear(self, news: list[list[str]]) -> None:
        """There is something new for some partitions, or for all."""
        fences = self._exchange.owned.fences
        own = any(int(part) in fences for parts in news for part in parts)
        self._changed |= own or not all(news)
        if self._heard is None or self._heard[0] is None or not self._admitted:
            self._beat_at = 0.0
