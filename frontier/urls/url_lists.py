"""Files that people write, such as lists of URLs: one a line, with `#` comments and blank lines.

An unusable line is reported with its number and skipped; a file without a usable line is an error.
Seeds and examples are read by the same code.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from frontier.errors import FrontierError, SeedsError
from ranking.printing import hide_passwords

_COMMENT = re.compile(r"(?:^|[ \t])#")
_OR_URLS = dict.fromkeys(("seeds", "examples"), ", or give URLs (http://...) separated by commas.")
_LOGIN = (
    "holds a user name or a password: leave them out (a spider of your own can log in, by its "
    "http_user and http_pass)"
)
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
    """Split at the commas before URLs; commas within URLs stay."""
    return [part.strip() for part in _BETWEEN_URLS.split(source) if part.strip()]


def parse_lines(text: str) -> UrlList:
    """Read one URL a line; repeated URLs are dropped."""
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
            skipped.append((number, shown_entry(entry), reason))
    return UrlList(tuple(urls), tuple(skipped))


def url_fault(text: str) -> str | None:
    """Why a text is no URL that can be crawled, None if it is; the reason repeats no password."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        return _LOGIN if "@" in text else str(error)
    if "@" in parts.netloc:
        return _LOGIN
    if any(character.isspace() for character in text):
        return "contains white space"
    if parts.scheme.lower() not in ("http", "https"):
        return "does not start with http:// or https://"
    if not parts.hostname:
        return "has no host name"
    if port == 0:
        return "port 0 cannot be reached"
    return None


def shown_entry(text: str) -> str:
    """An entry of a file without its password, as it may be shown."""
    return hide_passwords("%20".join(text.split()) if "://" in text and "@" in text else text)


def read_text_file(path: str, what: str, failure: type[FrontierError] = SeedsError) -> str:
    """Read a text file, see `text_of`; raises `failure`. `what` names its content."""
    try:
        return text_of(Path(path).read_bytes())
    except UnicodeDecodeError:
        raise failure(
            f"Expected a text file of {what}, but {path} is not UTF-8 text. Save it as UTF-8."
        ) from None
    except OSError as error:
        raise failure(
            f"Expected a readable file of {what}, but {path} cannot be read: "
            f"{error.strerror or error}. Check the path" + _OR_URLS.get(what, ".")
        ) from None


def text_of(data: bytes, errors: str = "strict") -> str:
    """The text of a file of any editor: UTF-8, or UTF-16 by its mark; lines end as in Python."""
    text = data.decode(encoding_of(data), errors).removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def encoding_of(data: bytes) -> str:
    """The encoding of a file by its first bytes, for appending: it writes no mark."""
    marks = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
    return marks.get(data[:2], "utf-8")


def is_file_name(source: str) -> bool:
    """Whether seeds are the name of a file, and not URLs."""
    return url_fault(split_urls(source)[0]) is not None and "://" not in source


def _without_comment(line: str) -> str:
    # A `#` inside a URL starts a fragment: only one at the start or after white space comments.
    return _COMMENT.split(line.strip())[0].strip()


def _nothing_usable(source: str, listing: UrlList) -> str:
    source = shown_entry(source)
    if not listing.skipped:
        return f"Expected URLs in {source}, found none. Write one URL a line."
    number, text, reason = listing.skipped[0]
    return (
        f"Expected URLs in {source}, found none that can be used; line {number}, {text!r}, "
        f"{reason}. Write one URL a line, such as https://example.org/"
    )
