"""Common Crawl's tables of ranks as prior scores: read in bounded memory, matched by host."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from frontier.errors import SettingsError
from frontier.inspection import CrawlView
from frontier.store import StoreReader
from frontier.strategy import host_ranks
from frontier.strategy.host_ranks import HostPrior
from frontier.strategy.prior_scores import read_prior, stored_prior
from ranking.errors import LinkRankError, OfflineInputError
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.told import telling

HEAD = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev"
HOSTS = ["com.facebook.www", "org.wikipedia.en", "com.example", "xn--p1ai.xn--e1afmkfd"]
"""From the best on."""


def table(hosts: Sequence[str] = HOSTS, end: str = "", head: str = HEAD) -> bytes:
    lines = [head] if head else []
    lines += [
        f"{at}\t{1e7 / at:.5E}\t{9 - at}\t0.00{at}\t{host}{end}" for at, host in enumerate(hosts, 1)
    ]
    return "\n".join([*lines, ""]).encode()


def prior_of(folder: Path, data: bytes, name: str = "ranks.txt") -> HostPrior:
    path = folder / name
    path.write_bytes(data)
    prior = read_prior(str(path), lambda url: pytest.fail(f"no URL: {url}"))
    assert isinstance(prior, HostPrior)
    return prior


def shares(prior: HostPrior, *hosts: str) -> list[float]:
    return [float(share) for share in prior.of_hosts(hosts)]


@pytest.mark.parametrize(
    "data",
    [
        table(),
        gzip.compress(table()),
        gzip.compress(table()[:60]) + gzip.compress(table()[60:]),
        table(end="\t17", head=f"{HEAD}\t#n_hosts"),
        table(head=""),
        table(head=HEAD.replace("#", "")),
        table().replace(b"\n", b"\r\n"),
        table([host.upper() for host in HOSTS], end="\t17\tnew"),
    ],
    ids=["hosts", "gz", "gz in parts", "domains", "no head", "plain head", "from Windows", "more"],
)
def test_the_best_host_has_share_1_and_the_others_fall_in_equal_steps(
    tmp_path: Path, data: bytes
) -> None:
    prior = prior_of(tmp_path, data, "ranks.txt.gz")
    found = shares(
        prior, "facebook.com", "en.wikipedia.org", "example.com", "xn--e1afmkfd.xn--p1ai"
    )
    assert found == [1, 0.75, 0.5, 0.25]


def test_a_host_is_matched_before_its_domain_and_www_does_not_count(tmp_path: Path) -> None:
    prior = prior_of(tmp_path, table(["uk.co.shop", "io.github.a", "uk.co.shop.news"]))
    assert shares(prior, "www.shop.co.uk", "deep.er.shop.co.uk") == [1, 1]
    assert shares(prior, "news.shop.co.uk", "www.news.shop.co.uk") == pytest.approx([1 / 3] * 2)
    # Of other owners: blogs at a hoster, names under a public suffix.
    assert shares(prior, "b.github.io", "other.co.uk", "co.uk", "uk", "", "[::1]") == [0] * 6


@pytest.mark.parametrize("shuffled", [False, True], ids=["sorted", "in any order"])
def test_only_the_best_of_a_long_table_are_kept_wherever_they_stand(
    tmp_path: Path, shuffled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_ranks, "MOST_HOSTS", 100)
    lines = table([f"com.h{at}" for at in range(1, 50_001)], head="").splitlines(keepends=True)
    if shuffled:
        random.Random(1).shuffle(lines)
    monkeypatch.setattr("ranking.offline.tables.BLOCK", 1 << 14)
    prior = prior_of(tmp_path, b"".join(lines))
    assert len(prior) == 100
    assert shares(prior, "h1.com", "h2.com", "h100.com", "h101.com") == pytest.approx(
        [1, 0.99, 0.01, 0]
    )


def test_a_sorted_table_is_read_no_further_than_its_best_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_ranks, "MOST_HOSTS", 100)
    monkeypatch.setattr("ranking.offline.tables.BLOCK", 1 << 14)
    data = gzip.compress(table([f"com.h{at}" for at in range(50_000)]))
    assert len(prior_of(tmp_path, data[: len(data) // 2])) == 100
    with pytest.raises(OfflineInputError, match="truncated"):
        prior_of(tmp_path, gzip.compress(table())[:-9])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0\t1\t1\t1\tcom.a", telling("from 1", "found 0", "com.a", "row 6")),
        ("1.5\t1\t1\t1\tcom.a", telling("1.5", "row 6")),
        ("-3\t1\t1\t1\tcom.a", telling("-3", "row 6")),
        ("\t1\t1\t1\tcom.a", telling("nan", "row 6")),
        ("inf\t1\t1\t1\tcom.a", telling("inf", "row 6")),
        ("1e300\t1\t1\t1\tcom.a", telling("1e+300", "row 6")),
        ("5\t1\t1\t1\thttps://a.example/", telling("https://a.example/", "row 6")),
        ("5\t1\t1\t1\tcom.a b", telling("com.a b", "row 6")),
        ("5\t1\t1\t1\t", telling("row 6", "empty")),
        ("five\t1\t1\t1\tcom.a", telling("five")),
        ("5\t1\t1\tcom.a", telling("Expected 5 columns")),
    ],
)
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(LinkRankError, match=reason):
        prior_of(tmp_path, table() + f"{line}\n".encode())


@pytest.mark.parametrize("data", [b"", f"{HEAD}\n".encode(), b"#\n"])
def test_a_table_without_rows_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SettingsError, match="found none"):
        prior_of(tmp_path, data)


def test_other_tables_of_a_web_graph_are_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=telling("row 1", "harmonicc_pos")):
        prior_of(tmp_path, b"com.a\t0\ncom.b\t1\n")
    with pytest.raises(OfflineInputError, match=telling("row 1", "com.a")):
        prior_of(tmp_path, b"0\tcom.a\n1\tcom.b\n")


SEED = "http://seed.example/"
PAGES = [f"http://{host}/" for host in ("a.net", "b.net", "x.good.org", "www.best.com", "c.net")]
WEB = {SEED: Page(dict.fromkeys(PAGES, 0.5), 0.5), PAGES[2]: Page({"http://best.com/new": 0.5}, 1)}


def crawl(directory: Path, **config: Any) -> DrivenCrawl:
    return DrivenCrawl(directory, WEB, **{"strategy": "bfs", "topic": "x", **config})


def test_a_young_crawl_follows_the_ranks_also_when_it_goes_on(tmp_path: Path) -> None:
    ranks, job = tmp_path / "ranks.txt.gz", tmp_path / "job"
    ranks.write_bytes(gzip.compress(table(["com.best.www", "org.good"])))
    begun = crawl(job, scores=str(ranks))
    begun.seed(SEED)
    begun.run(2)
    begun.close()
    # Breadth first without ranks is the order of the links.
    assert begun.fetched == [SEED, PAGES[3]]
    ranks.unlink()
    with StoreReader.open(job) as reader:
        assert isinstance(stored_prior(reader), HostPrior)
    with CrawlView.open(job) as view:
        expected = [row.url for row in view.top(3)]
    # -1, then -3 / 10^(1/2 · 5/6), then -2.
    assert expected == [PAGES[0], PAGES[2], PAGES[1]]
    resumed = crawl(job, scores=str(ranks))
    resumed.run()
    resumed.close()
    assert resumed.fetched == [PAGES[0], PAGES[2], "http://best.com/new", PAGES[1], PAGES[4]]
