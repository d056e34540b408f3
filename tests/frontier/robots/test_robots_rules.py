"""What a robots.txt says: RFC 9309 clause by clause, Google's expectations."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.robots import RobotsRules
from frontier.robots.parser import LIMIT, product_token
from tests.support.robots_spec import expectations

ROOT = Path(__file__).resolve().parents[3]
SITE = "http://h.example"


def allows(body: str | bytes, path: str, token: str = "probe") -> bool:
    content = body.encode() if isinstance(body, str) else body
    return RobotsRules.parse(content, token).allows(SITE + path)


def test_every_expectation_of_google_is_met(shared: Path) -> None:
    missed = [
        one
        for one in expectations(shared / "suites" / "robots-spec")
        if RobotsRules.parse(one.body, one.agent).allows(one.url) != one.allowed
    ]
    assert not missed


def test_all_expectations_of_google_are_read(shared: Path) -> None:
    folder = shared / "suites" / "robots-spec"
    written = sum(text.read_text().count("expected_outcome:") for text in folder.iterdir())
    assert len(list(expectations(folder))) == written > 100


@pytest.mark.parametrize(
    ("body", "path", "allowed"),
    [
        # 2.2.1: groups
        ("User-agent: probe\nDisallow: /x", "/x", False),
        ("User-agent: PROBE\nDisallow: /x", "/x", False),
        ("User-agent: probe/2.0\nDisallow: /x", "/x", False),
        ("User-agent: probe 2.0\nDisallow: /x", "/x", False),
        ("User-agent: probe-news\nDisallow: /x", "/x", True),
        ("User-agent: probe_news\nDisallow: /x", "/x", True),
        ("User-agent: pro\nDisallow: /x", "/x", True),
        ("User-agent: myprobe\nDisallow: /x", "/x", True),
        ("User-agent: probe2\nDisallow: /x", "/x", True),
        ("User-agent: Mozilla/5.0 (compatible; probe)\nDisallow: /x", "/x", True),
        ("User-agent: *\nDisallow: /x", "/x", False),
        ("User-agent: * probe\nDisallow: /x", "/x", False),
        ("User-agent: *probe\nDisallow: /x", "/x", True),
        ("User-agent:\nDisallow: /x", "/x", True),
        ("User-agent: *\nDisallow: /x\nUser-agent: probe\nDisallow: /y", "/x", True),
        ("User-agent: *\nDisallow: /x\nUser-agent: probe\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: probe", "/x", True),
        ("User-agent: probe\nDisallow: /x\nUser-agent: PROBE\nDisallow: /y", "/x", False),
        ("User-agent: probe\nDisallow: /x\nUser-agent: PROBE\nDisallow: /y", "/y", False),
        ("User-agent: a\nUser-agent: probe\nUser-agent: b\nDisallow: /x", "/x", False),
        ("User-agent: probe\n\n\nDisallow: /x", "/x", False),
        ("User-agent: probe\nSitemap: /s\nUser-agent: b\nDisallow: /x", "/x", False),
        ("User-agent: probe\nCrawl-delay: 1\nUser-agent: b\nDisallow: /x", "/x", False),
        ("User-agent: probe\nNonsense: 1\nUser-agent: b\nDisallow: /x", "/x", False),
        ("User-agent: probe\nDisallow: /a\nSitemap: /s\nDisallow: /x", "/x", False),
        ("User-agent: b\nDisallow: /a\nUser-agent: probe\nDisallow: /x", "/a", True),
        ("Disallow: /x\nUser-agent: *\nDisallow: /y", "/x", True),
        # 2.2.2: the longest match, allow where two are as long
        ("User-agent: *\nAllow: /x/y\nDisallow: /x", "/x/y", True),
        ("User-agent: *\nDisallow: /x/y\nAllow: /x", "/x/y", False),
        ("User-agent: *\nDisallow: /x\nAllow: /x", "/x", True),
        ("User-agent: *\nAllow: /x\nDisallow: /x", "/x", True),
        ("User-agent: *\nDisallow: /*x\nAllow: /ab", "/abx", True),
        ("User-agent: *\nDisallow: /*?\nAllow: /shop", "/shop?a=b", True),
        ("User-agent: *\nDisallow: /X", "/x", True),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nDisallow: /robots.txt", "/robots.txt", True),
        ("User-agent: *\nDisallow: /", "/robots.txt.bak", False),
        ("User-agent: *\nDisallow: /", "", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: x", "/x", True),
        ("User-agent: *\nDisallow: /x", "/?/x", True),
        ("User-agent: *\nDisallow: /?", "?a", False),
        ("User-agent: *\nDisallow: /x", "/a#/x", True),
        # 2.2.2: percent-encoding
        ("User-agent: *\nDisallow: /caf\u00e9", "/caf%C3%A9", False),
        ("User-agent: *\nDisallow: /caf%c3%a9", "/caf%C3%A9", False),
        ("User-agent: *\nDisallow: /caf%C3%A9", "/caf%c3%a9", False),
        ("User-agent: *\nDisallow: /%7Ejoe", "/~joe", False),
        ("User-agent: *\nDisallow: /~joe", "/%7ejoe", False),
        ("User-agent: *\nDisallow: /%61dmin", "/admin", False),
        ("User-agent: *\nDisallow: /admin", "/%61dmin", False),
        ("User-agent: *\nDisallow: /\nAllow: /%61dmin", "/admin", False),
        ("User-agent: *\nDisallow: /\nAllow: /%61dmin", "/%61dmin", True),
        ("User-agent: *\nDisallow: /a%2Fb", "/a/b", True),
        ("User-agent: *\nDisallow: /a%2fb", "/a%2Fb", False),
        ("User-agent: *\nDisallow: /a%3Fb", "/a?b", True),
        ("User-agent: *\nDisallow: /a%", "/a%", False),
        ("User-agent: *\nDisallow: /a%zz", "/a%zzb", False),
        ("User-agent: *\nDisallow: /a b", "/a%20b", False),
        # 2.2.3: * and $
        ("User-agent: *\nDisallow: /*.php$", "/a.php", False),
        ("User-agent: *\nDisallow: /*.php$", "/a.php?b", True),
        ("User-agent: *\nDisallow: /a*b*c", "/aXbXc", False),
        ("User-agent: *\nDisallow: /a*b*c", "/acb", True),
        ("User-agent: *\nDisallow: *x", "/a/x", False),
        ("User-agent: *\nDisallow: /a**b", "/ab", False),
        ("User-agent: *\nDisallow: /*", "/", False),
        ("User-agent: *\nDisallow: /a*$", "/abc", False),
        ("User-agent: *\nDisallow: /*ab$", "/abab", False),
        ("User-agent: *\nDisallow: /a*ba$", "/aba", False),
        ("User-agent: *\nDisallow: /ab*ba$", "/aba", True),
        ("User-agent: *\nDisallow: /$", "/", False),
        ("User-agent: *\nDisallow: /$", "/x", True),
        ("User-agent: *\nDisallow: $", "/", True),
        ("User-agent: *\nDisallow: /a$b", "/a$b", False),
        ("User-agent: *\nDisallow: /a$", "/a$", True),
        ("User-agent: *\nDisallow: /a$$", "/a$", False),
        ("User-agent: *\nDisallow: /%2A", "/x", True),
        ("User-agent: *\nDisallow: /%2A", "/*", False),
        ("User-agent: *\nDisallow: /a%2ab", "/a%2Ab", False),
        ("User-agent: *\nDisallow: /a%24", "/a$", False),
        ("User-agent: *\nDisallow: /a%24$", "/a$b", True),
        # 2.2: lines
        ("\ufeffUser-agent: *\nDisallow: /x", "/x", False),
        ("User-agent: *\rDisallow: /x", "/x", False),
        ("User-agent: *\r\nDisallow: /x\r\n", "/x", False),
        ("User-agent: *\u2028Disallow: /x", "/x", True),
        ("  User-agent : *  \n\tDisallow\t:\t/x\t", "/x", False),
        ("User-agent: * # all\nDisallow: /x # this", "/x", False),
        ("User-agent: *\n#Disallow: /x", "/x", True),
        ("User-agent: *\nDisallow: #/x", "/x", True),
        ("User-agent *\nDisallow /x", "/x", False),
        ("User-agent *\nDisallow /x /y", "/x", True),
        ("USERAGENT: *\nDISSALLOW: /x", "/x", False),
        ("user agent: *\ndisalow: /x", "/x", False),
        ("User-agent: *\nDis\0allow: /x\0", "/x", False),
        ("<html>\nUser-agent: *\nDisallow: /x\n</html>", "/x", False),
        ("", "/x", True),
        ("\0\0\0", "/x", True),
    ],
)  # fmt: skip
def test_a_file_says(body: str, path: str, allowed: bool) -> None:
    assert allows(body, path) is allowed


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
def test_a_file_in_another_encoding_is_read(encoding: str) -> None:
    body = "User-agent: *\nDisallow: /x".encode(encoding)
    if encoding == "utf-16-be":
        body = b"\xfe\xff" + body
    assert not allows(body, "/x")
    assert allows(body, "/y")


def test_what_is_no_utf8_forbids_the_same_bytes() -> None:
    body = b"User-agent: *\nDisallow: /caf\xe9"
    assert not allows(body, "/caf%E9")
    assert allows(body, "/caf%C3%A9")


def test_at_most_500_kib_are_read_and_the_cut_falls_between_lines() -> None:
    head = b"User-agent: *\nDisallow: /x\n"
    filler = b"#" * (LIMIT - len(head) - 20) + b"\n"
    assert not allows(head + filler + b"Disallow: /y\n" + b"Disallow: /z" * 9, "/y")
    assert allows(head + filler + b"#" * 30 + b"\nDisallow: /y\n", "/y")
    # Of "Allow: /secret/pictures" only "Allow: /secret" would be left.
    cut = b"Disallow: /secret\n" + filler + b"Allow: /secret/pictures"
    assert not allows(head + cut, "/secret/letters")


def test_a_line_too_long_forbids_what_is_left_of_it_and_allows_nothing() -> None:
    long = "/a*" + "*" * 20_000
    assert not allows(f"User-agent: *\nDisallow: {long}b", "/a")
    assert not allows(f"User-agent: *\nDisallow: /\nAllow: {long}b", "/a")


def test_sitemaps_are_those_of_the_whole_file() -> None:
    named = (
        *("https://b.example/s.xml#part", "/relative.xml", "http://a.example/s.xml", "ftp://x/s"),
        *("http://", "", "http://[", "HTTP://a.example/\xe9 s", "http://a.example/s.xml"),
    )
    lines = "\n".join(f"SiteMap: {one}" for one in named)
    body = f"User-agent: probe\n{lines}\nDisallow: /x\nUser-agent: b\nsitemap http://a.example/"
    for token in ("probe", "other"):
        rules = RobotsRules.parse(body.encode("latin-1"), token)
        assert rules.sitemaps == (
            *("https://b.example/s.xml", "/relative.xml", "http://a.example/s.xml"),
            *("HTTP://a.example/%E9%20s", "//a.example/"),
        )
        assert rules.allows("/x") is (token == "other")
    many = "".join(f"Sitemap: http://a.example/{number}\n" for number in range(1000))
    assert len(RobotsRules.parse(many.encode(), "probe").sitemaps) == 20
    assert RobotsRules.parse(b"Disallow: /", "probe").sitemaps == ()


def test_the_delay_is_that_of_the_group_and_garbage_is_none() -> None:
    def delay(body: str) -> float | None:
        return RobotsRules.parse(body.encode(), "probe").crawl_delay

    assert delay("User-agent: *\nCrawl-delay: 2.5") == 2.5
    assert delay("User-agent: *\nCrawl-delay: 9\nUser-agent: probe\nDisallow: /x") is None
    assert delay("User-agent: probe\nCrawl-delay: 1\nCrawl-delay: 3\nCrawl-delay: 2") == 3
    for garbage in ("soon", "-1", "nan", "inf", "1e999", "", "1,5", "0x10"):
        assert delay(f"User-agent: *\nCrawl-delay: {garbage}") is None
    assert delay("Crawl-delay: 3\nUser-agent: *\nDisallow: /x") is None
    two = "User-agent: {}\nCrawl-delay: 2\n\nUser-agent: {}\nCrawl-delay: 9\nDisallow: /x"
    assert delay(two.format("probe", "*")) == 2
    assert delay(two.format("*", "probe")) == 9
    assert delay(two.format("other", "*")) == 9


@given(st.binary(max_size=400), st.text(max_size=40), st.text(max_size=60))
def test_nothing_makes_it_raise(body: bytes, token: str, url: str) -> None:
    rules = RobotsRules.parse(b"User-agent: *\nDisallow: /*a*b$\n" + body, token)
    assert rules.allows(url) in {True, False}
    assert RobotsRules.parse(body.decode("latin-1").encode("utf-16"), token).allows(SITE + url) in {
        0,
        1,
    }


BOMBS = {
    "wildcards": b"Disallow: /" + b"*a" * 8000 + b"*b\n",
    "many wildcards": b"".join(b"Disallow: /" + b"*a" * 400 + b"*b%d\n" % n for n in range(300)),
    "short wildcards": b"".join(b"allow:*%x*a\n" % n for n in range(50_000)),
    "100,000 rules": b"".join(b"Disallow: /x%d\n" % n for n in range(100_000)),
    "one line": b"Disallow: /" + b"a" * LIMIT,
    "agents": b"".join(b"User-agent: a%d\n" % n for n in range(40_000)) + b"Disallow: /a",
    "escapes": b"".join(b"Disallow: /%%61%%C3%%A4%d\n" % n for n in range(30_000)),
    "lengths": b"".join(b"Disallow: /" + b"a" * n + b"b\n" for n in range(1000)),
    "line ends": b"\r\n" * LIMIT,
    "nulls": b"\0" * LIMIT,
    "spaces": (b" " * 100 + b"a b c\n") * 5000,
    "colons": b":" * LIMIT,
    "sitemaps": b"Sitemap: http://a.example/\n" * 30_000,
}

_BOUNDED = """
import resource, sys, tarfile
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
sys.path.insert(0, {root!r})
from frontier.robots import RobotsRules
def read(body):
    rules = RobotsRules.parse(body, "probe")
    return [rules.allows("http://h.example/" + path) for path in ("", "a" * 2000 + "%41" * 50)]
"""


def bounded(code: str) -> str:
    """Run code where the system kills what takes 30 s of work or 1 GiB; all takes 5 s here."""
    code = _BOUNDED.format(root=str(ROOT)) + code
    done = subprocess.run(
        [sys.executable, "-"], input=code.encode(), capture_output=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-500:]
    return done.stdout.decode()


@pytest.mark.slow
def test_no_file_costs_more_than_a_bounded_time_and_memory() -> None:
    code = (
        f"for body in {list(BOMBS.values())!r}:\n    print(len(read(b'User-agent: *\\n' + body)))"
    )
    assert bounded(code) == "2\n" * len(BOMBS)


def test_every_real_file_is_read_in_a_bounded_time_and_memory(shared: Path) -> None:
    files = shared / "suites" / "robots-files" / "robots-files.tar.xz"
    code = f"""
archive = tarfile.open({str(files)!r})
print(sum(len(read(archive.extractfile(one).read())) for one in archive if one.isfile()))
"""
    assert bounded(code) == "4164\n"


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("probe/1.0 (+https://probe.example)", "probe"),
        ("Probe", "probe"),
        ("scrapy-linkrank/0.1 (focused crawler; set USER_AGENT to say whose)", "scrapy-linkrank"),
        ("my_bot 2", "my_bot"),
        ("probe2/1.0", "probe2"),
        ("  probe/1", "probe"),
        ("Mozilla/5.0 (compatible; Probe/1.0; +https://probe.example)", "probe"),
        ("Mozilla/5.0 (X11; Linux x86_64)", "mozilla"),
        ("(no product)", ""),
        ("", ""),
    ],
)
def test_the_name_before_the_first_slash_or_space(user_agent: str, token: str):
    assert product_token(user_agent) == token
