"""From the words and examples of a topic to a linear judge of pages: weights, and the cut.

The cut is the evidence of a page that makes a relevance of one half. With examples it is what an
example is worth to a judge that learned from the other examples (leave-one-out), raised by a factor
that falls with their number: few examples agree on much that is not the topic. The cut of a single
example is a constant. A topic of words alone has no cut: its scale is fixed (`evidence.py`).

Once the crawl has fetched pages, the judge of a topic with examples is fitted again beside the
pages that are least like the topic. What all of these pages share, such as the menu of a site,
counts less from then on, and a contrast (`contrast.py`) tells the examples from these pages.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from ranking.topics.forms import Forms
from ranking.topics.frequencies import Levels
from ranking.topics.learn import Example, Fit, learned, page_of, read_examples
from ranking.topics.pages import TopicReader

if TYPE_CHECKING:
    from ranking.topics.contrast import Counted

_FEW_EXAMPLES: Final = 1.2  # by their number: how far few examples understate the rest
_SINGLE_EXAMPLE: Final = 0.15  # evidence
_LEAST_CUT: Final = 0.02  # evidence; examples that share nothing would set it to 0
_HELD_OUT: Final = 40  # examples that are left out in turn; more change nothing
_UNLIKE: Final = 0.7  # of the fetched pages, least like the topic, the examples are set against
_FEWEST: Final = 5  # such pages
_SET_AGAINST: Final = 40  # examples; more change nothing


def fit_texts(
    keywords: Sequence[str],
    wanted: Sequence[str],
    unwanted: Sequence[str],
    levels: Levels,
    forms: Forms,
) -> Fit | None:
    """Fit to terms of words, texts of wanted and of unwanted pages; None without a telling word."""
    likes, dislikes = read_examples(wanted, levels), read_examples(unwanted, levels)
    if not keywords and not likes:
        return None
    cut = _cut(keywords, likes, dislikes, levels, forms) if likes else 1.0
    weights = learned(keywords, likes, dislikes, levels)
    return Fit(weights, cut, levels, keywords, bool(likes))


def _cut(
    keywords: Sequence[str],
    likes: list[Example],
    dislikes: list[Example],
    levels: Levels,
    forms: Forms,
) -> float:
    if len(likes) == 1:
        return _SINGLE_EXAMPLE
    worth = []
    for held in range(0, len(likes), -(-len(likes) // _HELD_OUT)):
        others = likes[:held] + likes[held + 1 :]
        weights = learned(keywords, others, dislikes, levels)
        reader = TopicReader(weights, levels, keywords, forms)
        page = likes[held].page
        worth.append(reader.evidence(page, reader.similarity(reader.read(page.text))))
    return max(_above(likes) * math.fsum(worth) / len(worth), _LEAST_CUT)


def fit_beside(
    keywords: Sequence[str],
    wanted: Sequence[str],
    unwanted: Sequence[str],
    fetched: Sequence[str],
    languages: Sequence[str],
    forms: Forms,
) -> Fit | None:
    """Fit as `fit_texts` does, beside the fetched texts that are least like the topic.

    None where no example has a telling word, or fewer than five of these texts have. There is a
    contrast from two examples on: what a single one shares with others is unknown.
    """
    levels = Levels(languages, keywords)
    likes, dislikes = read_examples(wanted, levels), read_examples(unwanted, levels)
    weights = learned(keywords, likes, dislikes, levels)
    reader = TopicReader(weights, levels, keywords, forms)
    ranked = sorted(fetched, key=lambda text: reader.similarity(reader.read(text)))
    others = ranked[: round(_UNLIKE * len(ranked))]
    levels = levels.on([reader.terms_of(text) for text in others])
    fit = fit_texts(keywords, wanted, unwanted, levels, forms)
    if fit is None:
        return None
    alike = _counted((page_of(text).text for text in wanted[:_SET_AGAINST]), reader, levels)
    unlike = _counted(others, reader, levels)
    if not alike or len(unlike) < _FEWEST:
        return None
    from ranking.topics.contrast import Contrast  # numpy

    contrast = Contrast.fitted(alike, unlike, _above(alike)) if len(alike) > 1 else None
    return fit._replace(by_examples=True, contrast=contrast)


def _counted(texts: Iterable[str], reader: TopicReader, levels: Levels) -> list[Counted]:
    """How often each text has which telling terms; texts without any are left out."""
    counts = (Counter(reader.terms_of(text)) for text in texts)
    telling = ({term: n for term, n in each.items() if levels.level(term)} for each in counts)
    return [each for each in telling if each]


def _above(examples: Sequence[object]) -> float:
    """How many times its leave-one-out worth the cut is."""
    return 1.0 + _FEW_EXAMPLES / len(examples)
