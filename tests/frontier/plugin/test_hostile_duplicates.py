"""One crawl over every case of `hostile_duplicates`, with the servers' log as witness."""

from __future__ import annotations

import pytest

from tests.support.hostile import HostileWeb, crawl, hostile
from tests.support.hostile_duplicates import CASES, SENT_ON, found


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> HostileWeb:
    folder = tmp_path_factory.mktemp("duplicates")
    with hostile(CASES) as web:
        crawl(folder, [web.url(case) for case in CASES], "CONCURRENT_REQUESTS=32")
    return web


@pytest.mark.parametrize("case", SENT_ON)
def test_a_page_that_sends_on_to_another_spelling_of_itself_is_read_there(
    crawled: HostileWeb, case: str
):
    start, target, _ = SENT_ON[case]
    assert found(crawled, case) == [start, target, "/behind"]


def test_sessions_that_are_minted_by_redirects_end(crawled: HostileWeb):
    assert 2 <= len(found(crawled, "minted")) <= 21


def test_a_host_is_one_with_credentials_and_other_spellings_of_its_port(crawled: HostileWeb):
    assert found(crawled, "own_host") == ["/a"]
