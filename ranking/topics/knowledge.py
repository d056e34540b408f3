"""All that a topic model has learned of a topic, and the form in which a crawl stores it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ranking.errors import TopicError
from ranking.topics.conjunction import Conjunction
from ranking.topics.frequencies import Levels
from ranking.topics.learn import Fit

_VERSION: Final = 5


@dataclass(frozen=True)
class Knowledge:
    """The state of a topic that was learned.

    Attributes:
        fit: the linear judge.
        words: the topic's, as they are written.
        conjunction: how much of the topic each of these is.
        spelling: word of the topic that no table knows -> the word that is spelled most like it.
        meant: terms whose meaning is the topic's.
        vectors: the table of word vectors, as people read it; "none" and the reason without.
        table: spec and checksum of this table; "" and 0 without.

    """

    fit: Fit
    words: tuple[str, ...]
    conjunction: Conjunction
    spelling: Mapping[str, str]
    meant: tuple[str, ...]
    vectors: str
    table: tuple[str, int]

    def state(self) -> dict[str, Any]:
        """Return the JSON values that `restored` takes."""
        fit, conjunction = self.fit, self.conjunction
        return {
            "version": _VERSION,
            "cut": fit.cut,
            "languages": list(fit.levels.languages),
            "keywords": list(fit.keywords),
            "common": dict(fit.levels.common),
            "weights": dict(fit.weights),
            "vectors": self.vectors,
            "words": list(self.words),
            "spelling": dict(self.spelling),
            "table": list(self.table),
            "meant": list(self.meant),
            "information": dict(conjunction.information),
            "joined": {term: list(parts) for term, parts in conjunction.joined.items()},
            "examples": fit.by_examples,
            **({} if fit.contrast is None else {"contrast": fit.contrast.state}),
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Knowledge:
        """The knowledge whose `state` this is; raises `TopicError` on a foreign state."""
        try:
            version, knowledge = state["version"], cls._read(state)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise TopicError(_foreign(f"a state without a valid {error}")) from error
        if version != _VERSION:
            raise TopicError(_foreign(f"version {version!r}"))
        cut, weights = knowledge.fit.cut, knowledge.fit.weights.values()
        if not 0.0 < cut < math.inf or not all(map(math.isfinite, weights)):
            raise TopicError(_foreign("numbers that are not finite, or a cut that is not positive"))
        if not any(weight > 0.0 for weight in weights):
            raise TopicError(_foreign("no weight above 0"))
        return knowledge

    @classmethod
    def _read(cls, state: Mapping[str, Any]) -> Knowledge:
        keywords = [str(term) for term in state["keywords"]]
        common = {str(term): float(share) for term, share in state["common"].items()}
        contrast = None
        if "contrast" in state:
            from ranking.topics.contrast import Contrast  # numpy

            contrast = Contrast.restored(state["contrast"])
        return cls(
            Fit(
                {str(term): float(weight) for term, weight in state["weights"].items()},
                float(state["cut"]),
                Levels([str(language) for language in state["languages"]], keywords, common),
                keywords,
                bool(state["examples"]),
                contrast,
            ),
            tuple(map(str, state["words"])),
            Conjunction(
                {str(term): float(bits) for term, bits in state["information"].items()},
                {str(term): [*map(str, parts)] for term, parts in state["joined"].items()},
            ),
            {str(word): str(other) for word, other in state["spelling"].items()},
            tuple(str(term) for term in state["meant"]),
            str(state["vectors"]),
            (str(state["table"][0]), int(state["table"][1])),
        )


def _foreign(got: str) -> str:
    return (
        f"expected the state of a TfidfTopic, version {_VERSION}; got {got}. "
        "Resume with the topic model the crawl was started with, or start a new crawl."
    )
