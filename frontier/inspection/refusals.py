"""What a crawl refused and what it gave up, by reason."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from frontier.inspection.reports import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.store.policy_tables import RefusalRow

TRAP = "trap: "
"""What the reasons begin with for which URLs were given up."""


def refused_by_reason(rows: Iterable[RefusalRow]) -> tuple[Refused, ...]:
    """Sum up refusals over domains, most frequent first; the example is that of the domain with
    the most.
    """
    ordered = sorted(rows, key=lambda row: (row.reason, -row.links, row.domain))
    groups = [list(group) for _, group in groupby(ordered, key=lambda row: row.reason)]
    found = (
        Refused(rows[0].reason, sum(row.links for row in rows), len(rows), rows[0].example)
        for rows in groups
    )
    return tuple(sorted(found, key=lambda one: (-one.links, one.reason)))
