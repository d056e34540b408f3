"""``scrapy web``: serve recorded pages, or a made-up web for who has recorded none."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.plugin.commands.base import Action, ActionCommand, action, argument, number, tell

if TYPE_CHECKING:
    from frontier.web.recorded_web import RecordedWeb
    from frontier.web.serving import WebServer

_SERVING = (
    argument(
        "--port",
        type=number(int, "a port from 0 to 65535", lambda port: 0 <= port <= 65535),
        default=0,
        metavar="P",
        help="port to listen on; 0: any free one",
    ),
    argument(
        "--port-file", metavar="FILE", type=Path, help="write the port to FILE when it can be used"
    ),
    argument(
        "--latency",
        type=number(float, "0 to 600000 ms", lambda ms: 0 <= ms <= 600_000),
        default=0,
        metavar="MS",
        help="milliseconds before each answer",
    ),
    argument("--log", metavar="FILE", type=Path, help="append a JSON line a request to FILE"),
)


@action(
    "serve",
    argument("files", metavar="FILE", nargs="+", help="WARC files of any crawler"),
    *_SERVING,
)
def _serve(command: Command, opts: argparse.Namespace) -> None:
    """Answer from WARC files, as a local HTTP proxy.

    It listens on 127.0.0.1 until Ctrl-C. Crawl through it with http_proxy=http://127.0.0.1:PORT in
    the environment and http:// URLs.
    """
    from frontier.web.recorded_web import RecordedWeb

    web = RecordedWeb(opts.files)
    for damage in web.warnings:
        tell(f"not served: {damage}")
    _listen(web, opts)


@action("demo", *_SERVING)
def _demo(command: Command, opts: argparse.Namespace) -> None:
    """Answer as a small made-up web of several hosts.

    A local HTTP proxy, to be used as that of 'scrapy web serve'.
    """
    from frontier.web.demo import demo_web

    _listen(demo_web(), opts)


class Command(ActionCommand):
    """Serve recorded pages or a demonstration web through a local proxy."""

    name = "web"
    default_settings = {"LOG_LEVEL": "WARNING"}  # noqa: RUF012  # Scrapy's own declaration

    def actions(self) -> list[Action]:
        return [_demo, _serve]

    def act(self, opts: argparse.Namespace) -> None:
        opts.action.run(self, opts)


def _listen(web: RecordedWeb, opts: argparse.Namespace) -> None:
    from frontier.web.serving import serve_until_stopped
    from ranking.printing import say

    def announce(server: WebServer) -> None:
        holding = f"{len(web):,} URLs of {len(web.hosts()):,} hosts"
        say([f"Serving {holding} on {server.url} (set http_proxy={server.url})"], sys.stdout)
        if opts.port_file:
            _write_port(opts.port_file, server.port)

    serve_until_stopped(web, announce, port=opts.port, latency=opts.latency / 1000, log=opts.log)


def _write_port(path: Path, port: int) -> None:
    # Renamed into place: whoever waits for the file never reads half a number.
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(f"{port}\n", encoding="ascii")
        draft.replace(path)
    except OSError as error:
        from frontier.errors import SettingsError

        raise SettingsError(
            f"expected a --port-file that can be written, but {path} cannot: {error.strerror}. "
            "Name another file"
        ) from error
