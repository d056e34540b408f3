"""The default topic model reads words of any language, and pairs where words are not spaced."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal
from unicodedata import normalize

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
    model = TfidfTopic("off")
    model.fit(topic, examples)
    return model


@pytest.mark.parametrize("language", sorted(PAGES))
def test_words_and_examples_of_any_language_tell_pages_apart(language: str) -> None:
    wanted, other = PAGES[language]
    for model in (fitted(WORDS[language]), fitted("", [wanted]), fitted(WORDS[language], [wanted])):
        assert model.relevance(wanted) > 0.5
        assert model.relevance(other) < 0.2
    anchor = WORDS[language].split()[0]
    assert fitted(WORDS[language]).predict(anchor, "", "http://x.example/") > 0.5


@pytest.mark.parametrize("language", sorted(PAGES))
def test_common_words_of_its_language_are_no_part_of_a_topic(language: str) -> None:
    model = fitted("", [PAGES[language][0]])
    assert language in model.state()["languages"]
    common = {"de": "und", "ru": "был", "zh": "一个", "ar": "هذا"}[language]
    assert model.state()["weights"].get(common, 0.0) <= 0.0


SCRIPTS = {
    "Latin": ("bdfgklmnprst", "aeiou"),
    "Cyrillic": ("бдфгклмнпрст", "аеиоу"),
    "Devanagari": ("कगचजटडतदनपबम", "ािीुे"),
    "Bengali": ("কগচজটডতদনপবম", "ািীুে"),
    "Tamil": ("கஙசஞடணதநபமயர", "ாிீுெ"),
    "Burmese": ("ကဂစဇတဒနပဗမယရ", "ာိီုေ"),
    "Khmer": ("កគចជតទនបពមយរ", "ាិីុេ"),
    "Thai": ("กคจชตทนบพมยร", "ิีึืุ"),
    "Arabic": ("بجدرزسشعفقكل", "\u064e\u064f\u0650\u0652\u0651"),
    "Hebrew": ("בגדזטכלמנספק", "\u05b7\u05b8\u05b4\u05b5\u05bb"),
    "Hangul": (
        "\u1100\u1102\u1103\u1105\u1106\u1107\u1109\u110c\u110e\u110f\u1110\u1112",
        "\u1161\u1165\u1169\u116e\u1175",
    ),
}


UNSPACED = {"Burmese", "Khmer", "Thai"}


def site(script: str) -> tuple[str, list[str], list[str]]:
    """A topic of three words, pages that say each twice, and pages of the same letters."""
    consonants, vowels = SCRIPTS[script]
    chance = Random(29)
    spelled = [[(chance.randrange(12), chance.randrange(5)) for _ in range(4)] for _ in range(90)]
    lexicon = ["".join(consonants[c] + vowels[v] for c, v in word) for word in spelled]
    topic, rest = lexicon[:3], lexicon[3:]
    others = [chance.choices(rest, k=40) for _ in range(40)]
    wanted = [chance.sample([*topic, *topic, *page], k=46) for page in others[::2]]
    space = "" if script in UNSPACED else " "
    return (
        " ".join(topic),
        [space.join(page) for page in wanted],
        [space.join(page) for page in others],
    )


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_site_is_judged_alike_in_any_script(script: str, form: Literal["NFC", "NFD"]) -> None:
    topic, *kinds = site(script)
    pages = [[normalize(form, page) for page in kind] for kind in kinds]
    by_words, by_examples = fitted(topic), fitted("", kinds[0][:4])
    high, low = (list(map(by_words.relevance, kind)) for kind in pages)
    assert min(high) > 0.5 > 0.1 > max(low)
    high, low = (list(map(by_examples.relevance, kind)) for kind in pages)
    assert sum(one > other for one in high for other in low) > 0.99 * len(high) * len(low)
    predicted = [by_words.predict(word, "", "http://x.example/") for word in topic.split()]
    assert min(predicted) > 0.5
    assert by_words.predict(kinds[1][0][:40], "", "http://x.example/") < 0.2
