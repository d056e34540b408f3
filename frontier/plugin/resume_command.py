"""The commands that resume a crawl, or look at it, as they would be typed in this directory.

A command that is run again keeps what the first run has written: `-O` becomes `-o`, and a feed that
cannot be appended to goes on in a file of its own. Passwords are not printed.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ranking.printing import HIDDEN, hide_passwords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy.settings import BaseSettings

Feeds = dict[str, dict[str, Any]]

_OUTPUT = re.compile(r"(-[oO]=?|--(?:output|ov[a-z-]*)=?)(.*)", re.DOTALL)
"""An option for items, as argparse takes it: attached to its value or not, or abbreviated."""
_ONE_DOCUMENT = ("json", "xml")
"""Formats of which a second document in one file makes both unreadable."""
_OF_OPTIONS = {"format", "overwrite"}
"""What an output option says of a feed; more of it comes from FEEDS."""
_ANEW = ("%(time)s", "%(batch_time)s")
"""Parts of a feed's URI by which each run has files of its own."""
_PART = re.compile(r"(.*?)(?:\.part(\d+))?(\.\w+)?", re.DOTALL)
_SECRET = re.compile(
    r"^((?:-[as]|--set=)?(?:\w*_)?(?:pass|passw(?:or)?d|passphrase|pwd|secret|token|credentials?"
    r"|apikey|[a-z]+_key)(?:_\w*)?=).+",
    re.DOTALL | re.IGNORECASE,
)
"""A setting or argument whose value nobody else should read."""


class Resume(NamedTuple):
    """How a crawl is resumed."""

    command: str
    notes: tuple[str, ...] = ()
    """What to do before it is run, and where results will be."""


def how_to_go_on(settings: BaseSettings) -> str:
    """Return how to resume this crawl, in words and as a command."""
    if not settings.get("JOBDIR"):
        return "it cannot go on, for it had no JOBDIR: give -s JOBDIR=DIR the next time"
    command, notes = how_to_resume(settings)
    # What is behind the colon, up to the end of the line, can be pasted.
    return "; ".join([*notes, f"to go on, run again: {command}"])


def how_to_resume(settings: BaseSettings) -> Resume:
    """The command that resumes a crawl that has a JOBDIR, for a shell in this directory."""
    feeds: Feeds = {str(uri): dict(given) for uri, given in settings.getdict("FEEDS").items()}
    own = str(settings.get("FRONTIER_RESUME_COMMAND") or "")
    # Scrapy takes its command's name out of sys.argv.
    arguments, listed = ([], feeds) if own else _appending(sys.orig_argv, feeds)
    kept = {uri: _kept(uri, given) for uri, given in feeds.items()}
    notes = [
        f"{uri} cannot be appended to: items go on in {new} (a .jsonl file could be appended to)"
        for uri, (new, _) in kept.items()
        if new != uri
    ]
    if any(kept[uri] != (uri, given) for uri, given in listed.items()):
        changed = _as_json(dict(kept[uri] for uri in listed))
        if changed and _is_scrapy(arguments):
            arguments += ["-s", f"FEEDS={changed}"]
        else:
            names = ", ".join(uri for uri in listed if kept[uri] != (uri, listed[uri]))
            notes = [
                f"Before that, move {names} away, or set 'overwrite': False in FEEDS (in place of "
                "-O, -o) and take the format jsonlines: what is there would be lost"
            ]
    command = own or command_line(arguments)
    if HIDDEN in command:
        notes.append(f"{HIDDEN} stands for what is secret")
    return Resume(command, tuple(map(hide_passwords, notes)))


def _appending(arguments: Sequence[str], feeds: Feeds) -> tuple[list[str], Feeds]:
    """Arguments whose output options keep what is there, and the feeds that come from elsewhere.

    Only what names a feed of the crawl is an output option: Python has an -O of its own.
    """
    changed, elsewhere = list(arguments), dict(feeds)
    for at, argument in enumerate(arguments):
        option = _OUTPUT.fullmatch(argument)
        if option is None:
            continue
        name, attached = option.groups()
        place = at if attached else min(at + 1, len(arguments) - 1)
        given = attached or arguments[place]
        uri = given if given in feeds else given.rpartition(":")[0]
        feed = "stdout:" if uri == "-" else uri
        if feed not in feeds:
            continue
        if feeds[feed].keys() <= _OF_OPTIONS:
            elsewhere.pop(feed, None)
            given = given.replace(uri, _kept(feed, feeds[feed])[0], 1) if uri == feed else given
        name = ("--output" if name.startswith("--") else "-o") + "=" * name.endswith("=")
        changed[place] = given
        changed[at] = name + given if place == at else name
    return changed, elsewhere


def _kept(uri: str, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A feed and its options with which another run adds to what is there."""
    if uri.startswith("stdout:") or any(part in uri for part in _ANEW):
        return uri, dict(given)
    options = {**given, "overwrite": False} if given.get("overwrite") else dict(given)
    kind = str(given.get("format") or Path(uri).suffix.removeprefix("."))
    is_file = "://" not in uri or uri.startswith("file:")
    return (uri if is_file and kind not in _ONE_DOCUMENT else _next_part(uri)), options


def _next_part(uri: str) -> str:
    """The next of the files a.json, a.part2.json, a.part3.json ... that is not there yet."""
    stem, number, suffix = re.fullmatch(_PART, uri).groups(default="")  # type: ignore[union-attr]
    count = int(number or 1) + 1
    while Path(name := f"{stem}.part{count}{suffix}").exists():
        count += 1
    return name


def _as_json(feeds: Feeds) -> str:
    """FEEDS as `-s` takes them; "" where a value is no plain one."""
    try:
        return json.dumps(feeds)
    except (TypeError, ValueError):
        return ""


def _is_scrapy(arguments: Sequence[str]) -> bool:
    return len(arguments) > 1 and "scrapy" in (Path(arguments[1]).stem, *arguments[2:3])


def command_line(arguments: Sequence[str]) -> str:
    """Return what was typed, of the arguments that the interpreter was started with.

    Passwords in it are hidden.
    """
    shown = [_SECRET.sub(rf"\1{HIDDEN}", hide_passwords(one)) for one in arguments]
    if Path(shown[1]).stem == "scrapy":
        # A script is started by its path, also where its name alone was typed.
        return shlex.join([_typed(shown[1]), *shown[2:]])
    return shlex.join(shown)


def this_scrapy() -> str:
    """How a shell in this directory starts the scrapy of this environment."""
    script = Path(sys.executable).with_name("scrapy")
    if not script.exists():
        return shlex.join([sys.executable, "-m", "scrapy"])
    return shlex.quote(_typed(str(script)))


def _typed(path: str) -> str:
    """What stands for a program: its name where that finds it, else a path, short if it can be."""
    if shutil.which(Path(path).name) == path:
        return Path(path).name
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path
