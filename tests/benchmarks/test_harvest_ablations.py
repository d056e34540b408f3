"""The apprentice without a part: what is left out, and that it may crawl in the benchmark only."""

from __future__ import annotations

from runpy import run_module

import pytest

from benchmarks.harvest.ablations import ABLATIONS
from ranking.orders import ORDERS
from tests.ranking.small_crawl import SmallCrawl, new_crawl

LEFT_OUT = {
    "apprentice-no-links": {"topical", "lift", "trust", "authority", "in-links", "share"},
    "apprentice-no-words": {"promise", "anchor", "anchors", "context", "address"},
    "apprentice-no-yield": {"sources", "best source", "host", "folder", "zone"},
}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for order in ABLATIONS:
        monkeypatch.setitem(ORDERS, order.name, order)


def weights_of(crawl: SmallCrawl) -> dict[str, float]:
    return {weight.name: weight.value for weight in crawl.order.weights()}


def test_fixed_weights_are_never_corrected() -> None:
    crawl = new_crawl("fixed-weights")
    before = weights_of(crawl)
    crawl.run(60, every=10)
    assert weights_of(crawl) == before


@pytest.mark.parametrize("name", LEFT_OUT)
def test_an_ablation_leaves_out_its_signals_and_no_others(name: str) -> None:
    whole, part = weights_of(new_crawl("apprentice")), weights_of(new_crawl(name))
    missing = {weight.removesuffix(", rarity") for weight in set(whole) - set(part)}
    assert missing == LEFT_OUT[name]
    assert set(part) <= set(whole)


def test_processes_of_the_benchmarks_lab_know_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for order in ABLATIONS:
        monkeypatch.delitem(ORDERS, order.name)
    run_module("benchmarks.harvest.lab", run_name="__mp_main__")  # as multiprocessing does
    assert {order.name for order in ABLATIONS} <= set(ORDERS)
