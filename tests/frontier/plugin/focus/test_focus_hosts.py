"""The ready-made crawl goes to the hosts that browsers go to."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.scrapy_runs import scrapy
from tests.support.sites import links, redirect, serving

SKY = "All of this is about telescopes and planets. " * 8
SHARP, SIGMA, JOINER = "xn--fa-hia", "xn--nxasmm1c", "xn--mgba3gch31f060k"


@pytest.mark.parametrize("stay", [(), ("--stay",)])
def test_seeds_links_and_redirects_lead_to_hosts_as_of_idna_2008(
    tmp_path: Path, stay: tuple[str, ...]
) -> None:
    seed, sub = f"http://{SHARP}.example", f"http://www.{SHARP}.example"
    led = "http://www.faß.example/led".encode().decode("latin-1")
    web = {
        f"{seed}/": links("http://www.FAẞ.example/a", "/far", text=SKY),
        f"{seed}/far": links("http://βόλος.example/", "http://نامه\u200cای.example/", text=SKY),
        f"{sub}/a": links("http://www.fa%C3%9F.example/b", "/to", text=SKY),
        f"{sub}/b": links(text=SKY),
        f"{sub}/to": redirect(led),
        f"{sub}/led": links(text=SKY),
    }
    away = {f"http://{name}.example/": links(text=SKY) for name in (SIGMA, JOINER)}
    with serving({**web, **away}) as site:
        done = scrapy(
            *("focus", "http://faß.example/", "--topic", "telescopes planets", *stay),
            *("-s", "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8", "-s", "DOWNLOAD_DELAY=0"),
            *("-s", "FRONTIER_VECTORS=built-in", "-s", "AUTOTHROTTLE_ENABLED=0"),
            cwd=tmp_path,
            env={"http_proxy": site.url, "no_proxy": ""},
        )
        assert done.returncode == 0, done.stderr
        asked = {path for path in site.paths if urlsplit(path).path != "/robots.txt"}
    assert asked == set(web) | (set() if stay else set(away))
