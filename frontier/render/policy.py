"""Which pages are shown in a browser, and what is noted of each.

A page whose chance to gain is good is shown; in a crawl with a topic, where it pays: one page in
five at most, and the fewer are left of them, the better must its priority be among the recent ones.
A page with a small chance is a trial: only among the better half of the requests, and while trials
have not wasted more than a few pages in a thousand. A page whose requests failed teaches nothing;
it halves the chance of pages of its template in this run.

The note of a page is JSON, kept with it in the store: by the notes a resumed crawl learns again.
"""

from __future__ import annotations

import json
from bisect import bisect_left, insort
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from frontier.render import ALL
from frontier.render.learner import GAINED, RenderCase, RenderLearner
from frontier.render.signs import Content, Signs, gain_of, signs_of
from frontier.urls.canonical import slot_of
from frontier.urls.places import template_places

SHARE, SAVED = 0.2, 20.0
"""Of a crawl with a topic: pages shown by page fetched, and how many are saved up at most."""
EXPECTED, TRIED = 0.5, 0.1
"""Chances from which a gain is expected, and from which a trial is worth a thought."""
BETTER = 0.5
"""Share of worse requests from which a trial is made."""
WASTED, WASTED_SHARE = 3, 0.005
"""Trials without a gain: so many, and this share of all pages."""
RECENT = 200
"""Requests that a priority is compared with."""
_PARTS = 5
"""Signs that a note names as reasons."""


@dataclass(slots=True)
class Decision:
    """Whether a page is shown: its chance, why, and what was known of it."""

    shown: bool
    chance: float
    why: str
    signs: Signs
    case: RenderCase


class RecentPriorities:
    """The priorities of the last requests, in order of time and of size."""

    def __init__(self) -> None:
        self._last: deque[float] = deque()
        self._sorted: list[float] = []

    def share_below(self, priority: float) -> float:
        """Note a priority; return the share of the others that are lower, 1 for the first."""
        count = len(self._sorted)
        below = bisect_left(self._sorted, priority) / count if count else 1.0
        insort(self._sorted, priority)
        self._last.append(priority)
        if len(self._last) > RECENT:
            del self._sorted[bisect_left(self._sorted, self._last.popleft())]
        return below


class RenderPolicy:
    """Decides for one page after the other, and learns what came of it."""

    def __init__(self, way: str, *, focused: bool) -> None:
        """`way` is FRONTIER_RENDER; `focused`: whether priorities say how relevant a page is."""
        self.learner = RenderLearner()
        self._way = way
        self._focused = focused
        self._recent = RecentPriorities()
        self._pages = 0
        self._wasted = 0
        self._saved = SAVED
        self._plain: dict[int, str] = {}
        self._failures: Counter[str] = Counter()

    def decide(self, root: Any, url: str, anchor: str, priority: float) -> Decision:
        """Decide for a downloaded page; `root` is its root element, of lxml."""
        host, template = slot_of(url), int(template_places([url])[0])
        usual = self.learner.usual(f"{host} {template}")
        signs = signs_of(root, url, anchor, usual)
        case = RenderCase(signs.values, host, signs.kind, template)
        below = self._recent.share_below(priority) if self._focused else 1.0
        self._pages += 1
        self._saved = min(SAVED, self._saved + SHARE)
        chance = self.learner.chance(case) / 2 ** self._failures[case.places[1]]
        chance = chance if signs.has_scripts else 0.0
        shown, why = self._judge(chance, below)
        if self._focused:
            self._saved -= shown
        return Decision(shown, chance, why, signs, case)

    def _judge(self, chance: float, below: float) -> tuple[bool, str]:
        if self._way == ALL:
            return True, "all pages are shown"
        if chance >= EXPECTED:
            worth = below >= 1 - self._saved / SAVED
            return worth, "a gain is expected" if worth else "its priority is too low"
        if chance < TRIED:
            return False, "no gain is expected"
        if below < BETTER:
            return False, "its priority is too low for a trial"
        if self._wasted >= WASTED + WASTED_SHARE * self._pages:
            return False, "too many trials brought nothing"
        return True, "a trial"

    def left(self, decision: Decision) -> dict[str, Any] | None:
        """Note that a page was not shown; None: that was no question."""
        self.learner.seen(decision.case, decision.signs.content)
        return self._reasons(decision) if decision.chance >= TRIED else None

    def learn(
        self, decision: Decision, rendered: Content, spent: dict[str, float]
    ) -> dict[str, Any]:
        """Learn from a shown page, and return its note; `spent` is what it cost.

        With `failed` requests in `spent`, a page that has not gained teaches nothing.
        """
        plain = decision.signs.content
        gain = gain_of(plain, rendered)
        note = self._reasons(decision) | spent
        note |= {
            "links": len(rendered.links - plain.links),
            "words": max(0, rendered.words - plain.words),
            "gain": round(gain, 3),
        }
        if gain >= GAINED or not spent["failed"]:
            note |= {"signs": decision.signs.values, "kind": decision.signs.kind}
            self._learn(decision.case, gain, decision.chance)
        else:
            self._failures[decision.case.places[1]] += 1
        self.learner.seen(decision.case, rendered)
        return note

    def _learn(self, case: RenderCase, gain: float, chance: float) -> None:
        self.learner.learn(case, gain)
        if gain < GAINED and chance < EXPECTED:
            self._wasted += 1

    def _reasons(self, decision: Decision) -> dict[str, Any]:
        parts = self.learner.parts(decision.signs.values)[:_PARTS]
        return {
            "chance": round(decision.chance, 3),
            "why": decision.why,
            "parts": {name: round(part, 2) for name, part in parts},
        }

    # -- known pages ----------------------------------------------------------------------------

    def restore(self, notes: Iterable[tuple[int, str, str]]) -> None:
        """Learn from the notes of earlier runs: id and URL of a page, and its note, in order."""
        for url_id, url, text in notes:
            note = json.loads(text)
            self.keep(url_id, note.get("plain"))
            if "signs" in note:
                template = int(template_places([url])[0])
                case = RenderCase(note["signs"], slot_of(url), note["kind"], template)
                self._learn(case, note["gain"], note["chance"])

    def keep(self, url_id: int, plain: str | None) -> None:
        """Keep the hash of the document of a shown page; None: it was not shown."""
        if plain is None:
            self._plain.pop(url_id, None)
        else:
            self._plain[url_id] = plain

    def plain_hash(self, url_id: int) -> str | None:
        """The hash of the document of a page that was shown when it was fetched last."""
        return self._plain.get(url_id)


def explained(text: str) -> str:
    """Return the note of a page in a sentence."""
    note = json.loads(text)
    parts = ", ".join(f"{name} {part:+.1f}" for name, part in note["parts"].items())
    reasons = f"chance of a gain {note['chance']:.2f}, {note['why']}" + (
        f": {parts}" if parts else ""
    )
    if "gain" not in note:
        return f"not shown in a browser ({reasons})"
    return (
        f"shown in a browser: {note['links']} links and {note['words']} words more than its "
        f"document, {note['seconds']:.1f} s ({reasons})"
    )
