"""The default topic model reads words of any language, and pairs where words are not spaced."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ranking.topics import TfidfTopic

PAGES = {
    "de": (
        "Das Teleskop zeigt uns die Sterne einer Galaxie, und der Komet ist mit ihm zu sehen.",
        "Das Brot wird mit Butter gegessen, und der Ofen ist noch warm.",
    ),
    "ru": (
        "Этот телескоп показал нам звезды галактики, и комета была видна в него.",
        "Этот хлеб едят с маслом, и печь еще была теплой.",
    ),
    "zh": ("这个望远镜可以看到星系里的恒星和彗星。", "这个面包可以和黄油一起吃。"),
    "ar": (
        "هذا التلسكوب كان يرى النجوم في المجرة وكان المذنب مع النجوم",
        "هذا الخبز كان مع الزبدة في الفرن وكان هذا على الطاولة",
    ),
}
WORDS = {
    "de": "Teleskop Galaxie Komet",
    "ru": "телескоп галактики комета",
    "zh": "望远镜 星系 彗星",
    "ar": "التلسكوب المجرة المذنب",
}


def fitted(topic: str, examples: Sequence[str] = ()) -> TfidfTopic:
    model = TfidfTopic()
    model.fit(topic, examples)
    return model


@pytest.mark.parametrize("language", sorted(PAGES))
def test_words_and_examples_of_any_language_tell_pages_apart(language: str) -> None:
    wanted, other = PAGES[language]
    for model in (fitted(WORDS[language]), fitted("", [wanted]), fitted(WORDS[language], [wanted])):
        assert model.relevance(wanted) > 0.5
        assert model.relevance(other) < 0.2
    anchor = WORDS[language].split()[0]
    assert fitted(WORDS[language]).promise(anchor, "", "http://x.example/") > 0.5


@pytest.mark.parametrize("language", sorted(PAGES))
def test_common_words_of_its_language_are_no_part_of_a_topic(language: str) -> None:
    model = fitted("", [PAGES[language][0]])
    assert language in model.state()["languages"]
    common = {"de": "und", "ru": "был", "zh": "一个", "ar": "هذا"}[language]
    assert model.state()["weights"].get(common, 0.0) <= 0.0
