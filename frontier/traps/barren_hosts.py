"""Which hosts fall behind: they had no relevant page while the others had many.

Since the last relevant page of a host, its u pages without one are held against the N pages of all
others, of which K were relevant. Were the host as good as they, all K would lie among the N by
chance alone, with probability

    C(N, K) / C(N + u, K)  <=  (N / (N + u))^K

(Fisher's exact test). The host *falls behind* where that is less than 1 in 20, shared out among the
looks that one takes at it, as often as u doubles: for 2^j pages .05 / ((j + 1) (j + 2)).

Its URLs wait, they do not end. They go on when the latest pages of the others, at least u, brought
no more relevant ones than u pages without any allow for: a share of 3 / u (95 %). And when nothing
else is left, the host that had the fewest pages in vain goes on, until it has had twice as many.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from math import log

_CHANCE = 0.05
_RULE_OF_THREE = 3


@dataclass(slots=True)
class HostTrial:
    """A host since its last relevant page, or since it was given another chance.

    `pages` and `relevant` are those of the whole crawl when that was, or when the host was looked
    at last while it waits. Of its own pages `unrelated` counts those since then, `row` all since
    the last relevant one; if others wait, it waits too when these are `until`, unless that is 0.
    """

    pages: int = 0
    relevant: int = 0
    unrelated: int = 0
    row: int = 0
    until: int = 0


class Harvest:
    """Pages and relevant pages of a crawl, and the hosts that wait for better ones."""

    def __init__(self) -> None:
        self.pages = 0
        self.relevant = 0
        self.behind: OrderedDict[str, HostTrial] = OrderedDict()
        """The hosts that wait; the first one was not looked at for longest."""

    def begin(self) -> HostTrial:
        """Begin the trial of a host that was never met."""
        return HostTrial(self.pages, self.relevant)

    def judged(self, host: str, trial: HostTrial, *, relevant: bool) -> None:
        """Take in a page of a host."""
        self.pages += 1
        self.relevant += relevant
        if relevant:
            trial.pages, trial.relevant = self.pages, self.relevant
            trial.unrelated = trial.row = trial.until = 0
            self.behind.pop(host, None)
        else:
            trial.unrelated += 1
            trial.row += 1
            trial.pages += host in self.behind  # where only those of the others are counted

    def waits(self, host: str, trial: HostTrial) -> bool:
        """Whether a host waits for better ones; from here on if it has just fallen behind."""
        if host not in self.behind:
            had_its_turn = bool(self.behind) and 0 < trial.until <= trial.row
            if not had_its_turn and not self._falls_behind(trial):
                return False
            self.behind[host] = trial
            self._count_from_here(trial)
        return True

    def _falls_behind(self, trial: HostTrial) -> bool:
        u, k = trial.unrelated, self.relevant - trial.relevant
        n = self.pages - trial.pages - u
        if not u or n <= 0 or not k:
            return False
        j = u.bit_length()
        return k * log(n / (n + u)) < log(_CHANCE / (j * (j + 1)))

    def _count_from_here(self, trial: HostTrial) -> None:
        trial.pages, trial.relevant = self.pages, self.relevant

    def caught_up(self) -> str | None:
        """Look at one of the hosts that wait; return it if it goes on from now."""
        if not self.behind:
            return None
        host, trial = next(iter(self.behind.items()))
        n, k = self.pages - trial.pages, self.relevant - trial.relevant
        if n >= trial.row and k * trial.row <= _RULE_OF_THREE * n:
            self._try_again(host)
            return host
        self.behind.move_to_end(host)
        if n >= trial.row:
            self._count_from_here(trial)
        return None

    def next_best(self) -> str | None:
        """Let the host go on that had the fewest pages in vain, for as many again; return it."""
        if not self.behind:
            return None
        host = min(self.behind, key=lambda one: (self.behind[one].row, one))
        self._try_again(host, 2 * self.behind[host].row)
        return host

    def _try_again(self, host: str, until: int = 0) -> None:
        """Give a host that waits another chance: what was before is not held against it."""
        trial = self.behind.pop(host)
        self._count_from_here(trial)
        trial.unrelated = 0
        trial.until = until
