"""Rebuild ranking/topics/words: the common terms of forty languages and how common they are.

::

    python -m pip install wordfreq==3.1.1
    python tools/word_table.py

wordfreq counts words in subtitles, news, books, web pages, encyclopedias and more; its data may be
redistributed under CC BY-SA 4.0, and so may this extract of it (ranking/topics/words/LICENSE).
Kept are the terms (as ranking/topics/terms.py makes them of words) that occur at least once in
10,000 words: rarer ones are all told alike. No text of a recorded web has any part in it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

from wordfreq import available_languages, get_frequency_dict

from ranking.topics.terms import terms

FOLDER = Path(__file__).resolve().parents[1] / "ranking" / "topics" / "words"
LEAST = 5.0  # on the Zipf scale: log10 of the occurrences in a billion words


def main() -> None:
    """Write one file for each language."""
    for language in sorted(available_languages("small")):
        target = FOLDER / f"{language}.txt"
        target.write_text(table(get_frequency_dict(language, "small")), encoding="utf-8")
        print(target.name, target.stat().st_size)


def table(frequencies: dict[str, float]) -> str:
    """One line for each tenth of the Zipf scale, most common first: the number and its terms."""
    total: defaultdict[str, float] = defaultdict(float)
    for word, frequency in frequencies.items():
        for term in filter(_is_word, terms(word)):
            total[term] += frequency
    rows: defaultdict[float, list[str]] = defaultdict(list)
    for term, frequency in total.items():
        zipf = round(math.log10(frequency) + 9.0, 1)
        if zipf >= LEAST:
            rows[zipf].append(term)
    return "".join(f"{z:.1f} {' '.join(sorted(rows[z]))}\n" for z in sorted(rows, reverse=True))


def _is_word(term: str) -> bool:
    return not term.isdigit()  # wordfreq writes all numbers of a length as one


if __name__ == "__main__":
    main()
