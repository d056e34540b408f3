"""Why a URL has its place, for people."""

from __future__ import annotations

from frontier.formatting import TITLE_WIDTH, clean, number, pairs, percent, table
from frontier.inspection.explain.records import Carrier, Explanation, Neighbour, Part
from ranking.priority import SEED_PRIORITY

CONTEXT_WIDTH = 160
PARTS_SHOWN = 12
WORDS_SHOWN = 6
LEAST_SHOWN = 0.01
UNKNOWN = "unknown"
"""State of a URL that the crawl never met."""
HIGHEST = SEED_PRIORITY / 2


def explain_text(said: Explanation) -> list[str]:
    """Lines of `scrapy frontier explain`."""
    lines = [said.url, *(f"  {line}" for line in (_headline(said), *said.why))]
    lines += [f"  {line}" for line in _topic_words(said.topic_words, "1 is a relevance of .5")]
    if said.state == UNKNOWN:
        return lines
    lines += ["", *_priority(said)]
    if said.score is not None:
        lines += ["", "Link score", *pairs(_scores(said))]
    return [*lines, "", *_links(said), *_neighbours(said)]


def _headline(said: Explanation) -> str:
    if said.state == UNKNOWN:
        return "unknown: the crawl never met it"
    if said.state == "queued" and said.rank is not None:
        return f"queued, {ordinal(said.rank)} of {said.queued:,} to be fetched"
    return said.state


def ordinal(rank: int) -> str:
    """Return a rank as it is spoken: 1st, 2nd, 11th, 1,021st."""
    tens = rank % 100
    ending = "th" if 10 < tens < 14 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank:,}{ending}"


def _priority(said: Explanation) -> list[str]:
    when = "when it was requested" if said.parts_then else "now"
    own = _priority_number(said.priority)
    lines = [f"Priority {own} {when}, by {said.strategy}", f"  {said.formula}"]
    if not said.parts_add:
        return [*lines, *(f"  - {part.words}" for part in said.parts)]
    return [*lines, *_sum(said)]


def _sum(said: Explanation) -> list[str]:
    shown, more = said.parts[:PARTS_SHOWN], len(said.parts) - PARTS_SHOWN
    if said.parts_then:
        head = ["adds", "evidence when it was requested, weighed by what is learned by now"]
        rows = [[f"{part.value:+.4f}", part.words] for part in shown]
    else:
        head = ["adds", "usual", "evidence; usual: mean over the queue"]
        rows = [[f"{part.value:+.4f}", f"{part.usual or 0:+.4f}", part.words] for part in shown]
    lines = [f"  {line}" for line in table(head, rows, left=(len(head) - 1,))]
    rest = f"  ... and {more:,} that matter less (--json lists all)"
    return [*lines, rest] if more > 0 else lines


def _priority_number(value: float | None) -> str:
    # That of a seed only has to stand above all others.
    return "seed" if value is not None and value > HIGHEST else number(value)


def _scores(said: Explanation) -> list[tuple[str, str]]:
    entries = [("now", number(said.score) + ("" if said.epoch else " (no re-rank yet)"))]
    if said.epoch:
        entries.insert(0, (f"before re-rank {said.epoch}", number(said.score_before)))
        entries.insert(1, (f"after re-rank {said.epoch}", number(said.score_after)))
    if said.score_then is not None:
        entries.append(("at the request", number(said.score_then)))
    return entries


def _links(said: Explanation) -> list[str]:
    counted = f"Links to it: {said.links:,}"
    if said.parts_then:
        counted += f", {said.links_then:,} of them known when it was requested"
    if not said.carriers:
        return [counted]
    head = "carries", "relevance", "words", "link score", "from"
    rows = [_carrier(carrier) for carrier in said.carriers]
    listed = table(head, rows, left=(4,))
    lines = [f"{counted}; those that carry most", f"  {listed[0]}"]
    for row, carrier in zip(listed[1:], said.carriers, strict=True):
        lines += [f"  {row}", *(f"      {line}" for line in _spoken(carrier))]
    return lines


def _carrier(carrier: Carrier) -> tuple[str, ...]:
    cues = [
        cue
        for cue in (carrier.anchor_cue, carrier.context_cue, carrier.address_cue)
        if cue is not None
    ]
    notes = ["nofollow"] * carrier.nofollow + ["redirect"] * carrier.redirect
    notes += ["same words before"] * carrier.repeated + ["on the topic"] * carrier.topical
    return (
        percent(carrier.carries),
        number(carrier.relevance),
        number(max(cues) if cues else carrier.promise),
        percent(carrier.score_share),
        carrier.url + (f"  ({', '.join(notes)})" if notes else ""),
    )


def _spoken(carrier: Carrier) -> list[str]:
    said = []
    if carrier.anchor:
        said.append(f'"{clean(carrier.anchor, TITLE_WIDTH)}"')
    if carrier.context:
        said.append(f"... {clean(carrier.context, CONTEXT_WIDTH)} ...")
    return said + _topic_words(carrier.topic_words, "1 is a promise of .5")


def _topic_words(parts: tuple[Part, ...], unit: str) -> list[str]:
    shown = [part for part in parts[:WORDS_SHOWN] if part.telling >= LEAST_SHOWN]
    if not shown:
        return []
    words = ", ".join(f"{clean(part.words, TITLE_WIDTH)} {part.value:+.2f}" for part in shown)
    more = f" and {len(parts) - len(shown):,} more" if len(parts) > len(shown) else ""
    return [f"Topic words ({unit}): {words}{more}"]


def _neighbours(said: Explanation) -> list[str]:
    if not said.ahead and not said.behind:
        return []
    own = number(said.rank), _priority_number(said.priority), f"{said.url}  (this one)"
    rows = [*map(_neighbour, said.ahead[::-1]), own, *map(_neighbour, said.behind)]
    lines = table(("#", "priority", "URL"), rows, left=(2,))
    return ["", "Next to it in the queue", *(f"  {line}" for line in lines)]


def _neighbour(one: Neighbour) -> tuple[str, ...]:
    return number(one.place), _priority_number(one.priority), one.url
