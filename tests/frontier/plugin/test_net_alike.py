"""What a callback and an errback get is what plain Scrapy gives them, case by case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from scrapy import version_info

from tests.support.alike import CASES, alike_web
from tests.support.scrapy_runs import ADDONS, Run, run_spider

MORE = [
    *("tls", "tls_without_a_body", "http_for_tls", "proxied", "tunnelled", "tunnel_refused"),
    *("refused", "unknown_name"),
]
SETTINGS = (
    "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8",
    "RETRY_TIMES=1",
)
Outcome = tuple[dict[str, Any], list[str]]


def _outcomes(run: Run, asked: dict[str, list[str]]) -> dict[str, Outcome]:
    assert run.returncode == 0
    return {item["case"]: (item, asked.get(item["case"], [])) for item in run.items}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any]]:
    folder = tmp_path_factory.mktemp("alike")
    with alike_web(folder) as web:
        plain = run_spider(folder, web.code(), *SETTINGS, addons="ADDONS={}", concurrency=64)
        without = _outcomes(plain, web.asked())
        run = run_spider(folder, web.code(), *SETTINGS, addons=ADDONS, concurrency=64)
        yield without, _outcomes(run, web.asked())


@pytest.mark.parametrize("case", [*CASES, *MORE])
def test_a_callback_gets_what_scrapy_gives_it(both: tuple[Any, Any], case: str) -> None:
    if version_info < (2, 14) and not any(case in run for run in both):
        pytest.skip("this Scrapy ignores what an errback yields")
    (plain, asked), (ours, asked_by_us) = both[0][case], both[1][case]
    assert asked_by_us == asked
    ours, plain = dict(ours), dict(plain)
    assert plain.pop("error", ["none"])[0] in ours.pop("error", ["none"])
    for one in (plain, ours):  # what an error says may be said better
        one.pop("says", None)
    assert ours == plain
