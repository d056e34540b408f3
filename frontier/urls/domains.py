"""Who a host belongs to: the domain that somebody registered, by the public suffix list.

The list is the one that tldextract brings along; nobody is asked for a newer one, and nothing is
written. Its private part counts too: whoever has a blog at a hoster of blogs is not answerable for
the other blogs there.

tldextract itself is not imported: with it come an HTTP client and a tree of dicts, 8 MiB in all,
where a sorted list takes less than one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

import idna

_REMEMBERED = 1 << 16
"""Hosts whose domain is not looked up again: some 15 MB when all are different."""
_LIST = ".tld_set_snapshot"
_PRIVATE_PART = "// ===BEGIN PRIVATE DOMAINS==="
_RULE = re.compile(r"^[*!.]*\w\S*", re.MULTILINE)


@lru_cache(maxsize=_REMEMBERED)
def registered_domain(host: str) -> str:
    """Return the domain under which a host is registered; the host itself where there is none.

    That is so for addresses, for names without a dot, and for names that are public suffixes. Under
    a top-level domain that the list does not hold, it is the last two labels.
    """
    if not host or host[-1] == "]" or host[-1].isdigit():
        return host
    labels = host.rstrip(".").split(".")
    suffix = _suffix_length(labels, _rules(2))
    # The list's own rule for what it does not know is "*": the last label is the suffix.
    return _one_more(labels, suffix) or host if suffix else ".".join(labels[-2:])


@lru_cache(maxsize=_REMEMBERED)
def public_domain(host: str) -> str:
    """Return the same without the list's private part: all blogs at a hoster are one domain."""
    labels = host.rstrip(".").split(".")
    return _one_more(labels, _suffix_length(labels, _rules(1))) or host


def _one_more(labels: list[str], suffix: int) -> str:
    """The suffix with the label before it; "" without either."""
    domain = labels[-suffix - 1 :] if 0 < suffix < len(labels) else [""]
    return ".".join(domain) if domain[0] else ""


def _suffix_length(labels: list[str], rules: list[str]) -> int:
    """Of how many labels a name's public suffix is; 0 where no rule is for it."""
    found, parent = 0, ""
    for length, label in enumerate(map(_as_listed, reversed(labels)), 1):
        name = parent + label
        rule = _first_from(name, rules)
        if rule == name:
            found = length
        elif not rule.startswith(f"{name} "):  # nor is there a rule for anything below
            if _first_from(f"{parent}*", rules) == f"{parent}*":
                return length - (_first_from(f"{parent}!{label}", rules) == f"{parent}!{label}")
            break
        parent = f"{name} "
    return found


def _first_from(name: str, rules: list[str]) -> str:
    at = bisect_left(rules, name)
    return rules[at] if at < len(rules) else ""


def _as_listed(label: str) -> str:
    label = label.lower()
    if label.startswith("xn--"):
        try:
            return idna.decode(label)
        except (UnicodeError, IndexError):
            pass
    return label


@cache
def _rules(parts: int) -> list[str]:
    """The rules of the list's first part or of both, sorted; as names with their last label first
    and spaces between, so that those below a name come next to it.
    """
    tldextract = find_spec("tldextract")
    assert tldextract is not None, "Scrapy requires it"
    assert tldextract.origin is not None
    text = Path(tldextract.origin).with_name(_LIST).read_text(encoding="utf-8")
    rules = _RULE.findall("".join(text.split(_PRIVATE_PART)[:parts]))
    return sorted(" ".join(reversed(rule.split("."))) for rule in rules)
