"""The interface of a topic model: the relevance of a page, the prediction of a link.

A topic model is fitted once, before the first page, to the topic that the user gives: words or a
sentence, and texts of wanted pages. From then on it is a pure function of the text; only a person's
labels of pages (`scrapy frontier label`) have a model fitted anew. A model must not learn from the
pages of the crawl by itself: two crawls that fetch the same pages in another order have to judge
them alike, or their harvest cannot be compared.

`TopicModel` is the least that a model must have, so that a user's own stays short: it takes no
constructor arguments and is named by its path, `package.module.Class`. A model may have more, which
the functions below use:

* `judge(page)`: a `Judgement`, which separates similarity from relevance; without it, relevance is
  taken for both;
* `fit_labelled(topic, wanted, unwanted)`: learns from pages that are not wanted, too;
* `contrast(topic, wanted, unwanted, fetched)`: learns the same anew while the crawl runs, beside
  fetched pages; without it, the model judges as it did at the start;
* `matches(links)`: the matches of each part of a link; without it, a link's prediction is taken for
  that of its anchor.

`frontier/labels/learning.py` names what a model knows of its topic to the user, by its attributes
`vectors`, `missing` and `spelling` and its methods `understood` and `without_forms`, where it has
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from ranking.errors import TopicError

LinkWords = tuple[str, str, str]
"""Anchor, context and URL of a link."""


class PageText(NamedTuple):
    """The text of a page by where it stands.

    `text` is all that is visible, without the title; `heading`, the first of the highest level, is
    part of it.
    """

    text: str
    title: str = ""
    heading: str = ""


class Judgement(NamedTuple):
    """A page beside the topic.

    Attributes:
        relevance: how likely the page is about the topic, in [0, 1].
        similarity: of the page's words and the topic's, in [0, 1]: their cosine, or by how near
            they are in meaning where that is what pages are judged by.

    """

    relevance: float
    similarity: float


class LinkMatches(NamedTuple):
    """The matches of a link with the topic, each in [0, 1].

    Attributes:
        predicted: how likely the target is about the topic, by all the words of the link.
        anchor: the same by its text, or by the text in its place.
        context: the same by the words around it.
        address: the same by the words of its URL.
        near_anchor, near_context, near_address: the same by meaning alone; 0 of a model without
            meanings.

    """

    predicted: float
    anchor: float
    context: float
    address: float
    near_anchor: float = 0.0
    near_context: float = 0.0
    near_address: float = 0.0


SILENT: Final = LinkMatches(0.0, 0.0, 0.0, 0.0)
"""Those of a link without words of the topic, as most are."""


@runtime_checkable
class TopicModel(Protocol):
    """Text -> relevance, link -> prediction; both in [0, 1] and the same at every call."""

    def fit(self, topic: str, examples: Sequence[str]) -> None:
        """Learn a topic from words or a sentence, from texts of wanted pages, or from both.

        Raises `ranking.errors.TopicError` when there is nothing to learn from.
        """

    def relevance(self, text: str, title: str = "") -> float:
        """Return how much a page is about the topic; above 0.5 it counts as harvested."""

    def predict(self, anchor: str, context: str, url: str) -> float:
        """Return how likely a link leads to a wanted page, judged by its words alone."""

    def predict_links(self, links: Sequence[tuple[str, str, str]]) -> list[float]:
        """Return the prediction of each (anchor, context, url), as `predict` would."""

    def state(self) -> dict[str, Any]:
        """Return what `restore` needs, as JSON types, below 200 kB."""

    def restore(self, state: dict[str, Any]) -> None:
        """Become the model whose `state` this is; raises `TopicError` on a foreign state."""


def teach(
    model: TopicModel, topic: str, wanted: Sequence[str], unwanted: Sequence[str] = ()
) -> None:
    """Fit a model to words, to texts of wanted pages and to texts of unwanted ones.

    Raises TopicError where there is nothing to learn from, or for unwanted texts and a model that
    cannot learn from them.
    """
    fit_labelled = getattr(model, "fit_labelled", None)
    if fit_labelled is not None:
        fit_labelled(topic, wanted, unwanted)
    elif unwanted:
        raise TopicError(
            f"expected a topic model that learns from unwanted examples too; "
            f"{type(model).__name__} has no method fit_labelled(topic, wanted, unwanted). Leave "
            "them out, or use the default model."
        )
    else:
        model.fit(topic, wanted)


def teach_labelled(
    model: TopicModel, topic: str, wanted: Sequence[str], unwanted: Sequence[str]
) -> None:
    """As `teach`, but a model that cannot learn from unwanted texts learns from the others.

    Some labels are negative, and a label must not end a crawl.
    """
    teach(model, topic, wanted, unwanted if hasattr(model, "fit_labelled") else ())


def contrasted(
    model: TopicModel,
    topic: str,
    wanted: Sequence[str],
    unwanted: Sequence[str],
    fetched: Sequence[str],
) -> bool:
    """Contrast a model with fetched pages; whether it judges otherwise from now on.

    `topic`, `wanted` and `unwanted` are what it was fitted to; `fetched` are texts of pages
    whatever they are about.
    """
    contrast = getattr(model, "contrast", None)
    return contrast is not None and bool(contrast(topic, wanted, unwanted, fetched))


def judged(model: TopicModel, page: PageText) -> Judgement:
    """Return the judgement of a page by `model`; a page without text is about nothing."""
    if not page.text:
        return Judgement(0.0, 0.0)
    # By name, for every page: `isinstance` of a protocol takes ten times as long.
    judge: Callable[[PageText], Judgement] | None = getattr(model, "judge", None)
    if judge is not None:
        return judge(page)
    relevance = model.relevance(page.text, page.title)
    return Judgement(relevance, relevance)


def matches_of(model: TopicModel, links: Sequence[LinkWords]) -> list[LinkMatches]:
    """Return the matches of each link by `model`."""
    matches: Callable[[Sequence[LinkWords]], list[LinkMatches]] | None = getattr(
        model, "matches", None
    )
    if matches is not None:
        return matches(links)
    return [LinkMatches(predicted, predicted, 0.0, 0.0) for predicted in model.predict_links(links)]
