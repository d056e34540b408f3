"""Two crawls beside each other, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.inspection.formatting import (
    TITLE_WIDTH,
    UNKNOWN,
    clean,
    number,
    pairs,
    percent,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from frontier.inspection.compare.records import Comparison, Crawled, Lead, Missed, Overlap
    from frontier.inspection.reports import Figure

NAMES = "A", "B"


def compare_text(said: Comparison) -> list[str]:
    """Lines of `scrapy frontier compare`."""
    lines = [f"{name}  {crawl.directory}" for name, crawl in zip(NAMES, said.crawls, strict=True)]
    lines += ["", *_beside(said), "", *_method(said), ""]
    lines += [*_sizes(said), "", *_firsts(said)]
    if any(crawl.judged for crawl in said.crawls):
        lines += ["", *_relevant(said)]
    return lines


def _beside(said: Comparison) -> list[str]:
    rows = [
        ("strategy", *(crawl.strategy for crawl in said.crawls)),
        ("topic", *(clean(crawl.topic, TITLE_WIDTH) or UNKNOWN for crawl in said.crawls)),
        ("URLs known", *(number(crawl.known) for crawl in said.crawls)),
        ("pages fetched", *(number(crawl.pages) for crawl in said.crawls)),
        ("relevant", *(_relevant_pages(crawl) for crawl in said.crawls)),
        ("harvest rate", *(percent(crawl.harvest_rate) for crawl in said.crawls)),
        (
            f"over the first {said.early_pages:,}",
            *(percent(crawl.early_harvest_rate) for crawl in said.crawls),
        ),
    ]
    return table(("", *NAMES), rows, left=(0, 1, 2))


def _relevant_pages(crawl: Crawled) -> str:
    return f"{crawl.relevant:,}" if crawl.judged else UNKNOWN


def _method(said: Comparison) -> list[str]:
    if said.counted:
        return ["Every page was looked up in the other crawl: all figures are counts."]
    drawn = " and ".join(
        f"{side.drawn:,} of {name}'s {side.pages:,} pages"
        for name, side in zip(NAMES, said.overlaps, strict=True)
    )
    return [
        f"Estimated from {drawn}, drawn evenly and looked",
        "up in the other crawl; between which two numbers a figure lies, with 95 % certainty,",
        "stands in brackets.",
    ]


def _sizes(said: Comparison) -> list[str]:
    rows = [
        (f"of {name}'s pages", *_overlap(side))
        for name, side in zip(NAMES, said.overlaps, strict=True)
    ]
    head = "", "fetched by the other", "only known to it", "unknown to it"
    lines = [f"Pages that both fetched: {_figure(said.shared)}", *_indented(head, rows)]
    size = said.relative_size
    if size is None:
        return [*lines, "None is shared, so neither can be measured by the other."]
    spread = "" if size.low == size.high else f" [{size.low:.2f} to {size.high:.2f}]"
    return [*lines, f"A is {size.value:.2f} times as large as B{spread}."]


def _overlap(side: Overlap) -> list[str]:
    return [
        _share(part, side.pages) for part in (side.fetched_too, side.known_only, side.never_met)
    ]


def _firsts(said: Comparison) -> list[str]:
    lines = ["Of those, fetched at an earlier place in the order of fetch"]
    lines += pairs(
        (f"by {name}", _figure(side.earlier))
        for name, side in zip(NAMES, said.overlaps, strict=True)
    )
    for name, other, side in zip(NAMES, NAMES[::-1], said.overlaps, strict=True):
        if side.leads:
            lines += [f"Furthest ahead in {name}", *_leads(side.leads, name, other)]
    return lines


def _leads(leads: tuple[Lead, ...], name: str, other: str) -> list[str]:
    rows = [(f"{lead.place:,}", f"{lead.other_place:,}", lead.url) for lead in leads]
    return _indented((f"in {name}", f"in {other}", "URL"), rows, left=(2,))


def _relevant(said: Comparison) -> list[str]:
    each = "" if said.same_topic else ", each by its own judge: topic, examples or threshold differ"
    rows = [
        (f"of {name}", *_of_relevant(side)) for name, side in zip(NAMES, said.overlaps, strict=True)
    ]
    head = "", "all", "in the other too", "judged otherwise there", "not fetched there"
    lines = [f"Relevant pages{each}", *_indented(head, rows)]
    for name, other, side in zip(NAMES, NAMES[::-1], said.overlaps, strict=True):
        if side.missed:
            lines += [f"Only in {name}, most relevant first", *_missed(side.missed, other)]
    return lines


def _of_relevant(side: Overlap) -> list[str]:
    parts = side.relevant_too, side.judged_otherwise, side.relevant_missed
    return [f"{side.relevant:,}", *(_figure(part) for part in parts)]


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


def _figure(figure: Figure) -> str:
    if figure.low == figure.high:
        return f"{figure.value:,.0f}"
    return f"{figure.value:,.0f} [{figure.low:,.0f} to {figure.high:,.0f}]"


def _share(figure: Figure, of: int) -> str:
    if not of:
        return UNKNOWN
    if figure.low == figure.high:
        return percent(figure.value / of)
    spread = f"[{100 * figure.low / of:.1f} to {100 * figure.high / of:.1f}]"
    return f"{percent(figure.value / of)} {spread}"
