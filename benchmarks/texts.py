"""Main texts: how good they are by type of page, what repeats in them, and what they cost.

With `--wcxb DIR`, a clone of Murrough-Foley/web-content-extraction-benchmark (CC-BY 4.0; it is no
part of this project), the F1 of words by its own `evaluate.py`, of trafilatura alone and of ours.
With `--web FILE` the share of repeated blocks of a recorded web that stays: a block of visible text
repeats if it is on a fifth of the pages of its host, and on four at least.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from frontier.parsing.reader import ReadingLimits
from frontier.texts.page_text import number_of, numbered
from frontier.texts.repeats import FEWEST, OF_HOST, HostRepeats, KnownPage
from frontier.web.recorded_web import RecordedWeb

if TYPE_CHECKING:
    from collections.abc import Sequence

_SAMPLE = 40
"""Pages of a host."""


def main(arguments: Sequence[str]) -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks texts", description=__doc__)
    parser.add_argument("--wcxb", type=Path, metavar="DIR")
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--web", type=Path, metavar="FILE", action="append", default=[])
    given = parser.parse_args(arguments)
    if find_spec("trafilatura") is None:
        print('skipped: needs trafilatura: pip install "scrapy-linkrank[text]"')
        return 0
    if given.wcxb is None or not (given.wcxb / "evaluate.py").is_file():
        print("WCXB skipped: --wcxb names no clone of it (a folder with evaluate.py)")
    else:
        _wcxb(given.wcxb, given.split)
    for web in given.web:
        _repeats(web)
    return 0


# -- WCXB ------------------------------------------------------------------------------------------


def _wcxb(folder: Path, split: str) -> None:
    evaluate = _evaluation(folder)
    truth = evaluate.load_ground_truth(split)
    paths = [folder / split / "html" / f"{name}.html.gz" for name in truth]
    by_type: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    seconds = [0.0, 0.0]
    with ProcessPoolExecutor() as pool:
        for page, (alone, ours, *took) in zip(
            truth.values(), pool.map(_both, paths, chunksize=8), strict=True
        ):
            content = page["main_content"]
            scores = tuple(evaluate.word_f1(text, content)[2] for text in (alone, ours))
            by_type[page["page_type"]].append((scores[0], scores[1]))
            seconds = [before + more for before, more in zip(seconds, took, strict=True)]
    by_type["all"] = [pair for pairs in by_type.values() for pair in pairs]
    print(f"{'WCXB ' + split:16}{'pages':>6} {'trafilatura':>12} {'ours':>6}")
    for name, pairs in by_type.items():
        alone, ours = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        print(f"{name:16}{len(pairs):>6} {alone:>12.3f} {ours:>6.3f}")
    each = [1000 * spent / len(truth) for spent in seconds]
    print(f"CPU of a page: trafilatura {each[0]:.0f} ms, ours {each[1]:.0f} ms")


def _evaluation(folder: Path) -> Any:
    spec = spec_from_file_location("wcxb_evaluate", folder / "evaluate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _both(path: Path) -> tuple[str, str, float, float]:
    """Text of a page by trafilatura alone and by us, and the CPU seconds of each."""
    from frontier.texts.main_text import found_by_trafilatura, main_text

    html = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
    began = time.process_time()
    alone, _ = found_by_trafilatura(html, "")
    between = time.process_time()
    ours = main_text(html, "", "")
    text = "" if ours is None else ours.text.text
    return alone, text, between - began, time.process_time() - between


# -- what repeats ----------------------------------------------------------------------------------


def _repeats(path: Path) -> None:
    web = RecordedWeb([path], ReadingLimits().body, latest=True)
    hosts: defaultdict[str, list[str]] = defaultdict(list)
    for url in web.urls():
        if not url.endswith("/robots.txt"):
            hosts[urlsplit(url).netloc].append(url)
    totals = Counter[str]()
    for host, urls in sorted(hosts.items()):
        chosen = random.Random(host).sample(urls, min(len(urls), _SAMPLE))
        pages = [web.read(url) for url in chosen]
        jobs = [(page.url, page.body.decode("utf-8", "replace")) for page in pages
                if page.status == 200 and b"<" in page.body[:1000]]  # fmt: skip
        with ProcessPoolExecutor() as pool:
            counts = _host_counts(list(pool.map(_read, jobs, chunksize=4)))
        print(f"{host:28} " + " ".join(f"{name} {n}" for name, n in counts.items()))
        totals.update(counts)
    repeated = max(totals["repeated"], 1)
    print(
        f"{path.name}: of {totals['repeated']} repeated blocks {totals['extracted'] / repeated:.2%}"
        f" are extracted, and {totals['read'] / repeated:.2%} are there when texts are read: "
        f"{totals['read'] / max(totals['lines'], 1):.2%} of all lines"
    )


def _read(page: tuple[str, str]) -> tuple[str, list[int], Any]:
    """URL, numbers of the visible blocks, and main text of a page."""
    from frontier.texts.main_text import main_text

    url, html = page
    found = main_text(html, url, "")
    visible = () if found is None else found.visible
    return url, list(filter(None, map(number_of, visible))), found


def _host_counts(pages: list[tuple[str, list[int], Any]]) -> dict[str, int]:
    on = Counter(number for _, numbers, _ in pages for number in set(numbers))
    fewest = max(FEWEST, OF_HOST * len(pages))
    repeated = {number for number, count in on.items() if count >= fewest}
    found = [(url, main) for url, _, main in pages if main is not None]
    packed = (main.text.packed(main.visible) for _, main in found)
    known = HostRepeats(
        [KnownPage(url, one.blocks) for (url, _), one in zip(found, packed, strict=True)]
    )
    extracted = [_lines(main.text.markdown) for _, main in found]
    read = [_lines(known.without(url, main.text).markdown) for url, main in found]
    return {
        "pages": len(pages),
        "repeated": sum(number in repeated for _, numbers, _ in pages for number in numbers),
        "extracted": sum(number in repeated for lines in extracted for number in lines),
        "read": sum(number in repeated for lines in read for number in lines),
        "lines": sum(map(len, read)),
    }


def _lines(markdown: str) -> list[int]:
    """Numbers of the lines of a text, without code."""
    return [number for number, _ in numbered(markdown) if number]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
