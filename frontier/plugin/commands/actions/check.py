"""``scrapy frontier check``: what of a crawl is intact, and how to go on with one that is not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.plugin.commands.base import JOBDIR, Output, action, argument

if TYPE_CHECKING:
    import argparse

    from frontier.recovery import CheckReport, Salvaged


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
    from frontier import recovery

    report = recovery.check(opts.directory)
    document: dict[str, Any] = report.as_dict()
    saved = None
    if opts.salvage is not None:
        saved = recovery.salvage(opts.directory, opts.salvage)
        document["salvaged"] = asdict(saved)
    damaged = not report.intact and saved is None
    return Output(document, lambda: _text(report, opts.directory, saved), int(damaged))


def _text(report: CheckReport, directory: Path, saved: Salvaged | None) -> list[str]:
    from frontier.recovery import how_to_go_on

    width = max(len(finding.what) for finding in report.findings)
    lines = [report.path, ""]
    lines += [
        f"  {'ok     ' if one.intact else 'DAMAGED'}  {one.what:<{width}}  {one.details}"
        for one in report.findings
    ]
    if saved is None:
        return [*lines, "", how_to_go_on(report, directory)]
    return [
        *lines,
        "",
        f"Written to {saved.directory}: {saved.urls:,} URLs (at least {saved.lost_urls:,} lost), "
        f"{saved.pages:,} answers (at least {saved.lost_pages:,} lost, their URLs are fetched "
        f"again). To go on, start the crawl with JOBDIR={saved.directory}.",
    ]
