"""Estimates in words: the harvest rate, or how it comes to be known, and what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.estimates.harvest_rate import FEWEST
from frontier.formatting import moment

if TYPE_CHECKING:
    from frontier.estimates.remaining import Remaining
    from frontier.inspection.reports import HarvestRateReport
    from frontier.labels.at_random import Standing


def harvest_rate_text(rate: HarvestRateReport | None, label: str) -> str:
    """Tell the rate; `label` is the command that asks about pages, "" where none can."""
    if rate is None:
        if not label:
            return "not known: pages can be labelled in a crawl with JOBDIR"
        return f"not known: judge {FEWEST} pages yourself with `{label}`"
    of = "" if rate.until is None else f" of the pages fetched before {moment(rate.until)}"
    low, high = 100 * rate.low, 100 * rate.high
    interval = f"80 % interval {low:.0f} to {high:.0f} %, by {rate.labelled:,} labelled pages"
    return f"~{100 * rate.estimate:.0f} %{of} ({interval})"


def labels_needed_text(now: Standing) -> str:
    """Tell how many more labels a harvest rate takes, or a better one."""
    aim = (
        "a harvest rate"
        if now.rate is None
        else "a harvest rate within a quarter of the truth (in four crawls of five)"
    )
    if not now.needed:
        return f"These are enough labels for {aim}."
    if now.needed <= now.possible:
        about = "" if now.rate is None else "About "
        return f"{about}{now.needed:,} more labels are needed for {aim}."
    return f"{now.possible:,} more labels can be given; it takes more fetched pages for {aim}."


def remaining_text(left: Remaining | None, queued: int) -> str:
    """Tell how many relevant pages are estimated to be left, "" where that says nothing.

    That is where it would round to none, and where the interval is wider than half of what could
    be: of all that is queued.
    """
    if left is None or not round(left.high) or left.high - left.low > queued / 2:
        return ""
    return f"~{left.estimate:,.0f} (80 % interval {left.low:,.0f} to {left.high:,.0f})"
