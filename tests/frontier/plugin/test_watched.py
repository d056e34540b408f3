"""What who watches sees of real crawls of Scrapy: why they end, and hosts that are given up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from frontier.watch.picture import Pictures
from frontier.web.serving import WebAnswer, WebServer
from tests.support.scrapy_runs import HOUSE, WANDERER, run_spider
from tests.support.sites import links

HTML = [("Content-Type", "text/html")]


class Web:
    """One host that links to one that answers nothing but 503."""

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        if url.startswith("http://dead.test/"):
            return WebAnswer(503, HTML, b"no")
        dead = [f"http://dead.test/{number}" for number in range(4)]
        return WebAnswer(200, HTML, links(*dead, "/one", "/two", text=url).encode())


def test_the_end_of_a_crawl_and_the_hosts_it_gave_up_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = tmp_path / "job"
    settings = (*HOUSE, f"JOBDIR={job}", "FRONTIER_DEAD_AFTER=1", "FRONTIER_BACKOFF=0.1")
    with WebServer(Web()) as server:
        monkeypatch.setenv("http_proxy", server.url)
        run = run_spider(tmp_path, WANDERER.format(url="http://good.test/"), *settings)
    assert run.returncode == 0, run.log
    with Pictures(job) as pictures:
        found = pictures.picture()
    assert (found["running"], found["finish_reason"]) == (False, "finished")
    assert found["finish_text"]
    assert found["numbers"]["pages"] == run.stats["frontier/pages"] == 3
    assert found["numbers"]["failed"] == run.stats["frontier/errors"] == 4
    assert found["numbers"]["known"] == run.stats["frontier/known"] == 7
    (dead,) = (one for one in found["hosts"] if one["host"] == "dead.test")
    assert dead["state"] == "dead"
    assert "HTTP 503" in dead["note"]
    (good,) = (one for one in found["hosts"] if one["host"] == "good.test")
    assert (good["state"], good["note"], good["pages"]) == ("ok", None, 3)
    assert sum(one["count"] for one in found["errors"]) == 4
