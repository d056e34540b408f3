"""The same words of one host count once: whatever is said, and however a crawl is resumed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.records import LinkText
from frontier.states import NOFOLLOW
from frontier.store.link_text import KEPT, REPEATED, SAID, TOPICAL, LinkTexts
from frontier.strategy.repeated_anchors import MOST_TEXTS, MOST_VOICES, RepeatedAnchors, topical
from frontier.topic.relevance import voice_of

# Few targets, anchors and surroundings, so that nearly everything is said again.
VOICE = st.one_of(
    st.just(0), st.builds(lambda a, b: a << 16 | b, st.integers(0, 4), st.integers(1, 4))
)
LINK = st.tuples(st.integers(0, 2), VOICE, st.tuples(*[st.integers(0, 255)] * 3), st.booleans())
PAGES = st.lists(st.tuples(st.lists(LINK, max_size=8), st.floats(0, 1, width=32)), max_size=12)


class Naive:
    """One link at a time, in sets."""

    def __init__(self) -> None:
        self.heard: dict[int, list[int]] = {}
        self.texts: dict[int, int] = {}

    def page(self, links: list[tuple[int, int]]) -> list[int]:
        before = {target: list(voices) for target, voices in self.heard.items()}
        flags = []
        for at, (target, voice) in enumerate(links):
            known = before.get(target, []) + [v for t, v in links[:at] if t == target]
            flag = REPEATED * (voice in known) | SAID * (voice >> 16 in [v >> 16 for v in known])
            flags.append(flag if voice else 0)
        for target, voice in links:
            heard = self.heard.setdefault(target, [])
            if voice and voice not in heard and len(heard) < MOST_VOICES:
                heard.append(voice)
        return flags

    def keep(self, links: list[tuple[int, int]], flags: list[int]) -> list[int]:
        kept = []
        for (target, _), flag in zip(links, flags, strict=True):
            keep = not flag & REPEATED and self.texts.get(target, 0) < MOST_TEXTS
            self.texts[target] = self.texts.get(target, 0) + keep
            kept.append(KEPT * keep)
        return kept


def weighed(
    voices: RepeatedAnchors, targets: np.ndarray, said: np.ndarray, texts: Sequence[str] = ()
) -> list[int]:
    """Flags of the links of one page, which say nothing of the topic."""
    k = len(targets)
    flags, contexts = np.zeros(k, np.uint8), list(texts) or [""] * k
    no_cues, no_similarity = np.zeros((k, 3), np.uint8), np.zeros(k, np.float32)
    voices.weigh(targets, said, no_cues, no_similarity, contexts, flags, again=False)
    return flags.tolist()


def crawled(pages) -> tuple[RepeatedAnchors, list[LinkTexts]]:
    """What a crawl remembers of pages, each link of which was marked as the naive model says."""
    voices, naive, history = RepeatedAnchors(), Naive(), []
    for links, similarity in pages:
        targets = np.array([link[0] for link in links], np.int32)
        spoken = np.array([link[1] for link in links], np.uint32)
        cues = np.array([link[2] for link in links], np.uint8).reshape(-1, 3)
        nofollow = np.array([link[3] for link in links], np.bool_) * np.uint8(NOFOLLOW)
        pairs = [link[:2] for link in links]
        of_page = np.full(len(links), similarity, np.float32)
        said = targets, spoken, cues, np.where(nofollow, np.float32(0), of_page)
        flags = nofollow.copy()
        texts = voices.weigh(*said, ["text"] * len(links), flags, again=False)
        marks = (flags & (REPEATED | SAID)).tolist()
        assert marks == naive.page(pairs)
        kept = (flags & KEPT).tolist()
        assert kept == naive.keep(pairs, marks)
        assert texts == ["text" if keep else "" for keep in kept]
        history.append(LinkTexts(targets, flags, of_page, LinkText(cues, spoken)))
    return voices, history


def joined(history: list[LinkTexts]) -> LinkTexts:
    columns = zip(*((one.targets, one.flags, one.similarity) for one in history), strict=True)
    cues = np.concatenate([one.said.cues for one in history])
    said = LinkText(cues, np.concatenate([one.said.voices for one in history]))
    return LinkTexts(*map(np.concatenate, columns), said)


@given(PAGES, PAGES)
def test_what_is_loaded_goes_on_as_what_was_remembered_page_by_page(before, after):
    voices, history = crawled(before)
    for portions in (history, [joined(history)] if history else []):
        loaded = RepeatedAnchors()
        loaded.load(portions)
        assert [loaded.best(one) for one in range(4)] == [voices.best(one) for one in range(4)]
        known, _ = crawled(before)
        for links, _ in after:
            targets = np.array([link[0] for link in links], np.int32)
            spoken = np.array([link[1] for link in links], np.uint32)
            assert weighed(loaded, targets, spoken) == weighed(known, targets, spoken)
            assert weighed(loaded, targets[:0], spoken[:0]) == []
        about = np.arange(3, dtype=np.int32), np.zeros(3, np.uint32), ["text"] * 3
        for _ in range(MOST_TEXTS + 1):
            assert weighed(loaded, *about) == weighed(known, *about)


def ids(*targets: int) -> np.ndarray:
    return np.array(targets, np.int32)


def spoken(*words: tuple[str, str, str]) -> np.ndarray:
    return np.array([voice_of(*one) for one in words], np.uint32)


def test_an_anchor_is_heard_once_a_host_and_its_surroundings_once_more():
    voices = RepeatedAnchors()
    menu, text = ("a", "Comets", "Home | Asteroids"), ("a", "Comets", "ice and dust")
    other = ("b", "Comets", "Home | Asteroids")
    found = []
    for words in (menu, menu, text, other, text):
        found += weighed(voices, ids(5), spoken(words))
    assert found == [0, REPEATED | SAID, SAID, 0, REPEATED | SAID]
    assert weighed(voices, ids(6), spoken(menu)) == [0]


def test_only_so_many_voices_are_remembered_and_later_ones_are_heard_each_time():
    voices = RepeatedAnchors()
    many = spoken(*(("a", f"word {i}", "") for i in range(MOST_VOICES + 1)))
    same = np.zeros(len(many), np.int32)
    for _ in range(2):
        voices.remember(
            same, many, np.zeros((len(many), 3), np.uint8), np.zeros(len(many), np.float32)
        )
    both = REPEATED | SAID
    assert weighed(voices, same, many) == [both] * MOST_VOICES + [0]


def test_the_best_that_was_said_of_a_url_is_known_and_nothing_of_others():
    voices = RepeatedAnchors()
    cues = np.array([[1, 200, 3], [4, 5, 6]], np.uint8)
    similarity = np.array([0.25, 0.5], np.float32)
    voices.remember(ids(1, 1), spoken(("a", "x", ""), ("b", "x", "")), cues, similarity)
    assert voices.best(1) == ((4, 200, 6), 0.5)
    assert voices.best(0) == voices.best(99) == ((0, 0, 0), 0.0)


@pytest.mark.parametrize(
    ("cues", "expected"),
    [((128, 0, 0), TOPICAL), ((0, 128, 0), TOPICAL), ((127, 127, 255), 0), ((0, 0, 0), 0)],
)
def test_a_link_is_topical_by_its_text_or_its_surroundings(cues, expected):
    assert topical(np.array([cues], np.uint8)).tolist() == [expected]
