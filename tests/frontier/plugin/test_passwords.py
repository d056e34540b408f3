"""A password in a URL, a setting or a header is in nothing that a crawl writes or prints."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.support.scrapy_runs import run_focused, run_spider
from tests.support.sites import Asked, Site, links, serving

SECRET = "sekrit"
SPIDER = """
import scrapy

class S(scrapy.Spider):
    name = "s"
    start_urls = [{root!r} + "/0"]

    def parse(self, response):
        yield {{"url": response.url}}
        yield from response.follow_all(css="a")
"""


def written(folder: Path) -> bytes:
    """All that lies in a folder, but for the spider."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".py"]
    return b"".join(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for path in files
    )


def with_login(site: Site) -> str:
    return site.url.replace("://", f"://user:{SECRET}@")


def test_a_login_in_urls_is_left_out(tmp_path: Path) -> None:
    pages: dict[str, object] = {"/2": links(text="two"), "/3": links(text="three")}
    with serving(pages) as site:
        root = with_login(site)
        pages["/0"] = f'<a href="/1">one</a> <a href="{root}/3">three</a>'
        pages["/1"] = (302, {"Location": f"{root}/2"}, b"")
        run = run_spider(
            tmp_path,
            SPIDER.format(root=root),
            f"JOBDIR={tmp_path / 'job'}",
            f"WARC_FILE={tmp_path / 'pages.warc.gz'}",
            "FRONTIER_SUMMARY=1",
            "LOG_LEVEL=INFO",
        )
    assert sorted(site.paths) == ["/0", "/1", "/2", "/3"]
    assert sorted(item["url"] for item in run.items) == [f"{site.url}/{at}" for at in (0, 2, 3)]
    assert run.log.count("http_user") == 1
    assert SECRET not in run.log + run.stdout
    # What servers say is recorded as it came.
    served = f'href="{root}/3"'.encode(), f"Location: {root}/2".encode()
    left = written(tmp_path)
    assert [left.count(one) for one in served] == [1, 1]
    assert left.count(SECRET.encode()) == 2


def test_a_spider_that_logs_in_records_no_password(tmp_path: Path) -> None:
    asked: list[str | None] = []

    def page(request: Asked) -> tuple[int, dict[str, str], bytes]:
        asked.append(request.headers.get("authorization"))
        return 200, {"Content-Type": "text/html"}, b"<p>in"

    with serving({"/0": page}) as site:
        login = f'    http_user, http_pass, http_auth_domain = "u", {SECRET!r}, None\n'
        code = SPIDER.format(root=site.url).replace('    name = "s"\n', f'    name = "s"\n{login}')
        run_spider(
            tmp_path, code, f"WARC_FILE={tmp_path / 'pages.warc.gz'}", f"JOBDIR={tmp_path}/j"
        )
    assert asked == ["Basic dTpzZWtyaXQ="]
    assert b"dTpzZWtyaXQ=" not in written(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        ("-a", "topic=pages", "-a", "seeds=http://user:sekrit@127.0.0.1:9/"),
        ("-a", "topic=?!", "-a", "seeds=http://a.example/"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    run = run_focused(tmp_path, *arguments)
    assert run.returncode == 1
    assert run.log.count(" CRITICAL: ") == 1
    assert "Traceback" not in run.log
    assert SECRET not in run.log
    assert ("password" if SECRET in arguments[-1] else "topic") in run.log.rpartition(
        " CRITICAL: "
    )[2]
