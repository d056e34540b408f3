"""The harvest rate in words, or how it comes to be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.formatting import moment

if TYPE_CHECKING:
    from frontier.inspection.reports import HarvestRateReport


def harvest_rate_text(rate: HarvestRateReport | None, label: str) -> str:
    """Tell the rate; `label` is the command that asks about pages, "" where none can."""
    if rate is None:
        return f"not known: label pages with `{label}`" if label else "not known"
    of = "" if rate.until is None else f" of the pages fetched before {moment(rate.until)}"
    low, high = 100 * rate.low, 100 * rate.high
    interval = f"80 % interval {low:.0f} to {high:.0f} %, by {rate.labelled:,} labelled pages"
    return f"~{100 * rate.estimate:.0f} %{of} ({interval})"
