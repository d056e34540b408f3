"""What the ready-made crawl is asked for, by whichever way: spider, command, Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.errors import SettingsError
from ranking.orders import order_class
from ranking.spelling import or_rather
from ranking.topics.files import names_a_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ARGUMENTS = {
    "topic": "FRONTIER_TOPIC",
    "examples": "FRONTIER_EXAMPLES",
    "not_examples": "FRONTIER_NOT_EXAMPLES",
    "strategy": "FRONTIER_STRATEGY",
    "scores": "FRONTIER_SCORES",
    "distrust": "FRONTIER_DISTRUST",
}
"""Arguments of the spider beside `seeds` and `stay`, and the settings that they are short for."""


def require_known(given: Iterable[str]) -> None:
    """Raise SettingsError for an argument that the spider does not have."""
    known = ("seeds", "stay", *ARGUMENTS)
    for name in given:
        if name not in ARGUMENTS:
            raise SettingsError(
                f"The spider has no argument {name!r}{or_rather(name, known)}. Expected "
                f"-a NAME=... with one of {', '.join(known)}"
            )


def require_topic(setting: Callable[[str], object]) -> None:
    """Raise SettingsError without a topic, and UnknownOrderError for a strategy nobody knows."""
    strategy = str(setting("FRONTIER_STRATEGY") or "")
    needs_topic = not strategy or order_class(strategy).uses_topic
    words, examples = (str(setting(ARGUMENTS[name]) or "") for name in ("topic", "examples"))
    if words.strip() or examples.strip() or names_a_file(str(setting("TOPIC_MODEL") or "")):
        return  # a classifier in a file knows its topic
    if needs_topic:
        raise SettingsError(
            "Expected a topic, found none. Give words or a sentence (topic), pages of the kind you "
            "want (examples), or a strategy that needs no topic, such as ppr (strategy)"
        )
