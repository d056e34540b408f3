"""Questions to a person about the pages whose labels would teach most.

Questions are about pages whose texts the crawl kept (`frontier/topic/samples.py`): mostly pages
that the topic model is unsure of (uncertainty sampling, Lewis and Gale 1994), every fourth drawn at
random, since the model may be wrong where it is sure; or only pages drawn at random, which tell the
harvest rate. Labelled pages are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from frontier.config import DEFAULT_STRATEGY, CrawlConfig
from frontier.errors import LabelsError
from frontier.estimates import HarvestRate
from frontier.formatting import clean, number
from frontier.labels.at_random import drawn_pages, rate_of_crawl, sampled_pages
from frontier.labels.label_file import Label, read_labels
from frontier.records import Sample
from frontier.store import StoreReader, UrlRow

CHANCE = 4
"""One in so many questions is about a page drawn at random."""
SHOWN = 600
"""Characters of a page's text: half a screen."""
PROMPT = "About your topic? [y]es, [n]o, [s]kip, [q]uit: "
_YES, _NO, _SKIP, _QUIT = (("y", "yes"), ("n", "no"), ("s", "skip", ""), ("q", "quit"))


class Question(NamedTuple):
    """A page to label; `relevance` is the topic model's, in [0, 1]."""

    url: str
    title: str
    text: str
    relevance: float


def questions(directory: Path, n: int, *, at_random: bool = False) -> list[Question]:
    """The n pages of a crawl, running or not, that would teach most; fewer if there are no more.

    With `at_random` the first n that were drawn at random, whatever they would teach.

    Raises LabelsError where no text was kept, StoreErrors for other directories.
    """
    labelled = {label.url for label in read_labels(directory)}
    with StoreReader.open(directory) as reader:
        samples = reader.samples()
        if not samples:
            raise LabelsError(
                f"expected pages to ask about, but the crawl in {directory} has kept the text of "
                f"none. Only a crawl with a topic keeps some: let it fetch a few pages, or name "
                f"pages yourself with --yes URL and --no URL"
            )
        sampled = sampled_pages(reader, {sample.url_id: sample.relevance for sample in samples})
        rows = {page.url_id: page.row for page in sampled}
        known = {url_id for url_id, row in rows.items() if row.url in labelled}
        by_id = {sample.url_id: sample for sample in samples}
        if at_random:
            drawn = (page.url_id for page in drawn_pages(reader, sampled))
            chosen = list(islice((url_id for url_id in drawn if url_id not in known), n))
        else:
            chosen = _chosen(samples, rows, known, n)
        return [_question(reader, rows[url_id], by_id[url_id]) for url_id in chosen]


def _chosen(
    samples: list[Sample], by_chance: Collection[int], known: Collection[int], n: int
) -> list[int]:
    """Ids of the samples to label, drawn at random in every fourth place."""
    unsure = sorted(samples, key=lambda sample: (abs(sample.relevance - 0.5), sample.url_id))
    telling = [sample.url_id for sample in unsure]
    chosen: list[int] = []
    for place in range(1, min(n, len(by_chance) - len(known)) + 1):
        pages = telling if place % CHANCE else []
        free = (page for page in (*pages, *by_chance) if page not in known and page not in chosen)
        chosen.append(next(free))
    return chosen


def _question(reader: StoreReader, row: UrlRow, sample: Sample) -> Question:
    page = reader.page_row(sample.url_id)
    title = "" if page is None else page.title or ""
    return Question(row.url, title, sample.text, sample.relevance)


def ask(
    asked: Iterable[Question], show: Callable[[str], None], read: Callable[[str], str]
) -> Iterator[Label]:
    """Put the questions in turn and yield each answer as it is given.

    Args:
        asked: the questions.
        show: shows a line.
        read: shows a prompt and returns the typed line; raises EOFError at the end of the input.

    """
    for question in asked:
        for line in _shown(question):
            show(line)
        answer = _answer(read)
        if answer in _QUIT:
            return
        if answer not in _SKIP:
            yield Label(question.url, answer in _YES)


def _shown(question: Question) -> list[str]:
    title = [clean(question.title, 100)] if question.title else []
    text = clean(question.text[: 2 * SHOWN], SHOWN)
    judged = f"predicted relevance {number(question.relevance)} (0 to 1)"
    return ["", *title, question.url, judged, text]


def _answer(read: Callable[[str], str]) -> str:
    while True:
        try:
            answer = read(PROMPT).strip().lower()
        except EOFError:
            return _QUIT[0]
        if answer in (*_YES, *_NO, *_SKIP, *_QUIT):
            return answer


def never_met(directory: Path, labels: Iterable[Label]) -> list[str]:
    """URLs of labels that the crawl has not met so far."""
    urls = [label.url for label in labels]
    with StoreReader.open(directory) as reader:
        wanted = np.array([*map(_config(reader).identify, urls)], np.int64)
        met = np.isin(wanted, reader.fingerprints()).tolist()
    return [url for url, is_met in zip(urls, met, strict=True) if not is_met]


def rate_in(directory: Path) -> HarvestRate | None:
    """The harvest rate by the labels of the crawl in a directory; None if they are too few."""
    with StoreReader.open(directory) as reader:
        return rate_of_crawl(reader, _config(reader), directory)


def _config(reader: StoreReader) -> CrawlConfig:
    # A strategy of a project can be imported there alone.
    return CrawlConfig.stored(reader.settings(), strategy=DEFAULT_STRATEGY)
