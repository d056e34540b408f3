"""The owner of the order and its fetchers, on a real PostgreSQL and a real file, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.errors import ExchangeLostError
from frontier.exchange import wire
from frontier.exchange.coordinator import FINISHED, OPEN, STOPPED
from frontier.exchange.feed_policy import PARTITIONS, partition_of
from frontier.exchange.owner_side import ReplacedError
from frontier.records import Canonical, Lease
from frontier.refresh.blocks import blocks_of
from frontier.refresh.policy import RefreshPolicy
from frontier.states import Change, State
from tests.support.exchanged import Exchanged, Fetcher, exchanged, record

HOSTS = [f"http://host{n}.example/" for n in range(12)]
A = "http://a.example/"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def crawl(dsn: str, tmp_path: Path) -> Iterator[Exchanged]:
    with exchanged(dsn, tmp_path / "job") as served:
        yield served


def begun(crawl: Exchanged, *urls: str) -> Fetcher:
    """One fetcher that has told its seeds, which are on offer."""
    fetcher = crawl.fetcher()
    fetcher.seed(*(urls or (A,)))
    crawl.revisit()
    return fetcher


def urls(lease: list[Lease]) -> list[str]:
    return [one.url for one in lease]


def test_two_fetchers_share_the_partitions_and_one_gets_all_once_the_other_is_gone(
    crawl: Exchanged,
) -> None:
    one, two = crawl.fetchers("one", "two")
    assert len(one.exchange.owned.fences) == len(two.exchange.owned.fences) == PARTITIONS // 2
    assert not one.exchange.owned.fences.keys() & two.exchange.owned.fences.keys()
    two.exchange.leave()
    one.beat()
    assert len(one.exchange.owned.fences) == PARTITIONS


def test_a_partition_with_work_under_way_is_handed_over_once_that_is_done(crawl: Exchanged) -> None:
    one = begun(crawl, *HOSTS)
    taken = one.take()
    assert len(taken) == len(HOSTS)
    two = crawl.fetcher("two")
    one.beat()
    two.beat()
    held = {partition_of(f"host{n}.example") for n in range(len(HOSTS))}
    assert held <= one.exchange.owned.fences.keys() | one.exchange.owned.leaving
    assert len(one.exchange.owned.fences) == max(len(held), PARTITIONS // 2)
    in_time = [one.page(lease) for lease in taken]
    assert all(in_time)


def test_nothing_is_taken_of_a_partition_that_is_not_held(crawl: Exchanged) -> None:
    one, two = crawl.fetchers("one", "two")
    one.seed(*HOSTS)
    crawl.revisit()
    for fetcher in (one, two):
        fetcher.take()
        parts = {held.part for held in fetcher.held.values()}
        assert parts
        assert parts <= fetcher.exchange.owned.fences.keys()
    assert len(one.held) + len(two.held) == len(HOSTS)


def test_what_an_expired_fetcher_held_goes_to_another_and_its_answer_is_refused(
    crawl: Exchanged,
) -> None:
    one = begun(crawl)
    (lease,) = one.take()
    crawl.expire(one)
    two = crawl.fetcher("two")
    crawl.revisit()
    (again,) = two.take()
    assert again.url == lease.url == A
    assert again.number != lease.number
    assert not one.page(lease, "http://late.example/")
    assert two.page(again, "http://b.example/")
    crawl.revisit()
    assert not crawl.knows("http://late.example/")
    assert crawl.state(A) is State.CRAWLED


def test_what_a_fetcher_takes_is_in_the_order_of_priorities(crawl: Exchanged) -> None:
    fetcher = crawl.fetcher()
    for priority, url in enumerate(HOSTS):
        fetcher.seed(url, priority_class=priority)
    crawl.revisit()
    found = [url for _ in HOSTS for url in urls(fetcher.take(1))]
    assert found == HOSTS[::-1]


def test_urls_whose_hosts_are_busy_do_not_count_as_on_offer(dsn: str, tmp_path: Path) -> None:
    with exchanged(dsn, tmp_path / "job", max_in_flight=3) as crawl:
        fetcher = crawl.fetcher()
        fetcher.seed(*(f"{A}{n}" for n in range(3)))
        crawl.revisit()
        fetcher.seed(*HOSTS[:3])
        crawl.revisit()
        assert not set(HOSTS) & set(urls(fetcher.take(16, busy=("a.example",))))
        crawl.revisit()
        assert set(urls(fetcher.take(16, busy=("a.example",)))) == set(HOSTS[:3])


def test_seeds_of_a_second_fetcher_are_not_fetched_again(crawl: Exchanged) -> None:
    one = begun(crawl)
    one.page(one.take()[0])
    two = crawl.fetcher("two")
    two.seed(A, "http://b.example/")
    crawl.revisit()
    one.beat()
    two.beat()
    assert crawl.state(A) is State.CRAWLED
    assert sorted(urls(one.take() + two.take())) == ["http://b.example/"]


def test_what_a_spider_asks_for_is_filtered_as_by_scrapy(crawl: Exchanged) -> None:
    fetcher = begun(crawl)
    fetcher.page(fetcher.take()[0])
    asked = []
    for again in (False, False, True):
        fetcher.ask(record(A, asked=True, again=again))
        crawl.revisit()
        taken = fetcher.take()
        asked.append(len(taken))
        for lease in taken:
            fetcher.page(lease)
        crawl.revisit()
    # The first one without `dont_filter` is made: start requests do not pass the filter.
    assert asked == [1, 0, 1]


def test_a_redirect_leads_to_its_target(crawl: Exchanged) -> None:
    fetcher = begun(crawl)
    fetcher.redirect(fetcher.take()[0], "http://b.example/")
    crawl.revisit()
    assert crawl.state(A) is State.REDIRECTED
    assert urls(fetcher.take()) == ["http://b.example/"]


def test_a_retry_yields_to_others_and_its_host_rests(crawl: Exchanged) -> None:
    fetcher = begun(crawl, A, *HOSTS[:2])
    crawl.coordinator.feed._clock = lambda: clock[0]
    clock = [0.0]
    taken = {one.url: one for one in fetcher.take()}
    fetcher.retry(taken[A], wait=30.0)
    fetcher.retry(taken[HOSTS[0]], hold=1)
    crawl.revisit()
    assert urls(fetcher.take()) == [HOSTS[0]]
    clock[0] = 31.0
    crawl.revisit()
    (again,) = fetcher.take()
    assert (again.url, again.attempts) == (A, 2)


def test_a_page_tells_which_address_it_names_as_its_own(crawl: Exchanged) -> None:
    fetcher = begun(crawl, A, "http://b.example/")
    for lease in fetcher.take():
        named = record(f"{lease.url}named")
        fetcher.page(lease, canonical=Canonical(named, lease.url == A))
    crawl.revisit()
    assert crawl.knows(f"{A}named")
    assert not crawl.knows("http://b.example/named")


@pytest.mark.parametrize("kind", [wire.PAGE, wire.FAILED, wire.REDIRECT, wire.RETRY])
def test_a_malformed_answer_ends_its_url_and_not_the_crawl(crawl: Exchanged, kind: str) -> None:
    fetcher = begun(crawl, A, "http://b.example/")
    bad, good = fetcher.take()
    fetcher.answer(bad, kind, b"no answer")
    fetcher.page(good, "http://c.example/")
    crawl.revisit()
    assert crawl.state(bad.url) is State.ERROR
    assert urls(fetcher.take()) == ["http://c.example/"]


@pytest.mark.parametrize("dies", [False, True], ids=["lost connection", "killed"])
def test_a_turn_that_postgres_loses_after_sqlite_has_it_counts_once(
    crawl: Exchanged, monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    fetcher = begun(crawl)
    fetcher.page(fetcher.take()[0], *HOSTS)
    fetcher.ask(record("http://said.example/", asked=True, again=True))

    def lost(*_: object) -> None:
        raise ExchangeLostError("in the middle")

    with monkeypatch.context() as patched:
        patched.setattr(type(crawl.owner), "update_feed", lost)
        with pytest.raises(ExchangeLostError):
            crawl.coordinator.turn()
    if dies:
        crawl.coordinator.backend.close()
        crawl.serve()
    else:
        crawl.coordinator.reconcile()
    crawl.revisit()
    fetcher.beat()
    taken = fetcher.take(40)
    assert sorted(urls(taken)) == sorted([*HOSTS, "http://said.example/"])
    assert crawl.coordinator.backend.driver.graph.n_pages == 1
    for lease in taken:
        fetcher.page(lease)
    crawl.revisit()
    assert fetcher.take() == []
    assert crawl.coordinator.backend.driver.graph.n_pages == 2 + len(HOSTS)


def test_what_is_leased_stays_with_its_fetcher_while_the_frontier_restarts(
    crawl: Exchanged,
) -> None:
    fetcher = begun(crawl, A, *HOSTS[:3])
    (lease,) = fetcher.take(1)
    crawl.stop()
    assert fetcher.page(lease, "http://c.example/")
    crawl.serve()
    crawl.revisit()
    fetcher.beat()
    found = urls(fetcher.take())
    assert lease.url not in found
    assert sorted([*found, lease.url]) == sorted([A, *HOSTS[:3], "http://c.example/"])


def test_an_exchange_that_was_emptied_is_filled_again(crawl: Exchanged) -> None:
    fetcher = begun(crawl, A, *HOSTS[:3])
    crawl.connection.execute("DELETE FROM frontier.feed")
    assert crawl.coordinator.reconcile() == 4
    assert sorted(urls(fetcher.take())) == sorted([A, *HOSTS[:3]])


def test_an_owner_that_was_replaced_changes_nothing_more(crawl: Exchanged) -> None:
    fetcher = begun(crawl)
    fetcher.page(fetcher.take()[0], "http://c.example/")
    crawl.owner.__class__(crawl._connect(), "another").own(
        str(crawl.rows("SELECT crawl FROM frontier.coordinator")[0][0])
    )
    with pytest.raises(ReplacedError):
        crawl.coordinator.turn()
    assert not crawl.knows("http://c.example/")


def test_it_is_finished_once_nothing_is_left_and_all_say_that_they_are_idle(
    crawl: Exchanged,
) -> None:
    one, two = crawl.fetchers("one", "two")
    one.seed(A)
    crawl.revisit()
    for fetcher in (one, two):
        for lease in fetcher.take():
            fetcher.page(lease)
    crawl.revisit()
    one.exchange.idle = True
    one.beat()
    crawl.revisit()
    assert crawl.coordinator.phase == OPEN
    two.exchange.idle = True
    two.beat()
    crawl.revisit()
    assert crawl.coordinator.phase == FINISHED
    assert not crawl.coordinator.is_over
    one.exchange.leave()
    two.exchange.leave()
    crawl.revisit()
    assert crawl.coordinator.is_over


def test_it_stops_after_the_pages_that_were_asked_for_and_offers_no_more(
    dsn: str, tmp_path: Path
) -> None:
    with exchanged(dsn, tmp_path / "job") as crawl:
        crawl.stop()
        crawl.serve(most_pages=2)
        fetcher = begun(crawl, *HOSTS)
        taken = fetcher.take()
        assert len(taken) == 2
        for lease in taken:
            fetcher.page(lease)
        crawl.revisit()
        assert crawl.coordinator.phase == STOPPED
        assert crawl.rows("SELECT FROM frontier.feed") == []


def test_a_fetcher_of_another_crawl_is_refused_and_gets_nothing(crawl: Exchanged) -> None:
    one = begun(crawl)
    other = crawl.fetcher("other", spider="another")
    verdict = other.beat()
    assert verdict is not None
    assert "the spider is 's' there and 'another' here" in verdict
    one.exchange.leave()
    assert other.take() == []


def test_a_revisit_crosses_with_its_validators_and_its_answer_is_held_against_the_page(
    dsn: str, tmp_path: Path
) -> None:
    with exchanged(dsn, tmp_path / "job", refresh=RefreshPolicy("sweep")) as crawl:
        fetcher = begun(crawl)
        (first,) = fetcher.take()
        assert (first.revisit, first.etag, first.last_modified) == (False, None, None)
        assert fetcher.read(first, blocks=blocks_of(["text"]), etag=b"e", modified=b"m")
        fetcher.exchange.idle = True
        fetcher.beat()
        crawl.revisit()
        assert crawl.coordinator.phase == OPEN
        assert fetcher.take() == []
        refresher = crawl.coordinator.backend.refresher
        assert refresher is not None
        now = refresher.findings.clock()
        # The first page of a host that was not modified is fetched in full, to see if that is true.
        for status, validators in ((304, (b"e", b"m")), (200, (None, None))):
            now += 40 * 86_400.0
            refresher.findings.clock = lambda now=now: now  # type: ignore[misc]  # instead of waiting
            crawl.revisit()
            (revisit,) = fetcher.take()
            assert (revisit.url, revisit.revisit) == (A, True)
            assert (revisit.etag, revisit.last_modified) == validators
            blocks = blocks_of(["other words"]) if status == 200 else None
            fetcher.read(revisit, status=status, blocks=blocks)
            crawl.revisit()
            (known,) = crawl.coordinator.backend.store.revisits()
            found = Change.UNCHANGED if status == 304 else Change.CHANGED
            assert (known.result, known.status, known.last) == (found, status, now)
        assert crawl.state(A) is State.CRAWLED


def test_the_statements_of_the_docs_say_who_fetches(crawl: Exchanged) -> None:
    begun(crawl)
    text = (ROOT / "docs/shared.md").read_text(encoding="utf-8")
    fetchers, inbox = text.split("```sql\n")[1].split("```")[0].strip().split("\n")
    name, _, _, verdict, _ = crawl.connection.execute(fetchers.encode()).fetchall()[0]
    assert (name, verdict) == ("one", "")
    assert crawl.connection.execute(inbox.encode()).fetchall() == [(0,)]
