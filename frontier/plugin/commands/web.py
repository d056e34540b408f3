"""``scrapy web``: serve recorded pages or a made-up web, and write change logs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.plugin.commands.base import (
    Action,
    ActionCommand,
    above_0,
    action,
    argument,
    number,
    print_note,
    share,
    since,
    tcp_port,
)

if TYPE_CHECKING:
    from frontier.web.changing_web import ChangingWeb
    from frontier.web.recorded_web import RecordedWeb
    from frontier.web.serving import WebServer


_SERVING = (
    argument(
        "--port",
        type=tcp_port,
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
    argument(
        "--changes",
        metavar="LOG",
        help="change log whose pages change as time goes by; made-up, made-up-bursty: all, by a "
        "log that is made up",
    ),
    argument(
        "--speed",
        type=above_0,
        default=1,
        metavar="S",
        help="simulated seconds a second",
    ),
    argument("--begin", metavar="DATE", type=since, help="where the log begins (default: all)"),
    argument(
        "--sitemap",
        choices=("true", "late", "false", "none"),
        default="true",
        help="dates in sitemaps: of the last change, a week late, always now; or no sitemap",
    ),
    argument(
        "--announced",
        type=share,
        default=1,
        metavar="SHARE",
        help="of the changes, for which sitemaps have a new date",
    ),
    argument(
        "--validators",
        choices=("honest", "always-304", "always-new"),
        default="honest",
        help="ETag and Last-Modified: of the version, never new, always new",
    ),
)


@action(
    "serve",
    argument("files", metavar="FILE", nargs="+", help="WARC files of any crawler"),
    *_SERVING,
)
def _serve(opts: argparse.Namespace) -> None:
    """Answer from WARC files, as a local HTTP proxy.

    It listens on 127.0.0.1 until Ctrl-C. Crawl through it with http_proxy=http://127.0.0.1:PORT in
    the environment and http:// URLs.
    """
    from frontier.web.recorded_web import RecordedWeb

    web = RecordedWeb(opts.files)
    for damage in web.warnings:
        print_note(f"not served: {damage}")
    _listen(web, opts)


@action("demo", *_SERVING)
def _demo(opts: argparse.Namespace) -> None:
    """Answer as a small made-up web of several hosts.

    A local HTTP proxy, to be used as that of 'scrapy web serve'.
    """
    from frontier.web.demo import demo_web

    _listen(demo_web(), opts)


@action(
    "changes",
    argument("repository", metavar="REPO", type=Path, help="git repository, bare or not"),
    argument("--under", metavar="DIR", default="", help="the folder whose files are pages"),
    argument("--ending", default="", help="of files that are pages, left out of URLs: .md"),
    argument("--address", metavar="URL", default="http://repository.example", help="of the folder"),
    argument("-o", "--output", metavar="LOG", type=Path, required=True, help="file to write"),
)
def _changes(opts: argparse.Namespace) -> None:
    """Write the history of a git repository as a change log.

    Each file is a page, each commit a change of the pages it touches. 'scrapy web serve --changes'
    and 'scrapy lab run --refresh' take it.
    """
    from frontier.web.changelog import git_changes
    from ranking.offline.files import new_file
    from ranking.printing import say

    lines = list(git_changes(opts.repository, opts.under, opts.address, opts.ending))
    with new_file(opts.output) as file:
        file.writelines(f"{line}\n".encode() for line in lines)
    urls = len({line.rpartition("\t")[2] for line in lines})
    say([f"Written: {opts.output}, {len(lines):,} changes of {urls:,} URLs"], sys.stdout)


class Command(ActionCommand):
    """Serve recorded pages or a demonstration web through a local proxy."""

    name = "web"
    default_settings = {"LOG_LEVEL": "WARNING"}  # noqa: RUF012  # Scrapy's own declaration

    def actions(self) -> list[Action]:
        return [_changes, _demo, _serve]


def _listen(web: RecordedWeb, opts: argparse.Namespace) -> None:
    from frontier.web.serving import serve_until_stopped
    from ranking.offline.files import new_file
    from ranking.printing import say

    changing = _changing(web, opts) if opts.changes else None

    def announce(server: WebServer) -> None:
        holding = f"{len(web):,} URLs of {len(web.hosts()):,} hosts"
        holding += f", {len(changing):,} of which change," if changing else ""
        if opts.port_file:
            with new_file(opts.port_file) as file:  # no reader sees half a number
                file.write(f"{server.port}\n".encode())
        say([f"Serving {holding} on {server.url} (set http_proxy={server.url})"], sys.stdout)

    options = {"port": opts.port, "latency": opts.latency / 1000, "log": opts.log}
    serve_until_stopped(changing or web, announce, **options)


def _changing(web: RecordedWeb, opts: argparse.Namespace) -> ChangingWeb:
    from frontier.errors import SettingsError
    from frontier.web.changelog import MADE_UP, made_up, read_change_log
    from frontier.web.changing_web import Announcing, ChangingWeb

    if opts.changes in MADE_UP:
        log = made_up(web.pages(), 730, seed=0, bursty=MADE_UP[opts.changes])
    else:
        log = read_change_log(Path(opts.changes), opts.begin)
    announcing = Announcing(opts.sitemap, opts.announced, opts.validators)
    changing = ChangingWeb(web, log, opts.speed, announcing)
    if not len(changing):
        raise SettingsError(
            f"expected a change log of the recorded pages, but none of the {len(log):,} URLs in "
            f"{opts.changes}, such as {log.urls[0]}, is one. Write it again with their --address"
        )
    return changing
