"""Whatever is done to a store, and wherever it is reopened, it equals a few plain dicts."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from frontier.records import LinkArrays, PageRow, Sample
from frontier.states import State
from frontier.store import PLAIN, Loaded, Store, StoreReader, row_groups
from frontier.store.rows import LeaseRow
from tests.support.states import put_url, states_of

FINAL = [State.CRAWLED, State.ERROR, State.ROBOTS, State.FILTERED, State.TRAP]
PICK = st.integers(0, 1000)


def classes_of(loaded: Loaded) -> dict[int, int]:
    first = loaded.pending.next_of_each
    pairs = zip(first.ids.tolist(), first.classes.tolist(), strict=True)
    return {url_id: priority_class for url_id, priority_class in pairs if priority_class}


class StoreMachine(RuleBasedStateMachine):
    """Ids and numbers are counted up as a crawl would."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes = ExitStack()
        for name, size in ("URLS", 3), ("ANSWERS", 2):
            self.sizes.enter_context(patch.object(row_groups, name, size))
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name)
        self.store = Store.open(self.path)
        self.urls = 0
        self.pages: list[tuple[int, State, list[int] | None]] = []
        self.samples: dict[int, tuple[float, str]] = {}
        self.requests: dict[int, tuple[int, int, bytes]] = {}
        self.leases: dict[int, tuple[int | None, int, int]] = {}
        self.held: dict[int, tuple[int | None, int, int]] = {}
        self.attempts: dict[int, int] = {}
        self.next_rid = 0
        self.lease_numbers = 0

    def teardown(self) -> None:
        self.store.close()
        self.directory.cleanup()
        self.sizes.close()

    @rule(n=st.integers(1, 4))
    def find(self, n: int) -> None:
        for url_id in range(self.urls, self.urls + n):
            host = self.store.add_host(f"h{url_id % 3}")
            put_url(
                self.store,
                url_id,
                url_id * 3,
                f"u{url_id}",
                host=host,
                depth=url_id % 5,
                discovered=1.0,
            )
        self.urls += n

    @precondition(lambda self: self.urls)
    @rule(pick=PICK, body=st.binary(max_size=3), priority_class=st.integers(-9, 9))
    def ask(self, pick: int, body: bytes, priority_class: int) -> None:
        url_id = pick % self.urls
        self.store.add_request(self.next_rid, url_id, priority_class, body)
        self.requests[self.next_rid] = url_id, priority_class, body
        self.next_rid += 1

    @precondition(lambda self: self.requests)
    @rule(pick=PICK)
    def withdraw(self, pick: int) -> None:
        rid = list(self.requests)[pick % len(self.requests)]
        if rid not in [leased for leased, _, _ in (*self.leases.values(), *self.held.values())]:
            self.store.drop_request(rid)
            del self.requests[rid]

    @precondition(lambda self: len(self.leases) < self.urls)
    @rule(pick=PICK)
    def lease_next(self, pick: int) -> None:
        free = [url_id for url_id in range(self.urls) if url_id not in self.leases]
        url_id = free[pick % len(free)]
        self.leave_by_request(url_id)
        rid = next((r for r, (of, _, _) in self.requests.items() if of == url_id), None)
        if rid is None and url_id in [page[0] for page in self.pages]:
            return  # what was answered is asked for by a request of its own
        attempts = self.attempts.get(url_id, 0) + 1
        self.store.lease(
            LeaseRow(url_id, rid, self.lease_numbers, 2.0, attempts, priority=0.5, score=None)
        )
        self.leases[url_id] = rid, self.lease_numbers, attempts
        self.lease_numbers += 1

    def leave_by_request(self, url_id: int) -> None:
        """What is held of a URL that is leased again becomes a request, as in the ledger."""
        if url_id not in self.held:
            return
        rid, _, _ = self.held.pop(url_id)
        if rid is None:
            rid = self.next_rid
            self.next_rid += 1
            self.store.add_request(rid, url_id, 0, PLAIN)
            self.requests[rid] = url_id, 0, PLAIN
        self.store.hold_as_request(url_id, rid)

    @precondition(lambda self: self.held)
    @rule(pick=PICK)
    def finish(self, pick: int) -> None:
        url_id = list(self.held)[pick % len(self.held)]
        rid, number, _ = self.held.pop(url_id)
        self.store.finish(url_id, number)
        if rid is not None:
            del self.requests[rid]

    @precondition(lambda self: self.leases)
    @rule(pick=PICK)
    def retry(self, pick: int) -> None:
        url_id = list(self.leases)[pick % len(self.leases)]
        self.attempts[url_id] = self.leases.pop(url_id)[2]
        self.store.release(url_id)

    @precondition(lambda self: self.urls)
    @rule(pick=PICK, state=st.sampled_from(FINAL), held=st.booleans(), data=st.data())
    def answer(self, pick: int, state: State, held: bool, data: st.DataObject) -> None:
        candidates = list(self.leases) or list(range(self.urls))
        url_id = candidates[pick % len(candidates)]
        targets = None
        if state is State.CRAWLED:
            targets = data.draw(st.lists(st.integers(0, self.urls - 1), max_size=4))
        links = None
        if targets is not None:
            k = len(targets)
            predicted = np.full(k, 0.25, np.float32)
            matches = np.full((k, 6), len(self.pages) % 256, np.uint8)
            ids, flags = np.array(targets, np.int32), np.ones(k, np.uint8)
            links = LinkArrays(ids, predicted, flags)
            if not len(self.pages) % 3:
                links = replace(links, matches=matches, contexts=("",) * k)
        row = PageRow(url_id=url_id, state=state, fetched=3.0, links=links)
        seq = self.store.page(row, held=held)
        assert seq == len(self.pages)
        self.pages.append((url_id, state, targets))
        lease = self.leases.pop(url_id, None)
        self.attempts.pop(url_id, None)
        if lease is None:
            return
        rid = lease[0]
        if held:
            self.held[url_id] = lease
        elif rid is not None:
            del self.requests[rid]

    @precondition(lambda self: self.urls)
    @rule(pick=PICK, relevance=st.floats(0, 1), text=st.text(max_size=3))
    def sample(self, pick: int, relevance: float, text: str) -> None:
        self.store.keep_sample(Sample(pick % self.urls, relevance, text))
        self.samples[pick % self.urls] = relevance, text.encode("utf-8", "replace").decode()

    @precondition(lambda self: self.samples)
    @rule(pick=PICK)
    def drop_sample(self, pick: int) -> None:
        url_id = list(self.samples)[pick % len(self.samples)]
        self.store.drop_sample(url_id)
        del self.samples[url_id]

    @rule()
    def commit(self) -> None:
        self.store.commit()
        with StoreReader.open(self.path) as reader:
            leases = self.leases | self.held
            self.check(reader.load(), leases)
            self.check_updates(reader)
            states = self.states(leases)
            assert states_of(reader) == states
            self.check_view(reader)

    def check_view(self, reader: StoreReader) -> None:
        """Who only revisits leaves most requests out, and sees the same states and classes."""
        whole, seen = reader.load(), reader.load_to_inspect()
        assert seen.states.tolist() == whole.states.tolist()
        assert classes_of(seen) == classes_of(whole)
        assert classes_of(seen) == {
            url_id: pending[0][1] for url_id, pending in whole.requests.items() if pending[0][1]
        }

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Store.open(self.path)
        loaded = self.store.load()
        assert {lease.url_id: lease.attempts for lease in loaded.leases} == {
            url_id: attempts for url_id, (_, _, attempts) in (self.leases | self.held).items()
        }
        ended = self.leases | self.held
        self.attempts.update((url_id, lease[2]) for url_id, lease in ended.items())
        answered = [lease for lease in loaded.leases if lease.url_id in self.held]
        for lease in answered:
            if lease.rid is None:
                self.requests[loaded.requests[lease.url_id][-1][0]] = lease.url_id, 0, PLAIN
        self.next_rid = max(self.next_rid, loaded.next_rid)
        self.leases.clear()
        self.held.clear()
        self.check(loaded, {})
        self.check_updates(self.store)

    def states(self, leases: dict[int, tuple[int | None, int, int]]) -> list[State]:
        states = [State.QUEUED] * self.urls
        for url_id, state, _ in self.pages:
            states[url_id] = state
        for url_id, _, _ in self.requests.values():
            states[url_id] = State.QUEUED
        for url_id in leases:
            states[url_id] = State.LEASED
        return states

    def check(self, loaded: Loaded, leases: dict[int, tuple[int | None, int, int]]) -> None:
        assert loaded.fingerprints.tolist() == [url_id * 3 for url_id in range(self.urls)]
        assert [loaded.host_names[h] for h in loaded.hosts] == [
            f"h{url_id % 3}" for url_id in range(self.urls)
        ]
        assert loaded.states.tolist() == self.states(leases)
        pending: dict[int, list[tuple[int, int]]] = {}
        for rid, (url_id, priority_class, _) in sorted(self.requests.items()):
            pending.setdefault(url_id, []).append((rid, priority_class))
        assert loaded.requests == pending
        assert loaded.next_seq == len(self.pages)
        leased = {url_id: attempts for url_id, (_, _, attempts) in leases.items()}
        assert loaded.attempts == self.attempts | leased
        records = [(url_id, targets) for url_id, _, targets in self.pages if targets is not None]
        latest = {url_id: at for at, (url_id, _) in enumerate(records)}
        graph = [record for at, record in enumerate(records) if latest[record[0]] == at]
        pages = loaded.pages
        assert pages.ids.tolist() == [url_id for url_id, _ in graph]
        ends = zip(pages.indptr[:-1], pages.indptr[1:], strict=True)
        assert [pages.links.targets[a:b].tolist() for a, b in ends] == [t for _, t in graph]

    def check_updates(self, store: Store | StoreReader) -> None:
        records = [
            (url_id, targets, None if at % 3 else [[at % 256] * 6 for _ in targets])
            for at, (url_id, _, targets) in enumerate(self.pages)
            if targets is not None
        ]
        for first in range(len(records) + 1):
            found = [
                (
                    one.url_id,
                    one.links.targets.tolist(),
                    None if one.links.matches is None else one.links.matches.tolist(),
                )
                for one in store.updates(first, len(self.pages))
            ]
            assert found == records[first:]
        assert {one.url_id: one[1:] for one in store.samples()} == self.samples

    @invariant()
    def hands_out_what_was_put_in(self) -> None:
        assert [row.url for row in self.store.fetch_urls(range(self.urls)).values()] == [
            f"u{url_id}" for url_id in range(self.urls)
        ]
        for rid in range(self.next_rid):
            expected = self.requests[rid][2] if rid in self.requests else None
            assert self.store.request_body(rid) == expected
        assert {lease.url_id for lease in self.store.leases()} == set(self.leases)


def test_a_request_is_kept_beside_an_answer_that_is_to_be_fetched_once_more(tmp_path) -> None:
    with Store.open(tmp_path) as store:
        put_url(store, 0, 0, "u0", host=store.add_host("h0"), depth=0, discovered=1.0)
        store.lease(LeaseRow(0, None, 0, 2.0, 1, 0.5, None))
        store.add_request(0, 0, -3, b"asked for meanwhile")
        store.page(PageRow(url_id=0, state=State.CRAWLED, fetched=3.0), held=True)
    with Store.open(tmp_path) as store:
        assert store.load().requests == {0: [(0, -3), (1, 0)]}
        assert store.request_body(0) == b"asked for meanwhile"


TestStore = StoreMachine.TestCase
TestStore.settings = settings(max_examples=25, stateful_step_count=30)
