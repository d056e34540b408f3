"""How much of the order is on offer at a time."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from frontier.exchange.feed_policy import PARTITIONS, FeedPolicy, partition_of
from frontier.exchange.owner_side import FetcherDemand
from frontier.records import Lease
from tests.support.answers import lease_of


def lease(seq: int, slot: str = "a.com") -> Lease:
    return lease_of(f"http://{slot}/{seq}", number=seq, slot=slot)


def fetchers(*places: int, blocked: int = 0) -> list[FetcherDemand]:
    return [FetcherDemand(many, blocked) for many in places]


def test_the_budget_is_half_as_many_again_as_fetchers_fetch_at_once_up_to_the_cap() -> None:
    offering = FeedPolicy(16)
    assert offering.budget(0, fetchers(4)) == 6
    assert offering.budget(0, fetchers(16, 16)) == 16
    assert offering.budget(5000, fetchers(16, 16)) == 48
    for seq in range(10):
        offering.add(lease(seq))
    assert offering.budget(0, fetchers(16)) == 6
    assert offering.budget(0, fetchers(16, blocked=4)) == 10
    assert offering.budget(0, []) < 0


def test_a_host_where_pauses_are_made_is_offered_one_url_and_else_half_more() -> None:
    offering = FeedPolicy(16)
    offering.set_host_limit(8, pauses=True)
    assert offering.room("a.com") == 1
    offering.set_host_limit(1, pauses=False)
    assert offering.room("a.com") == 2
    offering.set_host_limit(8, pauses=False)
    assert offering.room("a.com") == 12


def test_a_host_at_rest_is_offered_again_when_its_time_has_come() -> None:
    now = [0.0]
    offering = FeedPolicy(16, lambda: now[0])
    offering.rest("a.com", 5.0)
    offering.rest("b.com", 0.0)
    assert (offering.room("a.com"), offering.room("b.com")) == (0, 1)
    assert offering.slow(1.0) == ["a.com"]
    now[0] = 3.0
    assert offering.next_rest_ends == 2.0
    now[0] = 5.0
    assert offering.room("a.com") == 1
    assert offering.next_rest_ends is None


def test_a_host_is_slow_that_has_not_answered_for_some_time() -> None:
    now = [0.0]
    offering = FeedPolicy(16, lambda: now[0])
    offering.add(lease(1))
    offering.add(lease(2))
    now[0] = 2.0
    assert offering.slow(2.0) == ["a.com"]
    offering.pop(1)
    assert offering.slow(2.0) == []


def test_a_leased_is_over_once() -> None:
    offering = FeedPolicy(16)
    one = lease(1)
    offering.add(one)
    assert offering.pop(1) is one
    assert offering.pop(1) is None
    assert offering.pop(None) is None


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9))))
def test_what_is_counted_of_hosts_is_what_is_outstanding(steps: list[tuple[bool, int]]) -> None:
    offering = FeedPolicy(16)
    for out, seq in steps:
        if out and seq not in offering.outstanding:
            offering.add(lease(seq, f"{seq % 3}.com"))
        elif not out:
            offering.pop(seq)
    counted = Counter(one.slot for one in offering.outstanding.values())
    assert all(offering.room(slot) == 1 - n for slot, n in counted.items())


@given(st.text())
def test_any_slot_has_a_partition(name: str) -> None:
    assert 0 <= partition_of(name) < PARTITIONS


def test_domains_in_sequence_are_spread_over_all_partitions_each_with_all_its_hosts() -> None:
    names = [f"shop{n}.com" for n in range(1000)]
    counts = Counter(map(partition_of, names))
    assert len(counts) == PARTITIONS
    assert max(counts.values()) < 40
    assert [partition_of(f"www.{name}") for name in names] == [*map(partition_of, names)]
