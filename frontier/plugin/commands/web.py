"""``scrapy web``: record a web once, serve it for ever, or try things on a made-up one.

Three actions behind one command, because they share a life: what ``record`` wrote, ``serve`` plays
back; ``demo`` is a web for those who have not recorded one yet.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import BaseRunSpiderCommand

from frontier.plugin.commands.base import Action, ActionCommand, action, argument, number, tell

if TYPE_CHECKING:
    from frontier.web.demo.site import DemoWeb
    from frontier.web.recorded_web import RecordedWeb
    from frontier.web.serving import LabServer

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
    from frontier.web.serving import require_usable

    require_usable(opts.port, opts.log)
    web = RecordedWeb(opts.files)
    for damage in web.warnings:
        tell(f"not served: {damage}")
    _listen(web, opts)


@action("demo", *_SERVING)
def _demo(command: Command, opts: argparse.Namespace) -> None:
    """Answer as a small made-up web of several hosts.

    A local HTTP proxy, to be used as that of 'scrapy web serve'.
    """
    from frontier.web.demo.site import DemoWeb

    _listen(DemoWeb(), opts)


@action(
    "record",
    argument("out", metavar="OUT.warc.gz", help="the WARC file to write"),
    argument("spider", metavar="SPIDER", help="a spider of this project"),
    argument(
        "-a",
        dest="spargs",
        action="append",
        metavar="NAME=VALUE",
        help="set spider argument (may be repeated)",
    ),
    argument("-o", "--output", metavar="FILE", action="append", help="append items to FILE"),
    argument(
        "-O", "--overwrite-output", metavar="FILE", action="append", help="write items to FILE"
    ),
)
def _record(command: Command, opts: argparse.Namespace) -> None:
    """Run a spider; write what it downloads to a WARC file.

    Exit code 1 where the spider could not be started.
    """
    from frontier.plugin.commands.base import crawl
    from frontier.warc.appending import open_recording

    process: Any = command.crawler_process
    try:
        crawler = process.create_crawler(opts.spider)
    except KeyError:
        known = ", ".join(sorted(process.spider_loader.list())) or "none here"
        command.fail(f"expected the name of a spider (known: {known}), found {opts.spider!r}")
        return
    # Refused here, before the spider starts, it is a message and not a traceback.
    open_recording(Path(opts.out)).close()
    command.exitcode, _ = crawl(process, crawler, **opts.spargs)
    records = crawler.stats.get_value("frontier/warc/records", 0)
    tell(f"Recorded {records:,} records in {opts.out}")


class Command(ActionCommand, BaseRunSpiderCommand):
    """Serve recorded pages or a demonstration web through a local proxy, or record one."""

    name = "web"

    def actions(self) -> list[Action]:
        return [_demo, _record, _serve]

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        # Scrapy asks for them whichever action it is.
        opts.spargs, opts.output, opts.overwrite_output = [], None, None
        self.parse(args, opts)
        assert self.settings is not None
        # Scrapy 2.14 and later make a process only where there is a spider to run.
        self.requires_crawler_process = opts.action is _record
        if opts.action is not _record:
            # Older ones make it always; its greeting is no part of a server's output.
            self.settings.set("LOG_ENABLED", value=False, priority="cmdline")
        BaseRunSpiderCommand.process_options(self, args, opts)
        if opts.action is _record:
            self.settings.set("WARC_FILE", opts.out, priority="cmdline")
            from frontier.plugin.extensions.warc import WarcRecorder

            # A project may have it already, by path or by class, or switched off.
            self.settings.set_in_component_priority_dict("EXTENSIONS", WarcRecorder, 0)

    def act(self, opts: argparse.Namespace) -> None:
        opts.action.run(self, opts)


def _listen(web: DemoWeb | RecordedWeb, opts: argparse.Namespace) -> None:
    from frontier.web.serving import serve_until_stopped
    from ranking.printing import say

    def announce(server: LabServer) -> None:
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
