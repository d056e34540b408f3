"""A ready-made crawl of which no page was fetched says why, and fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scrapy_runs import run_focused
from tests.support.sites import links, serving

HEAD = "Nothing was fetched"
CLOSED = "127.0.0.1:9"


@pytest.mark.parametrize(
    ("seed", "settings", "why"),
    [
        ("http://no-such-host.invalid/", (), "no-such-host.invalid"),
        (f"http://{CLOSED}/", (), "refused"),
        ("http://a.example/", ("HTTP",), "refused"),
        ("{site}/", (), "1 x forbidden by robots.txt"),
        ("{site}/", ("ROBOTSTXT_OBEY=0",), "1 x HTTP 500"),
    ],
)
def test_our_own_project_fails_and_says_why(
    tmp_path: Path, seed: str, settings: tuple[str, ...], why: str
) -> None:
    robots = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /")
    broken = (500, {}, b"")
    quick = (
        "RETRY_TIMES=0",
        "frontier.plugin.robots:RETRIES=0",
        "DNS_TIMEOUT=2",
        "FRONTIER_SUMMARY=1",
    )
    with serving({"/robots.txt": robots, "/": broken}) as site:
        proxy = f"http://u:sekrit@{CLOSED}" if settings == ("HTTP",) else None
        given = [part for one in (*quick, *settings) if "=" in one for part in ("-s", one)]
        seeds = f"seeds={seed.format(site=site.url)}"
        run = run_focused(tmp_path, "-a", "topic=x", "-a", seeds, *given, proxy=proxy)
    assert run.returncode == 1
    for text in (run.log, run.stdout):
        assert (text.count(HEAD), why in text) == (1, True), text
        assert "sekrit" not in text


def test_a_page_is_enough(tmp_path: Path) -> None:
    with serving({"/": links()}) as site:
        seeds = f"seeds={site.url}/,http://{CLOSED}/"
        quick = ("-s", "RETRY_TIMES=0", "-s", "ROBOTSTXT_OBEY=0")
        run = run_focused(tmp_path, "-a", "topic=x", "-a", seeds, *quick)
    assert (run.returncode, HEAD in run.log) == (0, False)
