"""What a crawl asks of any topic model, with answers for models that know less.

`TopicModel` is the least that a model must have, so that a user's own stays short. A model may
know more, and these functions are the only place where that is asked for:

* `judge(page)`: a `Judgement`, which tells similarity from relevance;
  without it, relevance is asked for and taken for both;
* `fit_labelled(topic, wanted, unwanted)`: learns from pages that are not wanted, too;
* `contrast(topic, wanted, unwanted, fetched)`: learns the same anew while the crawl runs, beside
  what was fetched; without it, it judges as it did at the start;
* `matches(links)`: what each part of a link says; without it, a link's promise is taken for what
  its anchor says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

from ranking.errors import TopicError
from ranking.topics.base import TopicModel

__all__ = [
    "SILENT",
    "Judgement",
    "LinkMatches",
    "LinkWords",
    "PageText",
    "contrasted",
    "judged",
    "matches_of",
    "teach",
    "teach_labelled",
]

LinkWords = tuple[str, str, str]
"""Anchor, context and URL of a link."""


class PageText(NamedTuple):
    """What a page says, by where it says it.

    `text` is all that is visible, without the title.
    """

    text: str
    title: str = ""


class Judgement(NamedTuple):
    """A page beside the topic.

    Attributes:
        relevance: how likely the page is about the topic, in [0, 1].
        similarity: of the page's words and the topic's, in [0, 1]: by how near they are in
            meaning, or their cosine where no table of meanings knows the topic.

    """

    relevance: float
    similarity: float


class LinkMatches(NamedTuple):
    """What a link says of its target, each in [0, 1].

    Attributes:
        promise: how likely the target is about the topic, by all the words of the link.
        anchor: the same by its text, or by what stands for it.
        context: the same by the words around it.
        address: the same by the words of its URL.
        near_anchor, near_context, near_address: what these say by what they mean alone; 0 of a
            model that knows no meanings.

    """

    promise: float
    anchor: float
    context: float
    address: float
    near_anchor: float = 0.0
    near_context: float = 0.0
    near_address: float = 0.0


SILENT: Final = LinkMatches(0.0, 0.0, 0.0, 0.0)
"""Those of a link that says nothing of the topic, as most do."""


@runtime_checkable
class _Contrasting(Protocol):
    def contrast(
        self,
        topic: str,
        wanted: Sequence[str],
        unwanted: Sequence[str],
        fetched: Sequence[str],
    ) -> bool: ...


@runtime_checkable
class _Learner(Protocol):
    def fit_labelled(self, topic: str, wanted: Sequence[str], unwanted: Sequence[str]) -> None: ...


def teach(
    model: TopicModel, topic: str, wanted: Sequence[str], unwanted: Sequence[str] = ()
) -> None:
    """Fit a model to words, to texts of wanted pages and to texts of unwanted ones.

    Raises TopicError where there is nothing to learn from, or for unwanted texts and a model that
    cannot learn from them.
    """
    if isinstance(model, _Learner):
        model.fit_labelled(topic, wanted, unwanted)
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

    People who label pages say no as well as yes, and an answer must not end a crawl.
    """
    teach(model, topic, wanted, unwanted if isinstance(model, _Learner) else ())


def contrasted(
    model: TopicModel,
    topic: str,
    wanted: Sequence[str],
    unwanted: Sequence[str],
    fetched: Sequence[str],
) -> bool:
    """Show a model what the crawl has fetched; whether it judges otherwise from now on.

    The others are what it was fitted to; `fetched` are texts of pages whatever they are about.
    """
    return isinstance(model, _Contrasting) and model.contrast(topic, wanted, unwanted, fetched)


def judged(model: TopicModel, page: PageText) -> Judgement:
    """Return what `model` says of a page; a page without text is about nothing."""
    if not page.text:
        return Judgement(0.0, 0.0)
    # Asked for by name, of every page: `isinstance` of a protocol takes ten times as long.
    judge: Callable[[PageText], Judgement] | None = getattr(model, "judge", None)
    if judge is not None:
        return judge(page)
    relevance = model.relevance(page.text, page.title)
    return Judgement(relevance, relevance)


def matches_of(model: TopicModel, links: Sequence[LinkWords]) -> list[LinkMatches]:
    """Return what `model` says of each link."""
    matches: Callable[[Sequence[LinkWords]], list[LinkMatches]] | None = getattr(
        model, "matches", None
    )
    if matches is not None:
        return matches(links)
    return [LinkMatches(promise, promise, 0.0, 0.0) for promise in model.promises(links)]
