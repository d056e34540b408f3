"""What Prometheus is told: names, types and labels, over a real socket while a crawl runs."""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from scrapy.settings import default_settings

from frontier.inspection.prometheus import MOST_KINDS, MetricsServer, as_text, families
from tests.support.driven_crawl import small_crawl
from tests.support.scrapy_runs import ADDONS, ROOT, WANDERER, Run, run_spider, scrapy
from tests.support.sites import Asked, Said, links, serving
from tests.support.stats_page import PAGE
from tests.support.told import tells

without_reactor = pytest.mark.skipif(
    not hasattr(default_settings, "TWISTED_REACTOR_ENABLED"), reason="this Scrapy needs a reactor"
)
HANDLER = "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"
AIOHTTP = f'DOWNLOAD_HANDLERS={{"http": "{HANDLER}"}}'
REACTORS = (
    ("TWISTED_REACTOR=twisted.internet.asyncioreactor.AsyncioSelectorReactor",),
    ("TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor",),
    pytest.param(("TWISTED_REACTOR_ENABLED=0", AIOHTTP), marks=without_reactor),
)


def parsed(text: str) -> dict[str, Metric]:
    return {one.name: one for one in text_string_to_metric_families(text)}


def told(**stats: object) -> dict[str, Metric]:
    return parsed("\n".join((*as_text({k.replace("__", "/"): v for k, v in stats.items()}), "")))


def asked_for(port: int, host: str | None = None, path: str = "/metrics") -> tuple[int, str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.putrequest("GET", path, skip_host=True)
        if host is not None:
            connection.putheader("Host", host)
        connection.endheaders()
        answer = connection.getresponse()
        kind = answer.getheader("Content-Type") or ""
        return answer.status, kind, answer.read().decode()
    finally:
        connection.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def test_names_are_those_of_the_stats_and_types_what_is_known_of_them() -> None:
    found = told(
        frontier__pages=12,
        frontier__recent_share=0.25,
        frontier__leases=14,
        frontier__rerank__seconds=0.5,
        downloader__request_bytes=4096,
        response_received_count=13,
        elapsed_time_seconds=1.5,
        memusage__max=123,
        finish_reason="finished",
        start_time=datetime(2026, 11, 27),
        mine__on=True,
    )
    assert {name: one.type for name, one in found.items()} == {
        "frontier_pages": "gauge",
        "frontier_recent_share": "gauge",
        "frontier_leases": "counter",
        "frontier_rerank_seconds": "counter",
        "scrapy_downloader_request_bytes": "counter",
        "scrapy_response_received_count": "counter",
        "scrapy_elapsed_time_seconds": "unknown",
        "scrapy_memusage_max": "unknown",
    }
    (sample,) = found["frontier_leases"].samples
    assert (sample.name, sample.value, sample.labels) == ("frontier_leases_total", 14.0, {})
    assert found["frontier_pages"].documentation == "Stat frontier/pages"


def test_kinds_are_labels() -> None:
    stats = {
        "downloader/response_status_count/200": 7,
        "downloader/response_status_count/404": 2,
        'retry/reason_count/5 "x"\\\n\u202e': 1,
        "frontier/refused/too_far": 3,
    }
    found = parsed("\n".join((*as_text(stats), "")))
    samples = {
        (one.name, one.labels["of"]): one.value for each in found.values() for one in each.samples
    }
    assert samples == {
        ("scrapy_downloader_response_status_count_total", "200"): 7,
        ("scrapy_downloader_response_status_count_total", "404"): 2,
        ("scrapy_retry_reason_count_total", '5 "x"\\??'): 1,
        ("frontier_refused_total", "too_far"): 3,
    }


def test_there_are_only_so_many_kinds() -> None:
    many = {f"a_count/{n}": n for n in range(1, 201)}
    (metric,) = families(many)
    assert len(metric.samples) == MOST_KINDS + 1
    values = {sample.labels["of"]: sample.value for sample in metric.samples}
    assert values["200"] == 200
    assert sum(values.values()) == sum(many.values())
    assert values["others"] == sum(range(1, 151))


def test_stats_that_would_have_one_name_are_told_once() -> None:
    assert told(**{"a.b": 1, "a__b": 2, "a b": 3}).keys() == {"scrapy_a_b"}


def test_what_only_grows_in_a_run_is_a_counter_as_the_documentation_divides_them() -> None:
    page = PAGE.read_text(encoding="utf-8")
    whole, run = (
        set(re.findall(r"^\| `(frontier/[^`]+)` \|", part, re.MULTILINE))
        for part in page.split("## Of the whole crawl")[1].split("## Of this run")
    )
    now = {"politeness/slowed", "politeness/dead", "rerank/iterations", "rerank/pushed"}
    now |= {"rerank/residual", "deaths/given_up", "texts/bytes"}
    types = {stat: next(iter(families({stat: 1}))).type for stat in whole | run}
    counters = {stat for stat, kind in types.items() if kind == "counter"}
    assert set(types.values()) == {"counter", "gauge"}
    assert counters == run - {f"frontier/{name}" for name in now}


@contextmanager
def metrics() -> Iterator[int]:
    server = MetricsServer(0)
    server.show({"frontier/pages": 1})
    try:
        yield int(server.url.split(":")[2].partition("/")[0])
    finally:
        server.close()


@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost", "LOCALHOST:80", "[::1]:7"])
def test_who_asks_for_this_machine_is_told(host: str) -> None:
    with metrics() as port:
        status, kind, text = asked_for(port, host)
    assert (status, kind.partition(";")[0]) == (200, "text/plain")
    assert parsed(text)["frontier_pages"].samples[0].value == 1
    assert parsed(text)["process_resident_memory_bytes"].samples[0].value > 1e6


@pytest.mark.parametrize(
    "host", [None, "", "rebound.example", "127.0.0.1.rebound.example:80", "[", "localhost.example"]
)
def test_a_name_that_was_made_to_lead_here_is_refused(host: str | None) -> None:
    with metrics() as port:
        status, _, text = asked_for(port, host)
    assert status in {400, 403}
    assert "frontier_" not in text


def test_there_is_nothing_else_and_nothing_after_the_end() -> None:
    with metrics() as port:
        assert asked_for(port, "localhost", "/")[0] == 404
        with socket.create_connection(("127.0.0.1", port)):
            pass
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port)).close()


def crawled(folder: Path, port: int, *settings: str) -> tuple[Run, str]:
    """A crawl, and what it showed when its last page was asked for, a second after the others."""
    seen: list[str] = []

    def page(asked: Asked) -> Said:
        if asked.path != "/last":
            return links({"/": "/a", "/a": "/b", "/b": "/last"}[asked.path], text=asked.path)
        for _ in range(100):
            text = asked_for(port, f"127.0.0.1:{port}")[2]
            if parsed(text)["frontier_pages"].samples[0].value == 3:
                seen.append(text)
                break
            time.sleep(0.05)
        return links(text="the last one")

    with serving(page) as site:
        code = WANDERER.format(url=f"{site.url}/")
        given = f"FRONTIER_METRICS_PORT={port}", "FRONTIER_TOPIC=x", *settings
        run = run_spider(folder, code, *given)
    assert run.returncode == 0, run.log
    return run, "".join(seen)


@pytest.mark.parametrize("reactor", REACTORS)
def test_a_crawl_shows_its_stats_while_it_runs(tmp_path: Path, reactor: tuple[str, ...]) -> None:
    port = free_port()
    run, text = crawled(tmp_path, port, *reactor)
    assert f"Metrics at http://127.0.0.1:{port}/metrics" in run.log
    found = parsed(text)
    assert found["frontier_pages"].samples[0].value == 3
    assert found["frontier_leased"].samples[0].value == 1, "the page that waits"
    assert found["frontier_politeness_dead"].samples[0].value == 0, "a number, not left out"
    assert found["scrapy_downloader_request_count"].samples[0].value >= 3
    with pytest.raises(ConnectionRefusedError):
        asked_for(port)


def test_a_port_that_is_taken_is_an_error_and_the_crawl_goes_on(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, serving({"/": links()}) as site:
        port = taken.getsockname()[1]
        code = WANDERER.format(url=f"{site.url}/")
        run = run_spider(tmp_path, code, f"FRONTIER_METRICS_PORT={port}")
    assert run.stats["finish_reason"] == "finished"
    assert tells(run.log, f"ERROR: No metrics: port {port} of 127.0.0.1", "FRONTIER_METRICS_PORT")
    assert "Traceback" not in run.log


def test_without_the_package_the_crawl_does_not_start_and_says_what_to_install(
    tmp_path: Path,
) -> None:
    (tmp_path / "prometheus_client.py").write_text("raise ImportError('not here')")
    code = WANDERER.format(url="http://127.0.0.1:9/")
    (tmp_path / "spider_file.py").write_text(code)
    settings = ADDONS, "FRONTIER_METRICS_PORT=0"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "scrapy", "runspider", "spider_file.py"),
            *(part for one in settings for part in ("-s", one)),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1
    assert "does not start: What Prometheus is to read (FRONTIER_METRICS_PORT, --pr" in done.stderr
    assert 'pip install "scrapy-linkrank[metrics]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_a_stored_crawl_as_text(tmp_path: Path) -> None:
    small_crawl(tmp_path / "job").close()
    done = scrapy("frontier", "stats", "job", "--prometheus", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    values = {name: one.samples[0].value for name, one in parsed(done.stdout).items()}
    assert values["frontier_pages"] == 3
    assert values["frontier_known"] == 8
    assert values["frontier_relevant"] == 2
    assert values["frontier_recent_share"] == pytest.approx(2 / 3)
    assert values["frontier_queued"] == 2
    none = scrapy("frontier", "stats", "elsewhere", "--prometheus", cwd=tmp_path)
    assert none.returncode == 1
