"""Why a URL has its place, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.inspection.explain.unknown_url import UNKNOWN_STATE
from frontier.inspection.formatting import TITLE_WIDTH, clean, number, pairs, percent, table
from ranking.priority import SEED_PRIORITY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.inspection.explain.records import Carrier, Explanation, Neighbour

CONTEXT_WIDTH = 160
PARTS_SHOWN = 12
HIGHEST = SEED_PRIORITY / 2


def explain_text(said: Explanation) -> list[str]:
    """Lines of `scrapy frontier explain`."""
    lines = [said.url, *(f"  {line}" for line in (_headline(said), *said.why))]
    if said.state == UNKNOWN_STATE:
        return lines
    lines += ["", *_priority(said)]
    if said.score is not None:
        lines += ["", "Link score", *pairs(_scores(said))]
    return [*lines, "", *_links(said), *_neighbours(said), *_instead(said)]


def _headline(said: Explanation) -> str:
    if said.state == UNKNOWN_STATE:
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
    when = "when it was handed out" if said.parts_then else "now"
    own = _priority_number(said.priority)
    lines = [f"Priority {own} {when}, by {said.strategy}", f"  {said.formula}"]
    if not said.parts_add:
        return [*lines, *(f"  - {part.words}" for part in said.parts)]
    return [*lines, *_sum(said)]


def _sum(said: Explanation) -> list[str]:
    shown, more = said.parts[:PARTS_SHOWN], len(said.parts) - PARTS_SHOWN
    head: tuple[str, ...] = (
        "adds",
        "usual",
        "what is known of it; usual is the mean of the frontier",
    )
    rows = [(f"{part.value:+.4f}", f"{part.usual or 0:+.4f}", part.words) for part in shown]
    if said.parts_then:
        head = "adds", "what was known of it then, by what is learned now"
        return _table(head, [(row[0], row[2]) for row in rows], more)
    return _table(head, rows, more)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], more: int) -> list[str]:
    lines = [f"  {line}" for line in table(head, rows, left=(len(head) - 1,))]
    return (
        [*lines, f"  ... and {more:,} that matter less (--json lists all)"] if more > 0 else lines
    )


def _priority_number(value: float | None) -> str:
    # That of a seed only has to stand above all others.
    return "seed" if value is not None and value > HIGHEST else number(value)


def _scores(said: Explanation) -> list[tuple[str, str]]:
    if not said.epoch:
        return [("now", f"{number(said.score)} (no re-rank yet)"), *_score_then(said)]
    return [
        (f"before re-rank {said.epoch}", number(said.score_before)),
        (f"after re-rank {said.epoch}", number(said.score_after)),
        ("now", number(said.score)),
        *_score_then(said),
    ]


def _score_then(said: Explanation) -> list[tuple[str, str]]:
    return [] if said.score_then is None else [("at hand-out", number(said.score_then))]


def _links(said: Explanation) -> list[str]:
    counted = f"Links to it: {said.links:,}"
    if said.parts_then:
        counted += f", {said.links_then:,} of them known when it was handed out"
    if not said.carriers:
        return [counted]
    head = "carries", "relevance", "words", "link score", "from"
    rows = [_carrier(carrier) for carrier in said.carriers]
    listed = table(head, rows, left=(4,))
    lines = [f"{counted}; most is carried by", f"  {listed[0]}"]
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
    notes += ["said before"] * carrier.repeated + ["on the topic"] * carrier.topical
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
    return said


def _neighbours(said: Explanation) -> list[str]:
    if not said.ahead and not said.behind:
        return []
    waits = said.state == "queued"
    head = ("#" if waits else "hand-out"), "priority", "state", "URL"
    own = said.rank if waits else said.handout
    middle = (number(own), _priority_number(said.priority), said.state, f"{said.url}  (this one)")
    rows = [*map(_neighbour, said.ahead[::-1]), middle, *map(_neighbour, said.behind)]
    title = "Next to it in the frontier" if waits else "Handed out next to it"
    return ["", title, *(f"  {line}" for line in table(head, rows, left=(2, 3)))]


def _neighbour(one: Neighbour) -> tuple[str, ...]:
    return number(one.place), _priority_number(one.priority), one.state, one.url


def _instead(said: Explanation) -> list[str]:
    if not said.instead:
        return ["", "Nothing else is left to be fetched."]
    rows = [
        (number(one.place), _priority_number(one.priority), number(one.promise), one.url)
        for one in said.instead
    ]
    head = "#", "priority", "promise", "URL"
    title = "Best of the frontier now"
    return ["", title, *(f"  {line}" for line in table(head, rows, left=(3,)))]
