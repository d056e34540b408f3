"""A fetcher's backend by itself: what it holds, wants and sends, without a thread or a database."""

from __future__ import annotations

import pytest

from frontier.exchange import wire
from frontier.exchange.exchange_thread import _Outgoing
from frontier.exchange.fetcher_side import FetcherMessage, OwnedPartitions, TakenUrl
from frontier.exchange.notes import Note
from frontier.exchange.remote import RemoteBackend
from frontier.records import Lease, Page
from frontier.states import State
from tests.support.exchanged import record

A, B = "http://a.example/", "http://b.example/"


class Thread:
    """Records what a backend has its thread do."""

    sent = 0
    all_confirmed = True

    def __init__(self) -> None:
        self.owned = OwnedPartitions(fences={1: 7, 2: 7}, until=float("inf"))
        self.wants: tuple[int, list[str]] = 0, []
        self.messages: list[FetcherMessage] = []
        self.back: list[int] = []

    def request_urls(self, most: int, busy: list[str]) -> None:
        self.wants = most, busy

    def send(self, message: FetcherMessage) -> None:
        self.messages.append(message)

    def give_back(self, seq: int) -> None:
        self.back.append(seq)


def taken(seq: int, url: str, part: int = 1, referrer: int | None = None) -> TakenUrl:
    lease, _ = wire.unpack_lease(wire.pack_lease(_handed(seq, url, referrer)))
    return TakenUrl(seq, part, 7, 0, lease, None if referrer is None else A)


def _handed(seq: int, url: str, referrer: int | None) -> Lease:
    known = record(url, referrer=referrer)
    fields = {name: getattr(known, name) for name in known.__dataclass_fields__}
    return Lease(**(fields | {"url_id": seq}), number=seq)


@pytest.fixture
def thread() -> Thread:
    return Thread()


@pytest.fixture
def backend(thread: Thread) -> RemoteBackend:
    backend = RemoteBackend(thread, places=3)  # type: ignore[arg-type]  # all that is needed of one
    backend.receive([taken(5, B, part=2, referrer=90), taken(4, A)])
    return backend


def take_all(backend: RemoteBackend, room: int = 1) -> list[Lease]:
    return backend.next(9, lambda _: room)


def test_what_is_held_takes_places_until_it_is_answered(
    backend: RemoteBackend, thread: Thread
) -> None:
    first, second = take_all(backend)
    assert [first.url, second.url] == [A, B]
    assert take_all(backend, room=0) == []
    assert thread.wants == (1, ["a.example", "b.example"])
    first.held = True
    backend.take(first, Page(state=State.CRAWLED, fetched=1.0, status=200), [])
    take_all(backend, room=0)
    assert thread.wants == (2, ["b.example"])
    assert thread.messages == []
    backend.finish(first)
    assert [(message.seq, message.fence, message.kind) for message in thread.messages] == [
        (4, 7, wire.PAGE)
    ]
    backend.finish(first)
    assert not backend.is_idle
    backend.failed(second, Page(state=State.ERROR, fetched=1.0))
    assert [message.kind for message in thread.messages] == [wire.PAGE, wire.FAILED]
    assert backend.is_idle


def test_a_referrer_is_known_while_its_url_is_held(backend: RemoteBackend) -> None:
    _, second = take_all(backend)
    assert (backend.url(90), backend.url(91)) == (A, "")
    backend.failed(second, Page(state=State.ERROR, fetched=1.0))
    assert backend.url(90) == ""


def test_a_host_is_heard_of_under_the_fence_of_its_partition(
    backend: RemoteBackend, thread: Thread
) -> None:
    assert backend.slots_without_notes({"a.example": 7, "b.example": 8, "c.example": 7}) == [
        "b.example",
        "c.example",
    ]
    assert backend.slots_in({2}) == {"b.example"}
    thread.owned.since[2] = 3.0
    assert backend.asked_by_others("b.example") == 3.0
    assert backend.asked_by_others("c.example") == float("-inf")


def test_what_another_fetcher_owns_by_now_is_left_to_it(
    backend: RemoteBackend, thread: Thread
) -> None:
    del thread.owned.fences[2]
    assert [one.url for one in take_all(backend)] == [A]
    assert thread.back == [5]
    assert (backend.owns("a.example"), backend.owns("b.example")) == (True, False)


def test_refused_links_are_sent_as_counts(backend: RemoteBackend, thread: Thread) -> None:
    backend.refusals.note_all("private address", [f"{A}1", f"{A}2"])
    backend.commit()
    counts = [["private address", "a.example", 2, f"{A}1"]]
    (message,) = thread.messages
    assert (message.kind, message.head, message.seq) == (wire.REFUSED, {"counts": counts}, None)
    assert backend.refusals.counts == {"private address": 2}
    backend.commit()
    assert len(thread.messages) == 1


def test_what_was_sent_goes_and_what_came_since_stays() -> None:
    def note(age: float) -> Note:
        return Note("robots", "a", {}, None, age)

    old, new, answer = note(1.0), note(2.0), FetcherMessage(wire.PAGE, {}, b"", 4, 7)
    outgoing = _Outgoing([answer], {("robots", "a"): old}, [1])
    sent = outgoing.copy()
    outgoing.messages.append(answer._replace(seq=5))
    outgoing.notes["robots", "a"] = new
    outgoing.remove(sent)
    assert [message.seq for message in outgoing.messages] == [5]
    assert (outgoing.notes, outgoing.back) == ({("robots", "a"): new}, [])
