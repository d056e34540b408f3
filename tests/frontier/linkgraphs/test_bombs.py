"""Recordings of bombs are read within the bounds of a crawl: memory, time, links, hosts."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from frontier.linkgraphs import warc_graph
from frontier.linkgraphs.warcgraph import Reading
from frontier.parsing.reader import ReadingLimits
from frontier.warc.payload import MOST_HEAD
from frontier.web.recorded_web import RecordedWeb
from tests.frontier.lab.lab_warcs import http, members, page, plain, record
from tests.frontier.linkgraphs.test_warcgraph import A, B, C, edges, graph_of, html

MIB = 1 << 20
PACKED = {"Content_Type": "text/html", "Content_Encoding": "gzip"}
LINKS = 3_000_000
PEAK = 500 * MIB
"""Of a process that reads a bomb and of its helper, each; the libraries have a third of it."""

CHILD = """
import resource, sys
from scrapy.cmdline import execute
code = 0
try:
    execute(["scrapy", *{arguments!r}])
except SystemExit as ending:
    code = ending.code
# Its own from /proc: what getrusage says of a process begins with what its parent had.
own = next(int(line.split()[1]) for line in open("/proc/self/status") if line[:6] == "VmHWM:")
children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("PEAK", max(own, children) * 1024, file=sys.stderr)
sys.exit(code)
"""


def link_bomb(path: Path) -> Path:
    """3 million links in 36 MB, packed to some 70 KB."""
    links = b"".join(b"<a href=%d>x" % (number % 10) for number in range(1000))
    body = b"<html>" + links * (LINKS // 1000)
    packed = gzip.compress(body, 9)
    assert len(body) > 30 * MIB
    assert len(packed) < 200_000
    return plain(path, page(A, packed, **PACKED), html(B, C))


def run_scrapy(*arguments: object) -> tuple[subprocess.CompletedProcess[str], int]:
    """`scrapy` in a process of its own, and the most memory it or a child of it had, in bytes."""
    code = CHILD.format(arguments=[str(one) for one in arguments])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False
    )
    return done, int(done.stderr.rpartition("PEAK ")[2])


def test_a_bomb_of_links_is_ranked_in_bounded_memory(tmp_path: Path) -> None:
    bomb, out = link_bomb(tmp_path / "bomb.warc"), tmp_path / "scores.tsv"
    done, peak = run_scrapy(
        "frontier", "rank", bomb, "--method", "pagerank", "--out", out, "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] >= 1
    assert f"{B}\t" in out.read_text()
    assert peak < PEAK


def test_different_links_of_a_bomb_are_cut_at_the_settings_number(tmp_path: Path) -> None:
    body = b"".join(b"<a href=/%d>" % number for number in range(200_000))
    found = graph_of(tmp_path, page(A, gzip.compress(body), **PACKED), html(B, C))
    assert len(edges(found)) <= ReadingLimits().links + 1
    assert (B, C) in edges(found)


def test_links_to_more_hosts_than_a_page_may_name_are_left_out(tmp_path: Path) -> None:
    hosts = "".join(f'<a href="http://h{number}.example/">' for number in range(40))
    reading = Reading(ReadingLimits(hosts=30))
    found = graph_of(tmp_path, page(A, hosts.encode(), Content_Type="text/html"), reading=reading)
    assert len(edges(found)) == 30


@pytest.mark.parametrize("layout", [plain, members])
def test_of_a_record_no_more_is_read_than_a_page_may_have(
    tmp_path: Path, layout: Callable[..., Path]
) -> None:
    body = b"<a href=/first>1</a>" + b" " * (3 * MIB) + b"<a href=/last>2</a>"
    path = layout(tmp_path / "x.warc.gz", page(A, body, Content_Type="text/html"), html(B, C))
    found = edges(warc_graph([path], Reading(ReadingLimits(body=MIB))))
    assert found == {(A, f"{A}first"): 1, (B, C): 1}
    web = RecordedWeb([path], MIB)
    assert len(web.read(A).body) <= MIB + MOST_HEAD
    web = RecordedWeb([path])
    assert web.read(A).body == body


def test_bodies_that_unpack_without_end_end_at_the_limit(tmp_path: Path) -> None:
    zeros = gzip.compress(b"<a href=/x>x</a>" + bytes(64 * MIB), 9)
    twice = gzip.compress(zeros, 9)
    block = http("200 OK", twice, **{**PACKED, "Content_Encoding": "gzip, gzip"})
    path = plain(tmp_path / "x.warc", record(A, block), html(B, C))
    assert (B, C) in edges(warc_graph([path], Reading(ReadingLimits(body=MIB))))
