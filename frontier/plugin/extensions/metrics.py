"""Stats as Prometheus reads them: of a crawl that runs, at a port; of a stored one, as text.

A name is that of the stat with `_` for other signs, behind `scrapy_` if it is not the frontier's;
what is counted by kind (`.../status_count/200`) has the kind as label `of`. Nobody declares types:
of the frontier's stats those that only grow are counters, the others gauges; of all others what is
called a count or bytes is a counter, and of the rest nothing is claimed.

The port is served by a thread: so it is the same with either reactor, with none and in `scrapy
frontier serve`. It shows values that the crawl's own thread has left there in the last second, to
who asks for this machine by name: a web page whose name was made to resolve to it is refused.

The only module that knows prometheus_client; no other crawl imports it.
"""

from __future__ import annotations

import logging
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from numbers import Real
from socketserver import TCPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import NotConfigured

from frontier.plugin import compat
from frontier.plugin.extensions.basics import SECOND, Extension, figures_of
from frontier.plugin.settings import value
from ranking.errors import MissingExtraError

try:
    from prometheus_client import CollectorRegistry, ProcessCollector
    from prometheus_client.core import Metric
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
    from prometheus_client.registry import Collector
except ImportError as missing:
    what = "What Prometheus is to read (FRONTIER_METRICS_PORT, --prometheus)"
    raise MissingExtraError("prometheus_client", what, "metrics") from missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
NAMES = LOOPBACK, "localhost", "::1"
"""Of this machine, as the Host header has them; a tunnel may have another port."""
MOST_KINDS = 50
"""Of one stat; the rarest are counted together as `OTHERS`."""
OTHERS = "others"
_LONGEST = 100

_BY_KIND = re.compile(r"(frontier/refused|.*count)/(.+)", re.DOTALL)
_COUNTED = re.compile(
    r"frontier/(?:refused|late|handed_out|passed_over|retries|unserializable"
    r"|(?:page_rules|examples|seeds|refresh|warc)/.+"
    r"|politeness/(?:refused|unanswered|postponed)|rerank/(?:done|failed|late|seconds))"
    r"|(?!frontier/)(?:.*[/_])?(?:count|bytes)"
)


def families(stats: Mapping[str, Any]) -> Iterable[Metric]:
    """What Prometheus is told of those stats that are numbers, sorted by name."""
    kinds: dict[str, dict[str, float]] = {}
    for name, number in stats.items():
        if isinstance(number, Real) and not isinstance(number, bool):
            by_kind = _BY_KIND.fullmatch(name)
            stat, of = by_kind.groups() if by_kind else (name, "")
            of = re.sub(r"[^ -~]", "?", of)[:_LONGEST]
            kinds.setdefault(stat, {})[of] = float(number)
    found: dict[str, Metric] = {}
    for stat, values in sorted(kinds.items()):
        name = _metric(stat)
        if name not in found:  # of two stats that differ in their signs alone the first
            found[name] = metric = Metric(name, f"Stat {stat}", _kind(stat))
            for of, number in _bounded(values).items():
                end = "_total" if metric.type == "counter" else ""
                metric.add_sample(name + end, {"of": of} if of else {}, number)
    return found.values()


def _metric(stat: str) -> str:
    name = stat if stat.startswith("frontier/") else f"scrapy/{stat}"
    return re.sub(r"\W+", "_", name, flags=re.ASCII).removesuffix("_total")


def _kind(stat: str) -> str:
    if _COUNTED.fullmatch(stat):
        return "counter"
    return "gauge" if stat.startswith("frontier/") else "unknown"


def _bounded(values: dict[str, float]) -> dict[str, float]:
    most = sorted(values, key=lambda of: -values[of])[:MOST_KINDS]
    rest = sum(number for of, number in values.items() if of not in most)
    return {of: values[of] for of in most} | ({OTHERS: rest} if rest else {})


class _Stats(Collector):
    """Shows what was left here last."""

    def __init__(self, stats: Mapping[str, Any]) -> None:
        self.stats = stats

    def collect(self) -> Iterable[Metric]:
        return families(self.stats)


def as_text(stats: Mapping[str, Any]) -> list[str]:
    """Lines in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(_Stats(stats))
    return generate_latest(registry).decode().splitlines()


class _Server(ThreadingHTTPServer):
    server_bind = TCPServer.server_bind  # that of HTTPServer looks for a name in the DNS
    registry: CollectorRegistry

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that did not wait for its answer is no trouble of the crawl."""
        logger.debug("A client was not told the metrics", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 10.0  # seconds

    def do_GET(self) -> None:
        """Answer /metrics, to who has asked for this machine."""
        try:
            host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        except ValueError:
            host = None
        if host not in NAMES:
            self.send_error(403, f"Ask for {LOOPBACK} or localhost, not another name")
        elif urlsplit(self.path).path != "/metrics":
            self.send_error(404, "There is /metrics, and nothing else")
        else:
            body = generate_latest(self.server.registry)
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE_LATEST)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Being asked every few seconds is no news."""


class MetricsServer:
    """Serves /metrics on the loopback interface until it is closed."""

    def __init__(self, port: int) -> None:
        """0 is any free port; OSError for one that is taken."""
        self._shown = _Stats({})
        self._server = _Server((LOOPBACK, port), _Handler)
        self._server.registry = registry = CollectorRegistry()
        registry.register(self._shown)
        ProcessCollector(registry=registry)
        self.url = f"http://{LOOPBACK}:{self._server.server_address[1]}/metrics"
        Thread(target=self._server.serve_forever, name="metrics", daemon=True).start()

    def show(self, stats: Mapping[str, Any]) -> None:
        """Have other stats shown; nobody may change them afterwards."""
        self._shown.stats = stats

    def close(self) -> None:
        """Listen no longer; takes half a second at most."""
        self._server.shutdown()
        self._server.server_close()


def listening(port: int) -> MetricsServer | None:
    """A server at a port; None, which is logged, where that is taken."""
    try:
        server = MetricsServer(port)
    except OSError as error:
        logger.error(
            "No metrics: port %d of %s cannot be listened on (%s). Set FRONTIER_METRICS_PORT to "
            "another one, or to 0 for any that is free",
            *(port, LOOPBACK, error.strerror),
        )
        return None
    logger.info("Metrics at %s", server.url)
    return server


class Metrics(Extension):
    """Scrapy extension: with FRONTIER_METRICS_PORT, shows the stats to Prometheus.

    As with Scrapy's telnet console, a port that is taken is an error in the log, and the crawl
    goes on.
    """

    _server: MetricsServer | None = None
    _next: Any = None

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._port = value(crawler.settings, "FRONTIER_METRICS_PORT")
        if self._port is None:
            raise NotConfigured

    def spider_opened(self) -> None:
        """Listen, and look at the stats each second."""
        self._server = listening(self._port)
        if self._server is not None:
            self._look(self._server)

    def _look(self, server: MetricsServer) -> None:
        stats = self._crawler.stats
        server.show({**(stats.get_stats() if stats else {}), **figures_of(self.session)})
        self._next = compat.call_later(SECOND, lambda: self._look(server))

    def spider_closed(self) -> None:
        """Listen no longer."""
        if self._server is not None:
            self._next.cancel()
            self._server.close()
