"""What is said of a topic that nothing can be learned from."""

from __future__ import annotations

from collections.abc import Sequence

from ranking.topics.common import FUNCTION_WORDS
from ranking.topics.terms import words

__all__ = ["nothing_to_learn"]

_SHOWN = 80  # characters of what was given


def nothing_to_learn(topic: str, examples: Sequence[str]) -> str:
    """Return the message for a topic without a telling word: which of its words were understood."""
    common = [word for word in words(topic) if word in FUNCTION_WORDS]
    understood = ", ".join(dict.fromkeys(common)) or "none"
    return (
        "expected a topic with at least one telling word, or an example page with text; "
        f"got topic {topic[:_SHOWN]!r} (words understood: {understood[:_SHOWN]}; those stand on "
        f"any page) and {len(examples)} example(s) without usable words. Name the topic by a few "
        "words of its own, such as 'solar telescopes', or give the addresses of pages that are "
        "about it."
    )
