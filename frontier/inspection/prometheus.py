"""Stats for Prometheus: as text, and at a port of this machine.

A metric has the name of its stat with `_` for other signs, behind `scrapy_` if it is not the
frontier's; a stat by kind (`.../status_count/200`) has the kind as label `of`. Stats have no types:
of the frontier's stats those that only grow are counters, the others gauges; of all others a count
or a number of bytes is a counter, and the rest has no type.

The port answers requests that name this machine: a web page whose name was made to resolve to it is
refused.

The only module that knows prometheus_client; no other crawl imports it.
"""

from __future__ import annotations

import logging
import re
from contextlib import ExitStack
from numbers import Real
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from frontier.errors import SettingsError
from frontier.web.serving import LOOPBACK, WebAnswer, WebServer, text_answer
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

logger = logging.getLogger(__name__)

NAMES = LOOPBACK, "localhost", "::1"
"""Names of this machine in a Host header; a tunnel may have another port."""
MOST_KINDS = 50
"""Most kinds of a stat; the rarest are counted together as `OTHERS`."""
OTHERS = "others"
_LONGEST = 100

_BY_KIND = re.compile(r"(frontier/refused|.*count)/(.+)", re.DOTALL)
_COUNTED = re.compile(
    r"frontier/(?:refused|no_room|late|leases|passed_over|retries|unserializable"
    r"|(?:page_rules|examples|seeds|refresh|render|warc)/.+|texts/(?:kept|dropped|failed)"
    r"|politeness/(?:refused|unanswered|postponed)|rerank/(?:done|failed|late|seconds))"
    r"|(?!frontier/)(?:.*[/_])?(?:count|bytes)"
)


def families(stats: Mapping[str, Any]) -> Iterable[Metric]:
    """Return the metrics of the stats that are numbers, sorted by name."""
    kinds: dict[str, dict[str, float]] = {}
    for name, number in stats.items():
        if isinstance(number, Real) and not isinstance(number, bool):
            by_kind = _BY_KIND.fullmatch(name)
            stat, of = by_kind.groups() if by_kind else (name, "")
            of = re.sub(r"[^ -~]", "?", of)[:_LONGEST]
            kinds.setdefault(stat, {})[of] = float(number)
    metrics: dict[str, Metric] = {}
    for stat, values in sorted(kinds.items()):
        name = _metric(stat)
        if name not in metrics:  # of two stats that differ in their signs alone the first
            metrics[name] = metric = Metric(name, f"Stat {stat}", _kind(stat))
            for of, number in _bounded(values).items():
                end = "_total" if metric.type == "counter" else ""
                metric.add_sample(name + end, {"of": of} if of else {}, number)
    return metrics.values()


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
    """Shows the stats that it was given last."""

    def __init__(self, stats: Mapping[str, Any]) -> None:
        self.stats = stats

    def collect(self) -> Iterable[Metric]:
        return families(self.stats)


def as_text(stats: Mapping[str, Any]) -> list[str]:
    """Lines in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(_Stats(stats))
    return generate_latest(registry).decode().splitlines()


class MetricsServer:
    """Serves /metrics on the loopback interface until it is closed."""

    def __init__(self, port: int) -> None:
        """Listen at a port, 0: any free port; SettingsError for a port that is taken."""
        self._shown = _Stats({})
        self._registry = CollectorRegistry()
        self._registry.register(self._shown)
        ProcessCollector(registry=self._registry)
        self._serving = ExitStack()
        server = self._serving.enter_context(WebServer(self, port=port))
        self.url = f"{server.url}/metrics"

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        """Answer /metrics where the request names this machine."""
        try:
            host = urlsplit(url).hostname
        except ValueError:
            host = None
        if host not in NAMES:
            return text_answer(403, f"Ask for {LOOPBACK} or localhost, not another name\n")
        if urlsplit(url).path != "/metrics":
            return text_answer(404, "There is /metrics, and nothing else\n")
        kind = [("Content-Type", CONTENT_TYPE_LATEST)]
        return WebAnswer(200, kind, generate_latest(self._registry))

    def show(self, stats: Mapping[str, Any]) -> None:
        """Show other stats, which must not change afterwards."""
        self._shown.stats = stats

    def close(self) -> None:
        """Listen no longer."""
        self._serving.close()


def listening(port: int) -> MetricsServer | None:
    """Return a server at a port; None, which is logged, where the port is taken."""
    try:
        server = MetricsServer(port)
    except SettingsError as error:
        logger.error(
            "No metrics: port %d of %s cannot be listened on (%s). Set FRONTIER_METRICS_PORT to "
            "another port, or to 0 for any free port",
            port,
            LOOPBACK,
            error.__cause__,
        )
        return None
    logger.info("Metrics at %s", server.url)
    return server
