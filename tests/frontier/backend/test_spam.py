"""The default strategies on one honest web, without spam and with each attack on it.

`plugin/test_hostile_spam.py` has all attacks at once, against a server.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.spam_webs import ATTACKS, TARGET, TOPIC, SpamWeb, honest
from tests.support.written_crawl import WrittenCrawl

FARMS = ("farm_on_one_host", "farm_on_many_hosts", "stuffed_farm", "scraped_farm", "expired_domain")


def fetched(web: SpamWeb, topic: str, steps: int, **config: str) -> list[str]:
    crawl = WrittenCrawl(web.html(), topic, **config)
    crawl.seed(*web.seeds)
    found = crawl.run(steps)
    crawl.close()
    return found


def enough(web: SpamWeb, order: list[str]) -> int:
    """Pages fetched until nine tenths of the honest ones on the topic were."""
    places = sorted(order.index(url) for url in web.wanted if url in order)
    return places[int(0.9 * len(web.wanted)) - 1] + 1


def test_without_spam_a_focused_crawl_goes_from_one_page_of_the_topic_to_the_next():
    assert enough(honest(), fetched(honest(), TOPIC, 120)) <= 85


@pytest.mark.parametrize("attack", [name for name in ATTACKS if name != "bomb_in_comments"])
def test_spam_does_not_delay_honest_pages_nor_come_before_them(attack: str):
    web = ATTACKS[attack]()
    order = fetched(web, TOPIC, 120)
    needed = enough(web, order)
    assert needed <= 95
    assert TARGET not in order[:needed]
    assert sum(url in web.spam for url in order[:needed]) <= 5


def test_a_page_that_half_of_the_honest_ones_recommend_is_fetched_and_leads_to_no_more():
    web = ATTACKS["bomb_in_comments"]()
    order = fetched(web, TOPIC, 120)
    assert TARGET in order
    assert sum(url in web.spam for url in order[: enough(web, order)]) <= 5


@pytest.mark.parametrize("attack", FARMS)
def test_without_a_topic_trust_keeps_farms_behind_honest_pages(attack: str):
    web = ATTACKS[attack]()
    order = fetched(web, "", 170)
    needed = enough(web, order)
    assert TARGET not in order[:needed]
    assert sum(url in web.spam for url in order[:needed]) <= 5


def test_a_farm_that_is_marked_bad_is_never_fetched(tmp_path: Path):
    web = ATTACKS["scraped_farm"]()
    bad = tmp_path / "bad.txt"
    bad.write_text("farm.example\n")
    order = fetched(web, TOPIC, 300, distrust=str(bad))
    assert set(web.wanted) <= set(order)
    assert not [url for url in order if url in web.spam]
