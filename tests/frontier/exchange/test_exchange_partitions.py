"""Which partition hosts are in, and when their domains move."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from frontier.exchange.offering import PARTITIONS, Partitions, partition

ELSEWHERE = next(f"10.0.0.{n}" for n in range(9) if partition(f"10.0.0.{n}") != partition("a.com"))


@given(st.text())
def test_any_name_has_a_partition(name: str) -> None:
    assert 0 <= partition(name) < PARTITIONS


def test_names_in_sequence_are_spread_over_all_partitions() -> None:
    for names in ([f"shop{n}.com" for n in range(1000)], [f"10.0.{n}.7" for n in range(1000)]):
        counts = Counter(map(partition, names))
        assert len(counts) == PARTITIONS
        assert max(counts.values()) < 40


def test_all_hosts_of_a_domain_are_in_one_partition() -> None:
    partitions = Partitions()
    assert partitions.of("www.a.com") == partitions.of("b.a.com") == partition("a.com")


def test_a_domain_moves_to_its_first_address_once_nothing_of_it_is_in_flight() -> None:
    partitions = Partitions()
    partitions.found_at("a.com", ELSEWHERE)
    partitions.found_at("a.com", "10.9.9.9")
    partitions.move({"a.com"})
    assert (partitions.of("www.a.com"), partitions.has_moved("a.com")) == (
        partition("a.com"),
        False,
    )
    partitions.move(set())
    partitions.found_at("a.com", "10.9.9.9")
    partitions.move(set())
    assert partitions.of("www.a.com") == partition(ELSEWHERE)
    assert partitions.has_moved("www.a.com")
    assert not partitions.has_moved("b.com")
