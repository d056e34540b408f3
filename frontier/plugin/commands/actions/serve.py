"""``scrapy frontier serve``: the frontier of a crawl, for fetchers on this and other machines."""

from __future__ import annotations

import logging
import os
import signal
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.plugin.commands.base import Output, action, argument, positive
from frontier.plugin.settings import value

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

    from frontier.backend.progress.figures import CrawlFigures
    from frontier.exchange.coordinator import Coordinator
    from frontier.exchange.serving import Server
    from frontier.inspection.prometheus import MetricsServer

logger = logging.getLogger(__name__)


def _run(opts: argparse.Namespace) -> Output:
    """Serve until the end; raises LinkRankError."""
    from uuid import uuid4

    from scrapy.utils.log import configure_logging

    from frontier.exchange.serving import Server, crawl_name
    from frontier.inspection.outcome import outcome_of
    from frontier.plugin.extensions.endings import why
    from frontier.plugin.extensions.summary import summary_lines

    settings = opts.settings
    settings.set("LOG_ENABLED", True, "command")  # this action may run for weeks
    configure_logging(settings)
    began = time.monotonic()
    name = f"{socket.gethostname()}:{os.getpid()}"
    crawl = crawl_name(opts.directory, uuid4)
    server = Server(opts.directory, opts.exchange, name, opts.pages or 0)
    server.connect(crawl, wipe=opts.wipe)
    metrics = _metrics(settings)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: _stop(server))
    settings.set("JOBDIR", str(opts.directory), "command")
    settings.set("CLOSESPIDER_PAGECOUNT", opts.pages, "command")
    outcome, reason = None, ""
    try:
        server.run(lambda figures: _show(metrics, figures))
        if server.coordinator is not None:
            outcome = outcome_of(server.coordinator.backend, server.coordinator.figures)
            reason = _reason(server.coordinator, stopping=server.stopping)
            text = why(reason, settings, server.coordinator.figures.enough)
            server.coordinator.backend.ending = {"reason": reason, "text": text}
    finally:
        server.close()
        if metrics is not None:
            metrics.close()
    if outcome is None:
        nothing = ["No fetcher came."]
        return Output({"reason": "no fetcher came"}, lambda: nothing)
    lines = summary_lines(outcome, reason, time.monotonic() - began, settings, "")
    return Output({"reason": reason, "pages": outcome.added}, lambda: lines)


def _metrics(settings: BaseSettings) -> MetricsServer | None:
    """The port for Prometheus, if the settings name one."""
    if (port := value(settings, "FRONTIER_METRICS_PORT")) is None:
        return None
    from frontier.inspection.prometheus import listening

    return listening(port)


def _show(metrics: MetricsServer | None, figures: CrawlFigures) -> None:
    from frontier.inspection.stats import stat_values

    if metrics is not None:
        metrics.show(stat_values(figures))


def _stop(server: Server) -> None:
    logger.info("Stopping; fetchers wait for the next `scrapy frontier serve`")
    server.stopping = True


def _reason(coordinator: Coordinator, *, stopping: bool) -> str:
    from frontier.exchange.coordinator import FINISHED
    from frontier.plugin.extensions.endings import PAGES

    if stopping:
        return "shutdown"
    if coordinator.figures.enough is not None:
        return coordinator.figures.enough.reason
    return "finished" if coordinator.phase == FINISHED else PAGES


@action(
    "serve",
    argument(
        "directory", metavar="DIR", type=Path, help="JOBDIR of the crawl, which is made if needed"
    ),
    argument(
        "--exchange",
        required=True,
        metavar="URL",
        help="PostgreSQL database that fetchers are given as FRONTIER_EXCHANGE: postgresql://...",
    ),
    argument("--pages", type=positive, metavar="N", help="end the crawl after so many pages"),
    argument(
        "--wipe",
        action="store_true",
        help="empty the exchange first: what fetchers hold is offered again",
    ),
)
def serve(opts: argparse.Namespace) -> Output:
    """Own the frontier of a crawl for several fetchers.

    The first fetcher brings the settings of the crawl: scrapy crawl SPIDER -s
    FRONTIER_EXCHANGE=URL, on any machine, as many fetchers as you like. The command ends when
    nothing is left to fetch and the fetchers have gone; if it is interrupted, the same command
    resumes the crawl.
    """
    return _run(opts)
