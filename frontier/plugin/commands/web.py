"""``scrapy web``: record a web once, serve it for ever, or try things on a made-up one.

Three actions behind one command, because they share a life: what ``record`` wrote,
``serve`` plays back; ``demo`` is a web for those who have not recorded one yet. Options
are parsed by one flat parser, as in every Scrapy command, so that Scrapy's own (``-s``,
``-L``, ``--logfile``) work wherever they stand; an option that means nothing to the
action named is refused.

Scrapy imports every command on every start, whichever is run: what an action needs is
imported when it runs, or each crawl would pay for it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError
from twisted.python.failure import Failure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from frontier.web.answers import Web
    from frontier.web.proxy import LabServer

_SERVING = {"port": "--port", "port_file": "--port-file", "latency": "--latency", "log": "--log"}
_RECORDING = {"spargs": "-a", "output": "-o", "overwrite_output": "-O"}
_FOREIGN = {"serve": _RECORDING, "demo": _RECORDING, "record": _SERVING}


class Command(BaseRunSpiderCommand):
    """Serve recorded pages or a demonstration web through a local proxy, or record one."""

    requires_project = False

    def syntax(self) -> str:
        return "serve FILE... | demo | record OUT.warc.gz SPIDER  [options]"

    def short_desc(self) -> str:
        return "Serve a recorded web or a demonstration web on a local proxy, or record one"

    def long_desc(self) -> str:
        return (
            "serve: answer from WARC files of any crawler. demo: answer as a small made-up web "
            "of several hosts. Both are an HTTP proxy on 127.0.0.1 that runs until Ctrl-C; crawl "
            "through it with http_proxy=http://127.0.0.1:PORT in the environment and http:// "
            "URLs. record: run a spider of this project and write all it downloads to a WARC file."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="serve and demo")
        group.add_argument(
            "--port", type=int, metavar="P", help="port to listen on (default: any free one)"
        )
        group.add_argument(
            "--port-file", metavar="FILE", help="write the port to FILE when it can be used"
        )
        group.add_argument(
            "--latency", type=float, metavar="MS", help="milliseconds before each answer"
        )
        group.add_argument("--log", metavar="FILE", help="append a JSON line a request to FILE")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        action = _action(args, opts)
        _check_values(opts)
        # Scrapy 2.14 and later make a process only where there is a spider to run.
        self.requires_crawler_process = action == "record"
        if action != "record" and self.settings is not None:
            # Older ones make it always; its greeting is no part of a server's output.
            self.settings.set("LOG_ENABLED", value=False, priority="cmdline")
        super().process_options(args, opts)
        if action == "record":
            self._enable_recorder(args)

    def _enable_recorder(self, args: list[str]) -> None:
        if len(args) != 3:
            raise UsageError("expected: scrapy web record OUT.warc.gz SPIDER")
        assert self.settings is not None
        self.settings.set("WARC_FILE", args[1], priority="cmdline")
        from frontier.plugin.extensions.warc import WarcRecorder

        # A project may have it already, by path or by class, or switched off.
        self.settings.set_in_component_priority_dict("EXTENSIONS", WarcRecorder, 0)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        run: dict[str, Callable[[list[str], argparse.Namespace], None]] = {
            "serve": self._serve,
            "demo": self._demo,
            "record": self._record,
        }
        # Even the errors: their package brings NumPy along.
        from ranking.errors import LinkRankError

        try:
            run[args[0]](args[1:], opts)
        except LinkRankError as error:
            self._fail(str(error))

    def _fail(self, message: str) -> None:
        _say(f"scrapy web: {message}", sys.stderr)
        self.exitcode = 1

    def _serve(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            raise UsageError("expected: scrapy web serve FILE...")
        from frontier.web.recorded_web import RecordedWeb
        from frontier.web.serving import require_usable

        require_usable(opts.port or 0, Path(opts.log) if opts.log else None)
        with RecordedWeb(args) as web:
            for damage in web.warnings:
                _say(f"not served: {damage}", sys.stderr)
            _run(web, f"{len(web):,} URLs of {len(web.hosts()):,} hosts", opts)

    def _demo(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise UsageError(f"expected: scrapy web demo, found {args[0]!r} behind it")
        from frontier.web.demo.site import DemoWeb

        web = DemoWeb()
        _run(web, f"{len(web):,} URLs of {len(web.hosts()):,} hosts", opts)

    def _record(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider; exit code 1 if it could not be started."""
        from frontier.warc.appending import open_recording

        out, spider = args
        process: Any = self.crawler_process
        try:
            crawler = process.create_crawler(spider)
        except KeyError:
            known = ", ".join(sorted(process.spider_loader.list())) or "none here"
            self._fail(f"expected the name of a spider (known: {known}), found {spider!r}")
            return
        # Refused here, before the spider starts, it is a message and not a traceback.
        open_recording(Path(out)).close()
        crawling = process.crawl(crawler, **opts.spargs)
        # Only Scrapy before 2.14 tells here, by a Deferred, that a crawl could not begin.
        failed = isinstance(getattr(crawling, "result", None), Failure)
        process.start()
        records = crawler.stats.get_value("frontier/warc/records", 0)
        _say(f"Recorded {records:,} records in {out}", sys.stderr)
        self.exitcode = int(failed or process.bootstrap_failed)


def _action(args: list[str], opts: argparse.Namespace) -> str:
    """The action named first; raises ``UsageError`` for what it does not understand."""
    unknown = [argument for argument in args if argument.startswith("-")]
    if unknown:
        raise UsageError(f"unrecognized option: {unknown[0]}")
    if not args or args[0] not in _FOREIGN:
        found = f"found {args[0]!r}" if args else "found none"
        raise UsageError(f"expected one of the actions serve, demo, record, {found}")
    for name, option in _FOREIGN[args[0]].items():
        if getattr(opts, name, None) not in (None, []):
            raise UsageError(f"{option} means nothing to 'scrapy web {args[0]}'")
    return args[0]


def _check_values(opts: argparse.Namespace) -> None:
    if not 0 <= (opts.port or 0) <= 65535:
        raise UsageError(f"expected a --port from 0 to 65535, found {opts.port}")
    if not 0 <= (opts.latency or 0) <= 600_000:
        raise UsageError(f"expected a --latency from 0 to 600000 ms, found {opts.latency}")


def _say(text: str, stream: TextIO) -> None:
    from ranking.printing import say

    say(text.split("\n"), stream)


def _run(web: Web, holding: str, opts: argparse.Namespace) -> None:
    from frontier.web.serving import serve_until_stopped

    def announce(server: LabServer) -> None:
        _say(f"Serving {holding} on {server.url} (set http_proxy={server.url})", sys.stdout)
        if opts.port_file:
            _write_port(Path(opts.port_file), server.port)

    log = Path(opts.log) if opts.log else None
    latency = (opts.latency or 0) / 1000
    serve_until_stopped(web, announce, port=opts.port or 0, latency=latency, log=log)


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
