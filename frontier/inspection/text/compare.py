"""Two crawls beside each other, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from frontier.formatting import (
    TITLE_WIDTH,
    UNKNOWN,
    clean,
    number,
    pairs,
    percent,
    table,
)
from frontier.inspection.compare import Comparison, Lead, Missed

NAMES = "A", "B"


def compare_text(said: Comparison) -> list[str]:
    """Lines of `scrapy frontier compare`."""
    lines = [f"{name}  {crawl.directory}" for name, crawl in zip(NAMES, said.crawls, strict=True)]
    lines += ["", *_beside(said), "", *_sizes(said), "", *_firsts(said)]
    if any(crawl.judged for crawl in said.crawls):
        lines += ["", *_relevant(said)]
    return lines


def _beside(said: Comparison) -> list[str]:
    rows = [
        ("strategy", *(crawl.strategy for crawl in said.crawls)),
        ("topic", *(clean(crawl.topic, TITLE_WIDTH) or UNKNOWN for crawl in said.crawls)),
        ("URLs known", *(number(crawl.known) for crawl in said.crawls)),
        ("pages fetched", *(number(crawl.pages) for crawl in said.crawls)),
        ("judged relevant", *(number(one.relevant if one.judged else None) for one in said.crawls)),
        ("judged relevant, share", *(percent(crawl.relevant_share) for crawl in said.crawls)),
        (
            f"over the first {said.early_pages:,}",
            *(percent(crawl.early_relevant_share) for crawl in said.crawls),
        ),
    ]
    return table(("", *NAMES), rows, left=(0, 1, 2))


def _sizes(said: Comparison) -> list[str]:
    rows = [
        (
            f"of {name}'s pages",
            *(
                percent(part / side.pages if side.pages else None)
                for part in (side.fetched_too, side.known_only, side.never_met)
            ),
        )
        for name, side in zip(NAMES, said.overlaps, strict=True)
    ]
    head = "", "fetched by the other", "only known to it", "unknown to it"
    return [f"Pages that both fetched: {said.shared:,}", *_indented(head, rows)]


def _firsts(said: Comparison) -> list[str]:
    lines = ["Of those, fetched at an earlier place in the order of fetch"]
    lines += pairs(
        (f"by {name}", f"{side.earlier:,}") for name, side in zip(NAMES, said.overlaps, strict=True)
    )
    for name, other, side in zip(NAMES, NAMES[::-1], said.overlaps, strict=True):
        if side.leads:
            lines += [f"Furthest ahead in {name}", *_leads(side.leads, name, other)]
    return lines


def _leads(leads: tuple[Lead, ...], name: str, other: str) -> list[str]:
    rows = [(f"{lead.place:,}", f"{lead.other_place:,}", lead.url) for lead in leads]
    return _indented((f"in {name}", f"in {other}", "URL"), rows, left=(2,))


def _relevant(said: Comparison) -> list[str]:
    each = "" if said.same_topic else ", each by its own topic, examples and threshold"
    rows = [
        (
            f"of {name}",
            *(f"{side.relevant:,}", f"{side.relevant_too:,}", f"{side.judged_otherwise:,}"),
            f"{side.relevant_missed:,}",
        )
        for name, side in zip(NAMES, said.overlaps, strict=True)
    ]
    head = "", "all", "in the other too", "judged otherwise there", "not fetched there"
    lines = [f"Relevant pages{each}", *_indented(head, rows)]
    for name, other, side in zip(NAMES, NAMES[::-1], said.overlaps, strict=True):
        if side.missed:
            lines += [f"Only in {name}, most relevant first", *_missed(side.missed, other)]
    return lines


def _missed(pages: tuple[Missed, ...], other: str) -> list[str]:
    rows = [
        (
            number(page.relevance),
            f"{page.place:,}",
            "yes" if page.known else "no",
            page.url + (f"  ({clean(page.title, TITLE_WIDTH)})" if page.title else ""),
        )
        for page in pages
    ]
    head = "relevance", "place", f"known to {other}", "URL"
    return _indented(head, rows, left=(2, 3))


def _indented(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: Iterable[int] = range(9)
) -> list[str]:
    return [f"  {line}" for line in table(head, rows, left)]
