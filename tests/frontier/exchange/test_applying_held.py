"""An answer that waited for its items with a fetcher is over for the owner of the order."""

from __future__ import annotations

from frontier.exchange.applying import complete
from frontier.records import PageRecord
from frontier.states import State


def test_an_answer_that_a_fetcher_has_held_keeps_no_lease_with_the_owner() -> None:
    record = PageRecord(url_id=7, handout=3)
    complete(record, PageRecord(url_id=7, state=State.CRAWLED, status=200, held=True))
    assert (record.state, record.status, record.handout) == (State.CRAWLED, 200, 3)
    assert not record.held
