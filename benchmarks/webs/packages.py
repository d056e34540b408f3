"""Debian's index of packages: a `Packages` file, and the `Translation-en` with the descriptions.

Both are paragraphs of `Name: value` with indented lines behind, and blank lines between.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from benchmarks.children import BenchmarkError

_SEPARATORS: Final = re.compile(r"[,|]")


@dataclass(frozen=True)
class Package:
    """What the index says of a package.

    Attributes:
        name, version, section, maintainer: as written; of a maintainer the name alone.
        size, installed: bytes to download, KiB on disk.
        summary, description: the first line, and paragraphs.
        needs, goes_with: names of others: depends; recommends, suggests and enhances.
        tags: debtags.

    """

    name: str
    version: str
    section: str
    maintainer: str
    size: int
    installed: int
    summary: str
    description: tuple[str, ...]
    needs: tuple[str, ...]
    goes_with: tuple[str, ...]
    tags: tuple[str, ...]


def read_packages(index: Path, descriptions: Path) -> list[Package]:
    """All packages of an index that have a description, by name. Raises BenchmarkError."""
    try:
        with descriptions.open(encoding="utf-8", errors="replace") as file:
            said = {one["Package"]: one["Description-en"] for one in _described(file)}
        with index.open(encoding="utf-8", errors="replace") as file:
            found = {
                one["Package"]: _package(one, said[one["Package"]])
                for one in paragraphs(file)
                if one.get("Package") in said
            }
    except OSError as error:
        raise BenchmarkError(
            f"expected an index of packages and its descriptions, but {error.filename} cannot be "
            f"read: {error.strerror}. Unpack both first"
        ) from error
    if not found:
        raise BenchmarkError(
            f"expected packages in {index} that {descriptions} describes, found none. Name a "
            "Packages file and the Translation-en of the same release"
        )
    return [found[name] for name in sorted(found)]


def paragraphs(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The paragraphs of a control file."""
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if not line.strip():
            if fields:
                yield fields
            fields, name = {}, ""
        elif line[0] in " \t":
            fields[name] = f"{fields.get(name, '')}\n{line.strip()}"
        else:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
    if fields:
        yield fields


def _described(file: IO[str]) -> Iterator[dict[str, str]]:
    return (one for one in paragraphs(file) if "Package" in one and "Description-en" in one)


def _package(fields: dict[str, str], described: str) -> Package:
    said = fields.get
    summary, _, rest = described.partition("\n")
    more = (said(name, "") for name in ("Recommends", "Suggests", "Enhances"))
    return Package(
        fields["Package"],
        said("Version", ""),
        said("Section", "misc").rpartition("/")[2],
        said("Maintainer", "").partition("<")[0].strip(' "'),
        int(said("Size", "0")),
        int(said("Installed-Size", "0")),
        summary,
        tuple(part.strip() for part in f"\n{rest}\n".split("\n.\n") if part.strip()),
        _names(said("Depends", "")),
        _names(",".join(more)),
        tuple(tag.strip() for tag in said("Tag", "").replace("\n", " ").split(",") if tag.strip()),
    )


def _names(relation: str) -> tuple[str, ...]:
    names = (re.split(r"[\s(:]", one.strip())[0] for one in _SEPARATORS.split(relation))
    return tuple(dict.fromkeys(name for name in names if name))
