"""The figures of a crawl, running or stored, by the names of Scrapy's stats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.states import State

if TYPE_CHECKING:
    from frontier.backend.progress.figures import CrawlFigures
    from frontier.inspection.reports import CrawlStats

_STATES = {
    "frontier/pages": State.CRAWLED,
    "frontier/queued": State.QUEUED,
    "frontier/leased": State.LEASED,
    "frontier/errors": State.ERROR,
    "frontier/robots": State.ROBOTS,
    "frontier/filtered": State.FILTERED,
    "frontier/redirects": State.REDIRECTED,
    "frontier/traps": State.TRAP,
}


def refused_stat(reason: str) -> str:
    """Return the name of the stat that counts the links refused for a reason."""
    return f"frontier/refused/{'_'.join(reason.replace('/', ' ').split())}"


def stat_values(figures: CrawlFigures) -> dict[str, float]:
    """Return the stats that follow from the figures of a crawl; takes about 5 us."""
    values: dict[str, float] = {name: figures.count(state) for name, state in _STATES.items()}
    values |= {f"frontier/rerank/{name}": value for name, value in figures.reranks().items()}
    values |= {
        "frontier/rerank/epoch": figures.epoch,
        "frontier/known": figures.known,
        "frontier/links": figures.links,
        "frontier/leases": figures.leases,
        "frontier/passed_over": figures.passed_over,
        "frontier/retries": figures.retries,
        "frontier/duplicates/exact": figures.copies.exact,
        "frontier/duplicates/near": figures.copies.near,
    }
    values |= {refused_stat(reason): links for reason, links in figures.refused().items()}
    if figures.harvest.pages:
        values["frontier/relevant"] = figures.harvest.relevant
        values["frontier/recent_share"] = figures.harvest.recent_share() or 0.0
    rate = figures.harvest_rate
    if rate is not None:
        values |= {f"frontier/harvest_rate/{name}": value for name, value in rate._asdict().items()}
    if figures.suspects.set_aside:
        values["frontier/deaths/set_aside"] = figures.suspects.set_aside
    if figures.suspects.given_up:
        values["frontier/deaths/given_up"] = len(figures.suspects.given_up)
    values |= {f"frontier/refresh/{name}": n for name, n in figures.revisits.items()}
    values |= {f"frontier/texts/{name}": n for name, n in figures.texts.items()}
    outlook = figures.outlook
    if outlook.remaining is not None:
        left = outlook.remaining._asdict()
        values |= {f"frontier/remaining/{name}": value for name, value in left.items()}
    if outlook.growth or outlook.unsearched:
        values["frontier/remaining/growth"] = outlook.growth
        values["frontier/remaining/unsearched_hosts"] = len(outlook.unsearched)
    return values


def stored_stat_values(report: CrawlStats) -> dict[str, float]:
    """Return the same stats of a stored crawl, as far as they are stored."""
    values: dict[str, float] = {
        name: report.states[state.name.lower()] for name, state in _STATES.items()
    }
    values |= {
        "frontier/known": report.known,
        "frontier/links": report.links,
        "frontier/rerank/epoch": report.epoch,
    }
    values |= {refused_stat(refused.reason): refused.links for refused in report.refused}
    if report.judged:
        values["frontier/relevant"] = report.relevant
        values["frontier/recent_share"] = report.recent_share or 0.0
    rate = report.harvest_rate
    if rate is not None:
        names = "estimate", "low", "high", "labelled"
        values |= {f"frontier/harvest_rate/{name}": getattr(rate, name) for name in names}
    return values
