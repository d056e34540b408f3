"""The contrast of examples with other pages of the same web: a second opinion on relevance.

A few examples are about the topic, and about everything else that pages of such a web have in
common. So a ridge regression is fitted to the examples (1) against texts that the crawl has fetched
(0), in the dual, because there are many more terms than texts. Terms weigh by how few of these
texts hold them. Which of the fetched texts stand for what is not wanted is decided by the judge
that was fitted before the crawl and never changes, so nothing here feeds on itself.

Sources: ridge regression in dual variables, Saunders, Gammerman, Vovk 1998; unlabelled pages as
weighted negatives, Lee and Liu 2003.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from ranking.arrays import FloatArray
from ranking.topics._lexicon import Reading

Counted = Mapping[str, int]
"""Term -> how often a text has it; terms that tell nothing are left out."""

_STIFFNESS: Final = 1.0  # of the ridge; vectors have length 1
_WANTED: Final = 0.25  # weight of all examples together, by that of all other texts
_LEAST_CUT: Final = 0.02  # evidence; examples that share nothing would set it to 0
_TERMS: Final = 1024  # columns of a dense part: a megabyte
_DIGITS: Final = 6  # of a number that is kept


class Contrast(NamedTuple):
    """A linear judge of texts.

    Attributes:
        terms: term -> rarity and weight.
        unseen: rarity of any other term.
        level: evidence of a text without any of the terms.
        cut: evidence of a text that is as likely wanted as not; above 0.

    """

    terms: dict[str, tuple[float, float]]
    unseen: float
    level: float
    cut: float

    @classmethod
    def fitted(cls, wanted: Sequence[Counted], others: Sequence[Counted], above: float) -> Contrast:
        """Fit to texts that are wanted, two at least, and to others, one at least.

        The cut is `above` times what an example is worth to a judge that learned from the rest.
        """
        rarity, unseen, held = _rarities([*wanted, *others])
        vectors = [_unit(text, rarity) for text in (*wanted, *others)]
        products = _products(vectors)
        factors, level = _solved(products, len(wanted))
        weights = dict.fromkeys(rarity, 0.0)
        for factor, vector in zip(factors.tolist(), vectors, strict=True):
            for term, value in vector.items():
                weights[term] += factor * value
        in_examples = {term for text in wanted for term in text}
        kept = {
            term: (round(rarity[term], _DIGITS), round(weights[term], _DIGITS))
            for term in rarity
            if held[term] > 1 or term in in_examples  # a term of one other text tells nothing
        }
        cut = max(above * _left_out(products, len(wanted)), _LEAST_CUT)
        return cls(kept, *(round(number, _DIGITS) for number in (unseen, level, cut)))

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Contrast:
        """The contrast of a `state`; raises KeyError, TypeError or ValueError on any other."""
        terms = {
            str(term): (float(rarity), float(weight))
            for term, (rarity, weight) in state["terms"].items()
        }
        numbers = [float(state[name]) for name in ("unseen", "level", "cut")]
        if not all(map(math.isfinite, (*numbers, *(n for pair in terms.values() for n in pair)))):
            raise ValueError("numbers that are finite")
        if numbers[-1] <= 0.0:
            raise ValueError("a cut above 0")
        return cls(terms, *numbers)

    @property
    def state(self) -> dict[str, Any]:
        """What `restored` needs, as JSON types."""
        return {**self._asdict(), "terms": {term: list(pair) for term, pair in self.terms.items()}}

    def of(self, term: str) -> tuple[float, float]:
        """Rarity and weight of a term."""
        return self.terms.get(term, (self.unseen, 0.0))

    def evidence(self, text: Reading) -> float:
        """How much a text is like the examples: about 1 for them, about 0 for others."""
        squares = text.rare_squares
        return self.level + (text.rare_product / math.sqrt(squares) if squares else 0.0)


def _rarities(texts: Sequence[Counted]) -> tuple[dict[str, float], float, Counter[str]]:
    """Inverse document frequency of each term, that of no text, and how many texts hold each."""
    held = Counter(term for text in texts for term in text)
    most = 1 + len(texts)
    rarity = {term: math.log(most / (1 + df)) + 1.0 for term, df in held.items()}
    return rarity, math.log(most) + 1.0, held


def _unit(text: Counted, rarity: Mapping[str, float]) -> dict[str, float]:
    weighed = {term: (1.0 + math.log(tf)) * rarity[term] for term, tf in text.items()}
    length = math.sqrt(math.fsum(value * value for value in weighed.values())) or 1.0
    return {term: value / length for term, value in weighed.items()}


def _products(vectors: Sequence[Mapping[str, float]]) -> FloatArray:
    """(n, n) cosines of unit vectors, some terms at a time."""
    numbers: dict[str, int] = {}
    terms = np.array([numbers.setdefault(term, len(numbers)) for v in vectors for term in v])
    texts = np.repeat(np.arange(len(vectors)), [len(vector) for vector in vectors])
    values = np.array([value for vector in vectors for value in vector.values()])
    by_term = np.argsort(terms, kind="stable")
    firsts = range(0, len(numbers), _TERMS)
    ends = np.searchsorted(terms[by_term], [*firsts, len(numbers)])
    products = np.zeros((len(vectors), len(vectors)))
    for number, first in enumerate(firsts):
        these = by_term[ends[number] : ends[number + 1]]
        part = np.zeros((len(vectors), _TERMS))
        part[texts[these], terms[these] - first] = values[these]
        products += part @ part.T
    return products


def _solved(products: FloatArray, wanted: int) -> tuple[FloatArray, float]:
    """Dual variables (n,) and level of the weighted regression: the first `wanted` on 1, else 0."""
    n = len(products)
    weight = np.ones(n)
    weight[:wanted] = _WANTED * (n - wanted) / wanted
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = products + np.diag(_STIFFNESS / weight)
    system[n, n] = 0.0
    goal = np.zeros(n + 1)
    goal[:wanted] = 1.0
    solution = np.asarray(np.linalg.solve(system, goal), np.float64)
    return solution[:n], float(solution[n])


def _left_out(products: FloatArray, wanted: int) -> float:
    """Mean evidence of the examples, each judged by a fit to the others; not below 0."""
    worth = []
    for held in range(wanted):
        rest = np.delete(np.arange(len(products)), held)
        factors, level = _solved(products[np.ix_(rest, rest)], wanted - 1)
        worth.append(max(level + float(products[held, rest] @ factors), 0.0))
    return math.fsum(worth) / wanted
