"""``scrapy frontier check``: what of a crawl is intact, and how to go on with one that is not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from frontier.recovery.check import Report
    from frontier.recovery.salvage import Salvaged

    Output = tuple[Any, Callable[[], list[str]]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that only this action has."""
    group = parser.add_argument_group(title="frontier check")
    group.add_argument(
        "--salvage",
        metavar="NEWDIR",
        help="write what is intact into this new directory, as a crawl that can go on",
    )


def run(operands: list[str], opts: argparse.Namespace) -> Output:
    """Check a crawl, and salvage what is intact if that is asked for."""
    from frontier.recovery.check import check

    directory = Path(operands[0])
    report = check(directory)
    said: dict[str, Any] = report.as_dict()
    saved = None
    if opts.salvage is not None:
        from frontier.recovery.salvage import salvage

        saved = salvage(directory, Path(opts.salvage))
        said["salvaged"] = asdict(saved)
    return said, lambda: _text(report, directory, saved)


def exit_code(said: Any) -> int:
    """Exit code of a check: 0 where all is intact, or what is was written elsewhere."""
    return int(not said["intact"] and "salvaged" not in said)


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
