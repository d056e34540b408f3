"""Files of URLs as people write them: one a line, `#` comments, blank lines, slips.

A line that cannot be used is reported with its number and skipped; a file in which nothing can be
used is an error. The same reader serves seeds and examples.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from frontier.errors import SeedsError

_COMMENT = re.compile(r"(?:^|[ \t])#")
_BETWEEN_URLS = re.compile(r",\s*(?=[a-z][a-z0-9+.-]*://)|,\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UrlList:
    """URLs in order, each once, and what was skipped: (line number, text, reason)."""

    urls: tuple[str, ...]
    skipped: tuple[tuple[int, str, str], ...] = ()


def read_seeds(source: str) -> UrlList:
    """Read seeds: the path of a file, or URLs separated by commas.

    Raises SeedsError if the file cannot be read or holds no usable URL.
    """
    source = source.strip()
    if not source:
        raise SeedsError(
            "Expected seeds, found none. Give a file with one URL a line, or URLs separated by "
            "commas, such as https://example.org/"
        )
    if is_file_name(source):
        listing = parse_lines(read_text_file(source, "seeds"))
    else:
        listing = parse_lines("\n".join(split_urls(source)))
    if not listing.urls:
        raise SeedsError(_nothing_usable(source, listing))
    return listing


def split_urls(source: str) -> list[str]:
    """Split at the commas before a URL; those within one stay."""
    return [part.strip() for part in _BETWEEN_URLS.split(source) if part.strip()]


def parse_lines(text: str) -> UrlList:
    """Read one URL a line; a URL that occurs again is not taken again."""
    urls: dict[str, None] = {}
    skipped = []
    for number, line in enumerate(text.splitlines(), start=1):
        entry = _without_comment(line)
        if not entry:
            continue
        reason = url_fault(entry)
        if reason is None:
            urls[entry] = None
        else:
            skipped.append((number, entry, reason))
    return UrlList(tuple(urls), tuple(skipped))


def url_fault(text: str) -> str | None:
    """Say why a text is no URL that can be crawled, or None if it is one."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        return str(error)
    if any(character.isspace() for character in text):
        return "contains white space"
    if parts.scheme.lower() not in ("http", "https"):
        return "does not start with http:// or https://"
    if not parts.hostname:
        return "has no host name"
    if port == 0:
        return "port 0 cannot be reached"
    return None


def read_text_file(path: str, what: str) -> str:
    """Read a UTF-8 file, with or without a byte order mark. SeedsError says why it cannot be."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SeedsError(
            f"Expected a text file of {what}, but {path} is not UTF-8 text. Save it as UTF-8."
        ) from None
    except OSError as error:
        raise SeedsError(
            f"Expected a readable file of {what}, but {path} cannot be read: "
            f"{error.strerror or error}. Check the path, or give URLs (http://...) separated by "
            f"commas."
        ) from None


def is_file_name(source: str) -> bool:
    """Whether seeds are the name of a file, and not URLs."""
    return url_fault(split_urls(source)[0]) is not None and "://" not in source


def _without_comment(line: str) -> str:
    # A `#` inside a URL starts a fragment: only one at the start or after white space comments.
    return _COMMENT.split(line.strip())[0].strip()


def _nothing_usable(source: str, listing: UrlList) -> str:
    if not listing.skipped:
        return f"Expected URLs in {source}, found none. Write one URL a line."
    number, text, reason = listing.skipped[0]
    return (
        f"Expected URLs in {source}, found none that can be used; line {number}, {text!r}, "
        f"{reason}. Write one URL a line, such as https://example.org/"
    )
