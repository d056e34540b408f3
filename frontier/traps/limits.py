"""How much of an endless web is taken in before it is left alone: numbers, each a setting.

They are chosen so that no page of the recorded webs is refused in any order, with a margin of
ten for budgets and two for paths: there pages that say nothing new cost a shape or a host 3 pages,
and the longest path has 9 parts.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.errors import SettingsError

_MOST = 10**9


@dataclass(frozen=True)
class TrapLimits:
    """What each setting says; `docs/traps.md` tells how they work together. 0 switches one off.

    Attributes:
        url_length: characters of a URL.
        path_depth: parts of a path.
        query_arguments: arguments of a query.
        shape_budget: pages of one shape that may say nothing new, beyond what others earn.
        host_budget: the same of a host, whatever the shapes.
        host_unrelated: pages of a host in a row that may be irrelevant, in a crawl with a topic.
        domain_hosts: hosts of a registered domain that may say nothing new.
        drop: whether what has no budget left is given up in the end, and links that are refused
            never become URLs; otherwise all of it is fetched, after everything else.

    """

    url_length: int = 2083
    path_depth: int = 20
    query_arguments: int = 24
    shape_budget: int = 60
    host_budget: int = 90
    host_unrelated: int = 5000
    domain_hosts: int = 32
    drop: bool = True

    def __post_init__(self) -> None:
        for field, name in SETTING_OF.items():
            value = getattr(self, field)
            if not 0 <= value <= _MOST:
                raise SettingsError(
                    f"{name} must lie between 0 (no limit) and {_MOST:,}, but is "
                    f"{value!r}. Set it to a value in that range, or leave it out for the default."
                )

    def allows_more_than(self, other: TrapLimits) -> bool:
        """Whether a budget is larger than it was, so that what was given up has a chance."""
        if other.drop and not self.drop:
            return True
        pairs = ((getattr(self, name), getattr(other, name)) for name in BUDGETS)
        return any((mine or _MOST + 1) > (theirs or _MOST + 1) for mine, theirs in pairs)


BUDGETS = ("shape_budget", "host_budget", "host_unrelated", "domain_hosts")
"""Those of the limits that URLs of the frontier wait for."""
SETTING_OF = {
    "url_length": "FRONTIER_MAX_URL_LENGTH",
    "path_depth": "FRONTIER_MAX_PATH_DEPTH",
    "query_arguments": "FRONTIER_MAX_QUERY_ARGUMENTS",
    "shape_budget": "FRONTIER_SHAPE_BUDGET",
    "host_budget": "FRONTIER_HOST_BUDGET",
    "host_unrelated": "FRONTIER_HOST_UNRELATED",
    "domain_hosts": "FRONTIER_DOMAIN_HOSTS",
}
TRAP_LIMITS = TrapLimits()
