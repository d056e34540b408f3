"""Build recorded webs to compare focused crawlers on. docs/benchmark.md says from what."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.children import BenchmarkError
from benchmarks.webs.variants import (
    CLOSED,
    DEAD,
    REDIRECTS,
    VARIANTS,
    Source,
    with_dead,
    with_redirects,
)
from benchmarks.webs.writing import write_recording, write_web

if TYPE_CHECKING:
    from benchmarks.webs.writing import Web

_MAKE: Final = {
    DEAD: with_dead,
    CLOSED: partial(with_dead, which=CLOSED),
    REDIRECTS: with_redirects,
}


def main(arguments: Sequence[str]) -> int:
    """Build what was asked for; 1 where that was not possible."""
    from ranking.errors import LinkRankError

    given = _parser().parse_args(arguments)
    try:
        for line in given.build(given):
            print(line, flush=True)
    except (BenchmarkError, LinkRankError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _shop(given: argparse.Namespace) -> Iterator[str]:
    from benchmarks.webs.shop import build

    yield from _written(build(given.packages, given.descriptions, given.most), given.out)


def _handbook(given: argparse.Namespace) -> Iterator[str]:
    from benchmarks.webs.handbook import build

    yield from _written(build(given.html), given.out)


def _written(web: Web, folder: Path) -> Iterator[str]:
    about = write_web(web, folder)
    told = json.dumps({k: v for k, v in about.items() if isinstance(v, int)})
    yield f"{folder / web.name}.warc.gz: {told}"


def _variants(given: argparse.Namespace) -> Iterator[str]:
    for recording in given.recordings:
        for variant in given.variant:
            yield _variant(recording, variant, given.out)


def _variant(recording: Path, variant: str, folder: Path) -> str:
    """Write a variant of a web, and its other files as they are."""
    from frontier.urls.url_lists import read_seeds
    from frontier.web.recorded_web import RecordedWeb

    name = recording.name.removesuffix(".gz").removesuffix(".warc")
    folder.mkdir(parents=True, exist_ok=True)
    seeds = recording.with_name(f"{name}.seeds.txt")
    web = RecordedWeb([recording])
    source = Source(web, read_seeds(str(seeds)).urls if seeds.exists() else ())
    path = folder / f"{name}-{variant}.warc.gz"
    write_recording(path, _MAKE[variant](source))
    told = f"{len(source.share(variant)):,} of {len(source.touched):,} pages with links to them"
    for file in sorted(recording.parent.glob(f"{name}.*")):
        if file.suffix in (".tsv", ".txt"):
            shutil.copyfile(file, folder / f"{name}-{variant}{file.name.removeprefix(name)}")
    _tell_source(recording.with_name(f"{name}.json"), folder / f"{name}-{variant}.json", variant)
    return f"{path}: {told}"


def _tell_source(about: Path, to: Path, variant: str) -> None:
    """Say of a variant what it is of; figures in there are the web's."""
    if about.exists():
        said = {"variant": variant, "of": json.loads(about.read_text(encoding="utf-8"))}
        to.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks webs", description=__doc__)
    named = parser.add_subparsers(required=True, metavar="WEB")
    shop = named.add_parser("shop", help="a catalogue, from an index of Debian's packages")
    shop.add_argument("--packages", type=Path, required=True, metavar="FILE")
    shop.add_argument("--descriptions", type=Path, required=True, metavar="FILE")
    shop.add_argument("--most", type=int, default=5000, metavar="N", help="articles (5000)")
    shop.set_defaults(build=_shop)
    handbook = named.add_parser("handbook", help="a book in many languages, from debian-handbook")
    handbook.add_argument("--html", type=Path, required=True, metavar="DIR")
    handbook.set_defaults(build=_handbook)
    variants = named.add_parser(
        "variants", help="recorded webs with dead links, closed folders, or redirects"
    )
    variants.add_argument("recordings", type=Path, nargs="+", metavar="WARC")
    variants.add_argument("--variant", nargs="+", choices=VARIANTS, default=VARIANTS)
    variants.set_defaults(build=_variants)
    for each in (shop, handbook, variants):
        each.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    return parser
