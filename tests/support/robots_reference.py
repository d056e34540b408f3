"""A second reading of RFC 9309, written for clearness: every rule tried, every way to match kept.

It knows nothing of the first one. Where the RFC leaves room, it is as generous as Google's parser:
misspelled fields, a missing colon, values of user-agent lines up to the first space.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

FIELDS = {
    "agent": re.compile(r"user-agent|useragent|user agent", re.I),
    "allow": re.compile(r"allow", re.I),
    "disallow": re.compile(r"disallow|dissallow|dissalow|disalow|diasllow|disallaw", re.I),
}
UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


def allowed(body: bytes, token: str, url: str) -> bool:
    """Whether the crawler of that name may fetch the URL."""
    path = urlsplit(url).path or "/"
    if urlsplit(url).query or "?" in url.partition("#")[0]:
        path += "?" + urlsplit(url).query
    if path == "/robots.txt":
        return True
    best = (-1, True)
    for allow, pattern in rules_for(body, token):
        exact = allow and re.search("%(..)", pattern) and spelled(pattern) != plain(pattern)
        one, other = (spelled(pattern), spelled(path)) if exact else (plain(pattern), plain(path))
        if matches(one, other):
            best = max(best, (len(one), allow))
    return best[1]


def rules_for(body: bytes, token: str) -> list[tuple[bool, str]]:
    """(allow, pattern) of the groups of a token, or of those of all where it has none."""
    groups: list[tuple[list[str], list[tuple[bool, str]]]] = []
    reading_agents = False
    for kind, value in records(body):
        if kind == "agent":
            if not reading_agents:
                groups.append(([], []))
            reading_agents = True
            groups[-1][0].append(agent(value))
        else:
            reading_agents = False
            if groups and value:
                groups[-1][1].append((kind == "allow", value))
    ours = [rules for agents, rules in groups if token.lower() in agents]
    chosen = ours or [rules for agents, rules in groups if "*" in agents]
    return [rule for rules in chosen for rule in with_folders(rules)]


def with_folders(rules: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """Who allows an index page allows its folder, says Google."""
    folders = [
        (True, pattern.rpartition("/index.htm")[0] + "/$")
        for allow, pattern in rules
        if allow and "/index.htm" in pattern and plain(pattern) == spelled(pattern)
    ]
    return rules + folders


def records(body: bytes) -> list[tuple[str, str]]:
    found = []
    for mark in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"):
        if body.startswith(mark):
            body = body[len(mark) :]
            break
    for line in body.replace(b"\0", b"").decode("latin-1").replace("\r", "\n").split("\n"):
        line = line.split("#")[0].strip(" \t\v\f")
        name, colon, value = line.partition(":")
        if not colon:
            words = re.split("[ \t]+", line)
            if len(words) != 2:
                continue
            name, value = words
        for kind, spelling in FIELDS.items():
            if spelling.match(name.strip()):
                found.append((kind, value.strip(" \t\v\f")))
    return found


def agent(value: str) -> str:
    return (re.split(r"[\s/();,:%]", value)[0].lower() or "?").split("*")[0] or (
        "*" if re.match(r"\*(\s|$)", value) else "?"
    )


def spelled(text: str) -> str:
    """Percent-encode what is not printable ASCII (text is latin-1), and capitalise escapes."""
    text = "".join(c if "!" <= c <= "~" else f"%{ord(c):02X}" for c in text)
    return re.sub("%[0-9a-fA-F]{2}", lambda found: found[0].upper(), text)


def plain(text: str) -> str:
    """The same, and decode what need not have been encoded."""

    def decoded(found: re.Match[str]) -> str:
        letter = chr(int(found[0][1:], 16))
        return letter if letter in UNRESERVED else found[0].upper()

    return re.sub("%[0-9a-fA-F]{2}", decoded, spelled(text))


def matches(pattern: str, path: str) -> bool:
    """Follow all ways at once: the set of places in the path that the pattern may have reached."""
    anchored = pattern.endswith("$")
    places = {0}
    for letter in pattern[:-1] if anchored else pattern:
        if letter == "*":
            places = set(range(min(places), len(path) + 1))
        else:
            places = {at + 1 for at in places if at < len(path) and path[at] == letter}
        if not places:
            return False
    return len(path) in places if anchored else True
