"""Reports for people: aligned columns, thousands separated, nothing that a terminal would obey."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from frontier.formatting import (
    TITLE_WIDTH,
    UNKNOWN,
    clean,
    moment,
    number,
    pairs,
    percent,
    table,
)
from frontier.inspection.reports import CrawlStats, InLink, Served, TopRow, UrlReport
from frontier.inspection.text.harvest_rate import harvest_rate_text

IN_LINKS_SHOWN = 20


def stats_text(stats: CrawlStats) -> list[str]:
    """Lines of `scrapy frontier stats`."""
    lines = [f"Crawl in {stats.directory}", *pairs(_identity(stats))]
    states = [(name, count) for name, count in stats.states.items() if count]
    lines += ["", f"{stats.known:,} URL{'s' * (stats.known != 1)}", *_counts(states)]
    lines += ["", "Pages", *pairs(_pages(stats))]
    if stats.marks:
        lines += ["", "Pages marked", *_counts(stats.marks.items())]
    if stats.errors:
        errors = [(clean(error.reason), error.count) for error in stats.errors]
        lines += ["", "Why URLs were not fetched", *_counts(errors)]
    lines += _refused(stats)
    if stats.served is not None:
        lines += ["", *served_text(stats.served)]
    hosts = [(host.host, number(host.pages), number(host.known)) for host in stats.top_hosts]
    if hosts:
        lines += ["", *table(("host", "pages", "known"), hosts, left=(0,))]
    return lines


def served_text(served: Served) -> list[str]:
    """Lines on who fetches for a crawl, and how far its order is behind."""
    lag = f" ({served.lag:.1f} s)" if served.inbox else ""
    entries = [
        ("frontier", f"{served.state} ({moment(served.at)})"),
        ("offered", number(served.offered)),
        ("in flight", number(served.in_flight)),
        ("to take in", number(served.inbox) + lag),
    ]
    rows = [
        (
            *(one.name, one.state),
            *map(number, (one.partitions, one.places, one.wants, one.answers)),
            moment(one.heard),
        )
        for one in served.fetchers
    ]
    head = ("fetcher", "state", "partitions", "places", "wants", "answers", "last heard")
    return ["Several fetchers", *pairs(entries), "", *table(head, rows, left=(0, 1, 6))]


def _refused(stats: CrawlStats) -> list[str]:
    lines = []
    if stats.traps:
        given_up = [(clean(trap.reason), trap.count) for trap in stats.traps]
        lines += ["", "URLs given up", *_counts(given_up)]
    if stats.refused:
        rows = [
            (number(one.links), number(one.domains), clean(one.reason), clean(one.example, 120))
            for one in stats.refused
        ]
        head = ("links refused", "domains", "reason", "for example")
        lines += ["", *table(head, rows, left=(2, 3))]
    return lines


def _identity(stats: CrawlStats) -> list[tuple[str, str]]:
    return [
        ("strategy", stats.strategy),
        ("topic", clean(stats.topic) or UNKNOWN),
        ("examples", clean(stats.examples) or UNKNOWN),
        ("started", moment(stats.started)),
        ("last page", moment(stats.last_page)),
        ("re-ranks", number(stats.epoch)),
        ("schema version", number(stats.schema_version)),
    ]


def _pages(stats: CrawlStats) -> Iterator[tuple[str, str]]:
    yield "fetched", number(stats.pages)
    if stats.judged:
        of = f"{stats.relevant:,} of {stats.judged:,}"
        label = f"scrapy frontier label {shlex.quote(stats.directory)} --at-random"
        yield "judged relevant", f"{of} (relevance {stats.relevant_from:g} or more)"
        yield "harvest rate", harvest_rate_text(stats.harvest_rate, label)
        yield "mean relevance", number(stats.mean_relevance)
    if stats.coverage:
        yield "coverage", f"at least {percent(stats.coverage)} of PageRank from the seeds"
    yield "links", number(stats.links)
    yield "hosts", number(stats.hosts)


def _counts(counts: Iterable[tuple[str, int]]) -> list[str]:
    listed = [(f"{count:,}", name) for name, count in counts]
    width = max((len(count) for count, _ in listed), default=0)
    return [f"  {count.rjust(width)}  {name}" for count, name in listed]


def top_text(rows: Sequence[TopRow], by: str) -> list[str]:
    """Lines of `scrapy frontier top`."""
    if not rows:
        return ["No such URL."]
    # Of a URL that was not fetched the predicted relevance is all there is.
    predicted = by == "relevance" or rows[0].relevance is None
    cells = [
        (
            number(row.rank),
            number(row.value),
            row.state,
            number(row.promise if predicted else row.relevance),
            row.url + (f"  ({clean(row.title, TITLE_WIDTH)})" if row.title else ""),
        )
        for row in rows
    ]
    beside = "predicted" if predicted else "relevance"
    return table(("#", by, "state", beside, "URL"), cells, left=(2, 4))


def url_text(report: UrlReport) -> list[str]:
    """Lines of `scrapy frontier url`."""
    lines = [report.url, *pairs(_standing(report)), "", "Values", *pairs(_values(report))]
    lines += ["", "Fetch", *pairs(_fetch(report)), "", f"Links to it: {len(report.in_links):,}"]
    lines += [f"  {_in_link(link)}" for link in report.in_links[:IN_LINKS_SHOWN]]
    more = len(report.in_links) - IN_LINKS_SHOWN
    return [*lines, f"  ... and {more:,} more (--json lists all)"] if more > 0 else lines


def _standing(report: UrlReport) -> list[tuple[str, str]]:
    entries = [
        ("state", report.state),
        ("title", clean(report.title) if report.title else UNKNOWN),
        ("depth", number(report.depth) + (" (seed)" if report.seed else "")),
        ("found on", report.referrer or UNKNOWN),
        ("anchor", clean(report.anchor) if report.anchor else UNKNOWN),
    ]
    if report.canonical != report.url:
        entries.append(("canonical URL", report.canonical))
    if report.marks:
        entries.append(("marks", ", ".join(report.marks)))
    if report.twin is not None:
        entries.append(("duplicate of", report.twin))
    entries += [("redirected from", source) for source in report.redirects_from]
    if report.redirects_to is not None:
        entries.append(("redirects to", report.redirects_to))
    return entries


def _values(report: UrlReport) -> list[tuple[str, str]]:
    return [
        ("relevance", number(report.relevance)),
        ("predicted", number(report.promise)),
        ("score", number(report.score)),
        ("authority", number(report.authority)),
        ("hub", number(report.hub)),
        ("priority now", number(report.priority)),
        ("priority at request", number(report.handout_priority)),
        ("score at request", number(report.handout_score)),
    ]


def _fetch(report: UrlReport) -> list[tuple[str, str]]:
    return [
        ("found", moment(report.found)),
        ("leased", moment(report.leased)),
        ("answered", moment(report.fetched)),
        ("request no.", number(report.handout)),
        ("answer no.", number(report.answer)),
        ("attempts", number(report.attempts)),
        ("status", UNKNOWN if report.status is None else str(report.status)),
        ("error", clean(report.error) if report.error else UNKNOWN),
        ("final URL", report.final_url or UNKNOWN),
        ("content hash", report.content_hash or UNKNOWN),
        ("characters", number(report.text_length)),
        ("links out", number(report.out_links)),
    ]


def _in_link(link: InLink) -> str:
    notes = [f"predicted {link.promise:.2f}"]
    notes += ["nofollow"] * link.nofollow + ["redirect"] * link.redirect
    if link.anchor:
        notes.append(f'"{clean(link.anchor, TITLE_WIDTH)}"')
    return f"{link.url}  ({', '.join(notes)})"
