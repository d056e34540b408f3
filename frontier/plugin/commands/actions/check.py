"""``scrapy frontier check``: what of a crawl is intact, and how to go on with one that is not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.plugin.commands.actions import JOBDIR, Output
from frontier.plugin.commands.base import action, argument

if TYPE_CHECKING:
    import argparse

    from frontier.recovery.check import Report
    from frontier.recovery.salvage import Salvaged


@action(
    "check",
    JOBDIR,
    argument(
        "--salvage",
        metavar="NEWDIR",
        type=Path,
        help="recover readable rows into a new job directory",
    ),
)
def check(opts: argparse.Namespace) -> Output:
    """Check whether a crawl is intact, and recover what is.

    Exit code 1 where something is damaged, unless what is readable was recovered.
    """
    from frontier.recovery.check import check as checked

    report = checked(opts.directory)
    said: dict[str, Any] = report.as_dict()
    saved = None
    if opts.salvage is not None:
        from frontier.recovery.salvage import salvage

        saved = salvage(opts.directory, opts.salvage)
        said["salvaged"] = asdict(saved)
    damaged = not report.intact and saved is None
    return Output(said, lambda: _text(report, opts.directory, saved), int(damaged))


def _text(report: Report, directory: Path, saved: Salvaged | None) -> list[str]:
    from frontier.recovery.check import how_to_go_on

    width = max(len(one.what) for one in report.findings)
    lines = [report.path, ""]
    lines += [
        f"  {'ok     ' if one.intact else 'DAMAGED'}  {one.what:<{width}}  {one.said}"
        for one in report.findings
    ]
    if saved is None:
        return [*lines, "", how_to_go_on(report, directory)]
    return [
        *lines,
        "",
        f"Written to {saved.directory}: {saved.urls:,} URLs ({_lost(saved, saved.lost_urls)}), "
        f"{saved.pages:,} answers ({_lost(saved, saved.lost_pages)}, their URLs are fetched "
        f"again). {_left_out(saved)}To go on, start the crawl with JOBDIR={saved.directory}.",
    ]


def _lost(saved: Salvaged, count: int) -> str:
    if saved.exact:
        return f"{count:,} lost"
    return f"unknown how many lost, at least {count:,}"


def _left_out(saved: Salvaged) -> str:
    if not saved.left_out:
        return ""
    return f"Left out, as no crawl can go on with it: {'; '.join(saved.left_out)}. "
