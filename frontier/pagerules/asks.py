"""What a page asks of whoever uses it, such as no training: kept and exported, never decided here.

* `noindex`, `noai` and `noimageai` of robots meta elements and X-Robots-Tag headers, for all
  crawlers or for a named one;
* TDM-Reservation and TDM-Policy (W3C Community Group, "TDM Reservation Protocol");
* Content-Usage (IETF, draft-ietf-aipref-attach).

The last three are headers, or meta elements of these names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from frontier.pagerules.directives import ALL, is_only_rules
from frontier.parsing.head import words_of

if TYPE_CHECKING:
    from frontier.parsing.content import PageContent

_USES: Final = ("noindex", "noai", "noimageai")
_LONGEST: Final = 1000
"""Characters kept of a page's requests."""


def asks_of(content: PageContent) -> str | None:
    """Return the requests of a page, such as `noai; tdm-reservation: 1`; None without any.

    A rule for one crawler begins with its name: `gptbot: noindex`.
    """
    asks = []
    for name, rules in content.robots:
        if name != ALL and not is_only_rules(rules):
            continue
        words = words_of(rules.replace("none", "noindex"))
        of = "" if name == ALL else f"{name}: "
        asks += [of + word for word in _USES if word in words]
    asks += [f"{name}: {' '.join(value.split())}" for name, value in content.asks]
    return "; ".join(dict.fromkeys(asks))[:_LONGEST] or None
