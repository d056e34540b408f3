"""A crawl of which no page was fetched says why, and what to change; ours fails."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from scrapy.settings import Settings

from frontier.plugin.extensions.nothing_fetched import nothing_fetched
from frontier.plugin.failures import AddressRefusedError
from frontier.urls.addresses import AddressGuard, networks_of, parse_networks
from tests.support.scrapy_runs import Run, run_focused, run_guest
from tests.support.sites import links, serving

HEAD = "Nothing was fetched"
PASTE = "FRONTIER_ALLOW_NETWORKS = "
CLOSED = "127.0.0.1:9"
SPIDER = """
import scrapy

class S(scrapy.Spider):
    name = "s"
    start_urls = {urls!r}
"""


def pasted(run: Run) -> list[str]:
    """The setting that the log offers, read as settings.py would."""
    [line] = [one for one in run.log.splitlines() if one.startswith(PASTE)]
    return list(ast.literal_eval(line.removeprefix(PASTE)))


def test_refused_addresses_can_be_allowed_by_pasting_a_line(tmp_path: Path) -> None:
    with serving({"/": links()}) as site:
        spider = SPIDER.format(urls=[f"{site.url}/", f"{site.url}/2", "http://10.1.2.3/"])
        run = run_guest(tmp_path, spider, "FRONTIER_ALLOW_NETWORKS=192.168.7.0/24")
        assert (run.returncode, run.log.count(HEAD)) == (0, 1)
        assert "2 x AddressRefusedError: 127.0.0.1" in run.log
        assert pasted(run) == ["192.168.7.0/24", "127.0.0.0/8", "10.0.0.0/8"]
        run = run_guest(tmp_path, spider, f"FRONTIER_ALLOW_NETWORKS={','.join(pasted(run)[:2])}")
    assert (HEAD in run.log, sorted(site.paths)) == (False, ["/", "/2"])


@pytest.mark.parametrize(
    ("seed", "settings", "why"),
    [
        ("http://no-such-host.invalid/", (), "no-such-host.invalid"),
        (f"http://{CLOSED}/", (), "refused"),
        ("http://a.example/", ("HTTP",), f"http_proxy=http://u:***@{CLOSED}"),
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
        "frontier.plugin.robots.keeper:RETRIES=0",
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
        assert (text.count(HEAD), why in text, PASTE in text) == (1, True, False), text
        assert "sekrit" not in text


def test_a_page_is_enough(tmp_path: Path) -> None:
    with serving({"/": links()}) as site:
        seeds = f"seeds={site.url}/,http://{CLOSED}/"
        quick = ("-s", "RETRY_TIMES=0", "-s", "ROBOTSTXT_OBEY=0")
        run = run_focused(tmp_path, "-a", "topic=x", "-a", seeds, *quick)
    assert (run.returncode, HEAD in run.log) == (0, False)


@pytest.mark.parametrize(
    ("host", "networks"),
    [
        ("127.0.0.1", ["127.0.0.0/8"]),
        ("localhost", ["127.0.0.0/8", "::1/128"]),
        ("192.168.3.4", ["192.168.0.0/16"]),
        ("[::1]", ["::1/128"]),
        ("[::ffff:10.0.0.1]", ["10.0.0.0/8"]),
        ("[9999::1]", ["9999::1/128"]),
    ],
)
def test_the_networks_that_are_offered_allow_what_was_refused(
    host: str, networks: list[str]
) -> None:
    refused = AddressGuard().refusal(host)
    assert refused is not None
    lines = nothing_fetched([(str(AddressRefusedError(refused)), 1)], Settings())
    assert lines[-1] == f"{PASTE}{networks}"
    assert AddressGuard(parse_networks(networks)).refusal(host) is None


def test_each_network_is_offered_once() -> None:
    assert list(map(str, networks_of(["10.0.0.1", "10.9.0.1", "10.0.0.1"]))) == ["10.0.0.0/8"]
