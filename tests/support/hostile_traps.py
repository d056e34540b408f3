"""Endless places, each on a host of its own: every page leads to pages that nobody has met.

What is honest on such a host says `HONEST` in its path: it lies beside the trap, behind it, or in
it, and must be fetched although the trap is left.
"""

from __future__ import annotations

import random
import re
import string
from zlib import crc32

from tests.support.hostile import Ask, Case

HONEST = "/honest"
"""Begins the path of every page that is no trap."""

WORDS = (
    *("garden", "river", "stone", "window", "letter", "market", "bridge", "winter", "summer"),
    *("teacher", "paper", "kitchen", "morning", "evening", "station", "village", "mountain"),
    *("forest", "island", "harbour", "engine", "mirror", "candle", "basket", "button", "carpet"),
    *("ladder", "hammer", "pencil", "saddle", "whistle", "anchor", "barrel", "feather", "blanket"),
    *("compass", "lantern", "pocket", "ribbon", "thimble", "wagon", "pebble", "meadow", "orchard"),
    *("chimney", "cellar", "attic", "stable"),
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)

HONEST_TEXTS = (
    "Bees gather nectar from clover and heather and return to their hive before dusk",
    "The old lighthouse keeper polishes lenses while ships pass through narrow straits",
    "Glaciers carve valleys slowly leaving moraines and erratic boulders behind them",
    "Printers once set type by hand using composing sticks galleys and heavy formes",
    "Tides follow the moon because gravity pulls oceans into two opposite bulges",
)


def page(title: str, text: str, *hrefs: str) -> str:
    """A page with a list of links."""
    links = "\n".join(f'<li><a href="{one}">{name_of(one)}</a></li>' for one in hrefs)
    return f"<html><head><title>{title}</title></head><body><p>{text}</p><ul>{links}</ul></body>"


def name_of(href: str) -> str:
    """What a link is called: the end of its path."""
    return re.sub(r"[^a-z0-9]+", " ", href.lower()).strip()[-40:]


def honest(number: int) -> str:
    """Path of an honest page."""
    return f"{HONEST}/{number}.html"


HONEST_PATHS = tuple(honest(number) for number in range(len(HONEST_TEXTS)))


def _seeded(path: str) -> random.Random:
    return random.Random(crc32(path.encode()))


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(string.ascii_lowercase) for _ in range(rng.randint(4, 9)))


class Trap:
    """A host with a trap: `make` gives body of a path, or an answer that it writes itself."""

    def __init__(self, make: object, *, beside: bool = True) -> None:
        self._make = make
        self._beside = beside

    async def __call__(self, ask: Ask) -> None:
        number = HONEST_PATHS.index(ask.path) if ask.path in HONEST_PATHS else None
        if ask.path == "/robots.txt":
            await ask.reply("", 404)
        elif number is not None:
            await ask.reply(page(f"Page {number}", HONEST_TEXTS[number], "/"))
        else:
            body = self._make(ask)  # type: ignore[operator]  # a function of the request
            if isinstance(body, str):
                if ask.path == "/" and self._beside:
                    body += "".join(f'<a href="{one}">read</a>' for one in HONEST_PATHS)
                await ask.reply(body)
            else:
                await body


def _number(ask: Ask, default: int = 0) -> int:
    found = re.findall(r"\d+", ask.path)
    return int(found[-1]) if found else default


# -- calendars ----------------------------------------------------------------------------------


def calendar_by_path(ask: Ask) -> str:
    found = re.match(r"/calendar/(\d+)/(\d+)", ask.path)
    year, month = (int(found[1]), int(found[2])) if found else (2024, 5)
    after = f"/calendar/{year + month // 12}/{month % 12 + 1}"
    before = f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1}"
    days = " ".join(map(str, range(1, 31)))
    return page(
        f"{_MONTHS[month - 1]} {year}", f"{_MONTHS[month - 1]} {year} Mon Tue Wed {days}",
        before, after,
    )  # fmt: skip


# -- session ids --------------------------------------------------------------------------------


def session_in_path(ask: Ask) -> str:
    session = f"{crc32(ask.path.encode()):08x}{ask.count}"
    return page("Shop", "Welcome to our shop", *(f"/s/{session}/{n}/" for n in ("a1", "b2")))


# -- lists --------------------------------------------------------------------------------------


def facets(ask: Ask) -> str:
    rng = _seeded(ask.path)
    items = [*WORDS[:20]]
    rng.shuffle(items)
    base = ask.path if "?" in ask.path else "/products?"
    more = [f"{base}&{name}={rng.randint(1, 5)}" for name in ("colour", "size", "brand", "price")]
    return page("Products", " ".join(items), *more)


def empty_pages(ask: Ask) -> str:
    return page("Archive", "No more entries", f"/archive?page={_number(ask) + 1}")


# -- paths --------------------------------------------------------------------------------------


def growing_path(ask: Ask) -> str:
    return page("Docs", "See below", "chapter/", "section/index/")


def escapes(ask: Ask) -> str:
    base = ask.path.replace("%", "%25") if "?" in ask.path else "/login?next=%2F"
    return page("Login", "Please log in", base + "%2F", "/login?return=" + base)


def long_urls(ask: Ask) -> str:
    return page("Long", "Longer and longer", ask.path.rstrip("/") + "/" + "x" * 50 + "-y")


# -- words --------------------------------------------------------------------------------------


def markov(ask: Ask) -> str:
    rng = _seeded(ask.path)
    text = " ".join(rng.choice(WORDS) for _ in range(120))
    return page(_word(rng), text, *(f"/maze/{_word(rng)}" for _ in range(5)))


def random_ids(ask: Ask) -> str:
    rng = _seeded(ask.path)
    ids = [f"{rng.getrandbits(64):016x}" for _ in range(8)]
    return page(f"Item {ids[0]}", f"Item {ids[1]} of the store", *(f"/item/{one}" for one in ids))


# -- answers ------------------------------------------------------------------------------------


def minted_redirects(ask: Ask) -> object:
    if ask.path == "/":
        return page("Start", "Follow us", "/go/0")
    token = f"{crc32(ask.path.encode()):08x}{_number(ask) % 97}"
    return ask.reply("", 302, Location=f"/go/{token}")


def soft_404(ask: Ask) -> str:
    n = crc32(ask.path.encode()) % 100000
    links = (f"/x{n}", f"/folder{n}/y", f"/deep/z{n}.html", f"/q?id={n}")
    return page("Not found", "Sorry, the page you were looking for is not here any more", *links)


def dead_links(ask: Ask) -> object:
    if ask.path == "/":
        return page("Links", "A thousand links", *(f"/dead/{n}" for n in range(1000)))
    return ask.reply("gone", 404)


def cloaked(ask: Ask) -> str:
    n = crc32(ask.path.encode())
    text = "Cheap offers that you find nowhere else in the whole world, today only"
    return page("Offers", text, *(f"/offer/{WORDS[(n + k) % 40]}-{n + k}" for k in range(4)))


def huge_out_degree(ask: Ask) -> str:
    if ask.path == "/":
        return page("All", "All of it", *(f"/leaf/{n}" for n in range(3000)))
    return page("Leaf", f"Leaf number {_number(ask)}")


def many_patterns(ask: Ask) -> str:
    rng = _seeded(ask.path)
    folders = ["/".join(rng.sample(WORDS, rng.randint(1, 5))) for _ in range(6)]
    return page("Folders", "A folder among others", *(f"/{one}/index.html" for one in folders))


def behind_levels(ask: Ask) -> str:
    level = _number(ask)
    links = [f"/level/{level + 1}", f"/level/{level + 2}"]
    return page("Level", "Go on", *(HONEST_PATHS if level == 5 else links), *links)


def in_a_calendar(ask: Ask) -> str:
    n = _number(ask)
    events = [honest(n // 4)] if n % 4 == 0 and n // 4 < len(HONEST_TEXTS) else []
    return page("Day", f"Day {n} of our calendar", f"/day/{n + 1}", *events)


ENDLESS: dict[str, Case] = {
    make.__name__.replace("_", " "): Trap(make)
    for make in (
        *(calendar_by_path, session_in_path, facets, empty_pages, growing_path, escapes),
        *(long_urls, markov, random_ids, minted_redirects, soft_404, dead_links, cloaked),
        *(huge_out_degree, many_patterns),
    )
} | {
    make.__name__.replace("_", " "): Trap(make, beside=False)
    for make in (behind_levels, in_a_calendar)
}
"""Traps by name; each has all honest pages beside, behind or in it."""
