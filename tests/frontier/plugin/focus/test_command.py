"""`scrapy focus`: the ready-made crawl without a project, and inside somebody's."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.scrapy_runs import ROOT, scrapy
from tests.support.sites import Page, Said, links, redirect, serving
from tests.support.told import tells

QUICK = ("-s", "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8", "-s", "DOWNLOAD_DELAY=0")
QUICK += ("-s", "FRONTIER_VECTORS=built-in")
TOPIC = ("--topic", "telescopes planets")
SKY = "telescopes and planets. All of this is about telescopes and planets. " * 8


def sky(*targets: str) -> str:
    return links(*targets, text=SKY, title="sky")


WEB = {"/": sky("/a", "/b"), "/a": sky("/"), "/b": sky("/c"), "/c": sky("/")}


def paths(folder: Path, name: str = "crawls/001/pages.jsonl") -> set[str]:
    lines = (folder / name).read_text().splitlines()
    return {"/" + json.loads(line)["url"].split("/", 3)[3] for line in lines}


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        ((), ("seeds",)),
        (TOPIC, ("seeds",)),
        (("http://x.example/",), ("topic",)),
        (("http://x.example/", "--topic", " \t"), ("topic",)),
        (("nothing.txt", *TOPIC), ("nothing.txt",)),
        (("ftp://x.example/", *TOPIC), ("ftp://x.example/",)),
        (("http://x.example/", "--topic", "solar", "telescopes"), ("telescopes", "--topic")),
        (("http://x.example/", *TOPIC, "--pages", "0"), ("--pages", "0")),
        (("http://x.example/", *TOPIC, "--pages", "abc"), ("--pages", "abc")),
        (("http://x.example/", *TOPIC, "--page-limit=7"), ("--page-limit=7",)),
        (("http://x.example/", *TOPIC, "-s", "nothing"), ("-s",)),
        (("http://x.example/", *TOPIC, "-a", "colour=blue"), ("colour",)),
        (("http://x.example/", *TOPIC, "--strategy", "aprentice"), ("aprentice",)),
        (("http://x.example/", *TOPIC, "--dir", "empty.txt"), ("empty.txt",)),
    ],
)
def test_what_cannot_be_crawled_is_one_line_and_exit_code_2(
    tmp_path: Path, arguments: tuple[str, ...], facts: tuple[str, ...]
) -> None:
    (tmp_path / "empty.txt").write_text("# no seeds\n")
    done = scrapy("focus", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert all(fact in done.stderr for fact in facts), done.stderr
    assert not (tmp_path / "crawls").exists()


def test_a_crawl_leaves_its_pages_log_and_store_and_its_command_goes_on(tmp_path: Path) -> None:
    with serving(WEB) as site:
        words = ["focus", f"{site.url}/", *TOPIC, *QUICK, "--pages", "3"]
        for earlier in ("", "with earlier runs"):
            done = scrapy(*words, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert "crawls/001" in done.stderr
            (fetched,) = (line for line in done.stdout.splitlines() if "pages fetched" in line)
            assert earlier in fetched
            last = done.stdout.splitlines()[-1]
            assert earlier or last.endswith("for the directory crawls/001.")
            words += ["--dir", "crawls/001"]
        assert site.paths.count("/") == 1
    folder = tmp_path / "crawls" / "001"
    assert {"crawl.log", "frontier.sqlite", "pages.jsonl"} <= {one.name for one in folder.iterdir()}
    assert paths(tmp_path) == set(WEB)


def test_seeds_from_a_pipe_and_items_where_they_are_wanted(tmp_path: Path) -> None:
    with serving(WEB) as site:
        words = shlex.join([*TOPIC, *QUICK, "--dir", "mine", "-o", "out.jsonl"])
        run = f"scrapy focus <(echo {site.url}/a) {words}"
        env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        command = ["bash", "-c", run]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert paths(tmp_path, "out.jsonl") == set(WEB)
    assert not (tmp_path / "mine" / "pages.jsonl").exists()
    assert not (tmp_path / "crawls").exists()


def test_in_a_project_its_settings_and_pipelines_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").touch()
    (tmp_path / "shop" / "settings.py").write_text(
        'ITEM_PIPELINES = {"shop.nothing.Pipeline": 1}\n'
        'DOWNLOADER_MIDDLEWARES = {"shop.nothing.Middleware": 1}\n'
        'ROBOTSTXT_OBEY = False\nJOBDIR = "theirs"\nSPIDER_MODULES = ["shop.nothing"]\n'
    )
    web = WEB | {"/robots.txt": (200, {}, b"User-agent: *\nDisallow: /c")}
    with serving(web) as site:
        done = scrapy("focus", f"{site.url}/", *TOPIC, *QUICK, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert paths(tmp_path) == {"/", "/a", "/b"}
    assert not (tmp_path / "theirs").exists()


def test_what_cannot_begin_says_why_on_the_terminal(tmp_path: Path) -> None:
    done = scrapy(
        "focus", "http://x.example/", "--topic", "the of", "--dir", str(tmp_path), cwd=ROOT
    )
    assert done.returncode == 1
    assert tells(done.stderr, "topic", "the of")
    assert "Traceback" not in done.stderr


def two_hosts() -> dict[str, Page]:
    """A site under the names of two hosts; what a proxy is asked for holds the host."""
    here, there = "http://here.example", "http://there.example"
    return {
        f"{here}/": sky(f"{here}/a", f"{there}/", f"{here}/out"),
        f"{here}/a": sky("http://HERE.example/b", f"{there}/b"),
        f"{here}/b": sky(),
        f"{here}/out": redirect(f"{there}/c"),
        f"{there}/": sky(f"{there}/a"),
        f"{there}/a": sky(f"{here}/a"),
        f"{there}/b": sky(),
        f"{there}/c": sky(),
        "http://moved.example/": redirect(f"{there}/"),
    }


def test_stay_keeps_the_crawl_on_the_domains_of_its_seeds(tmp_path: Path) -> None:
    with serving(two_hosts()) as site:
        env = {"http_proxy": site.url, "no_proxy": ""}
        words = ("focus", "http://HERE.example/", *TOPIC, *QUICK, "--stay", "--dir", "job")
        done = scrapy(*words, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
    lines = (tmp_path / "job" / "pages.jsonl").read_text().splitlines()
    crawled = {json.loads(line)["final_url"].lower() for line in lines}
    assert crawled == {f"http://here.example/{path}" for path in ("", "a", "b")}


HERE, DULL = "http://here.example", "http://dull.example"


def xml(root: str, entry: str, *urls: str) -> bytes:
    entries = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
    return f"<{root}>{entries}</{root}>".encode()


def with_sitemaps() -> dict[str, Said]:
    """Two hosts whose robots.txt name sitemaps; nothing on one of them is about the topic."""
    named = sky().replace("<head>", "<head><link rel=sitemap href=/named.xml>")
    as_xml, as_gzip = {"Content-Type": "text/xml"}, {"Content-Type": "application/gzip"}
    packed = gzip.compress(xml("urlset", "url", f"{HERE}/packed"))
    index = xml("sitemapindex", "sitemap", f"{HERE}/packed.xml.gz", f"{HERE}/forbidden.xml")
    listed = gzip.compress(f"\ufeff{HERE}/packed\r\n\r\n {HERE}/listed\r\n".encode())
    robots = f"User-agent: *\nDisallow: /forbidden\nSitemap: {HERE}/index.xml\nSitemap: /list.txt\n"
    return {
        f"{HERE}/robots.txt": (200, {"Content-Type": "text/plain"}, robots.encode()),
        f"{DULL}/robots.txt": (200, {}, f"Sitemap: {DULL}/unwanted.xml".encode()),
        f"{HERE}/": sky(f"{DULL}/", "/a"),
        f"{HERE}/a": named,
        f"{DULL}/": links(text="bread and butter " * 20),
        f"{HERE}/index.xml": (200, as_xml, index),
        f"{HERE}/packed.xml.gz": (200, as_gzip, packed),
        f"{HERE}/packed": sky(),
        f"{HERE}/list.txt": (200, as_gzip, listed),
        f"{HERE}/listed": sky(),
        f"{HERE}/named.xml": (200, as_xml, xml("urlset", "url", f"{HERE}/named")),
        f"{HERE}/named": sky(),
    }


PAGES = {f"{HERE}/", f"{HERE}/a", f"{DULL}/"}
SITEMAPS = {f"{HERE}/{name}" for name in ("index.xml", "packed.xml.gz", "named.xml", "list.txt")}
IN_SITEMAPS = {f"{HERE}/packed", f"{HERE}/named", f"{HERE}/listed"}


@pytest.mark.parametrize(
    ("refresh", "asked", "items"),
    [
        ("off", PAGES, PAGES),
        ("auto", PAGES | SITEMAPS | IN_SITEMAPS, PAGES | IN_SITEMAPS),
    ],
)
def test_sitemaps_of_hosts_with_a_page_about_the_topic_are_asked_for_to_look_at_pages_again(
    tmp_path: Path, refresh: str, asked: set[str], items: set[str]
) -> None:
    with serving(with_sitemaps()) as site:
        env = {"http_proxy": site.url, "no_proxy": ""}
        words = ("focus", f"{HERE}/", *TOPIC, *QUICK, "-s", f"FRONTIER_REFRESH={refresh}")
        done = scrapy(*words, "--pages", str(len(asked)), "--dir", "job", cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
        assert sorted(url for url in site.paths if "robots" not in url) == sorted(asked)
    lines = (tmp_path / "job" / "pages.jsonl").read_text().splitlines()
    assert {json.loads(line)["url"] for line in lines} == items
