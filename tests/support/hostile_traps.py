"""Endless places, each on a host of its own: every page leads to pages that nobody has met.

What is honest on such a host says `HONEST` in its path: it lies beside the trap, behind it, or in
it, and must be fetched although the trap is left.
"""

from __future__ import annotations

import random
import re
import string
from urllib.parse import parse_qs, urlsplit
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


def _query(ask: Ask) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(ask.path).query).items()}


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


def calendar_by_query(ask: Ask) -> str:
    day = int(_query(ask).get("day", 0))
    return page(
        "Events", f"No events on day {day}", f"/cal?day={day + 1}&view=day",
        f"/cal?day={day - 1}&view=day", f"/cal?day={day + 7}&view=week",
    )  # fmt: skip


def calendar_with_days(ask: Ask) -> str:
    parts = [int(one) for one in re.findall(r"\d+", ask.path)] or [2024]
    deeper = "/".join(map(str, parts))
    links = [f"/events/{deeper}/{n}" for n in range(1, 4)] if len(parts) < 3 else []
    return page("Events", "Nothing is planned yet", f"/events/{parts[0] + 1}", *links)


# -- session ids --------------------------------------------------------------------------------


def session_in_path(ask: Ask) -> str:
    session = f"{crc32(ask.path.encode()):08x}{ask.count}"
    return page("Shop", "Welcome to our shop", *(f"/s/{session}/{n}/" for n in ("a1", "b2")))


def session_in_query(ask: Ask) -> str:
    token = f"{crc32(ask.path.encode()):x}zz"
    return page("Shop", "Welcome to our shop", *(f"/list?visit={token}&p={n}" for n in range(3)))


def session_well_known(ask: Ask) -> str:
    token = f"{crc32(ask.path.encode()):08x}"
    return page("Shop", "Welcome", *(f"/p{n};jsessionid={token}?PHPSESSID={token}" for n in (1, 2)))


def order_of_arguments(ask: Ask) -> str:
    rng = _seeded(ask.path)
    names = [f"{name}={rng.randint(1, 9)}" for name in "abcdef"]
    rng.shuffle(names)
    return page("Filter", "Nothing was found", f"/f?{'&'.join(names)}", f"/f?{'&'.join(names[2:])}")


# -- lists --------------------------------------------------------------------------------------


def facets(ask: Ask) -> str:
    rng = _seeded(ask.path)
    items = [*WORDS[:20]]
    rng.shuffle(items)
    base = ask.path if "?" in ask.path else "/products?"
    more = [f"{base}&{name}={rng.randint(1, 5)}" for name in ("colour", "size", "brand", "price")]
    return page("Products", " ".join(items), *more)


def sort_orders(ask: Ask) -> str:
    rng = _seeded(ask.path)
    items = [*WORDS[:30]]
    rng.shuffle(items)
    keys = [f"/list?sort={_word(rng)}&dir={way}" for way in ("asc", "desc")]
    return page("List", " ".join(items), *keys)


def searches(ask: Ask) -> str:
    rng = _seeded(ask.path)
    terms = [rng.choice(WORDS) + "+" + rng.choice(WORDS) for _ in range(4)]
    asked = _query(ask).get("q", "")
    return page(f"Search {asked}", f"You searched for {asked}", *(f"/search?q={t}" for t in terms))


def tag_clouds(ask: Ask) -> str:
    rng = _seeded(ask.path)
    tags = [f"/tag/{'-'.join(rng.sample(WORDS, 3))}" for _ in range(8)]
    return page("Tags", "All our tags", *tags)


def empty_pages(ask: Ask) -> str:
    return page("Archive", "No more entries", f"/archive?page={_number(ask) + 1}")


def blank_pages(ask: Ask) -> str:
    return f'<a href="/blank/{_number(ask) + 1}"></a><a href="/blank/{_number(ask) + 2}"></a>'


def infinite_archive(ask: Ask) -> str:
    year = _number(ask, 2024)
    return page(f"Archive {year}", f"Posts of {year}", *(f"/archive/{year - n}" for n in (1, 2, 3)))


def print_versions(ask: Ask) -> str:
    base = ask.path.split("?")[0] if ask.path != "/" else "/article"
    n = ask.path.count("print")
    return page("Article", "An article to print", f"{base}?print={n + 1}", f"{base}/print")


# -- paths --------------------------------------------------------------------------------------


def growing_path(ask: Ask) -> str:
    return page("Docs", "See below", "chapter/", "section/index/")


def growing_cycle(ask: Ask) -> str:
    return page("Docs", "See below", "news/today/", "../news/today/")


def mirror_folders(ask: Ask) -> str:
    base = ask.path.rstrip("/")
    return page("Mirror", "Index of files", f"{base}/a/", f"{base}/b/")


def up_and_down(ask: Ask) -> str:
    return page("Folders", "A folder", f"../{_number(ask) + 1}/x/", f"./{_number(ask) + 1}/../y/")


def double_slashes(ask: Ask) -> str:
    return page("Files", "A list of files", f"{ask.path}/", f"{ask.path}//x")


def case_variants(ask: Ask) -> str:
    rng = _seeded(ask.path)
    letters = "".join(rng.choice((c.lower(), c.upper())) for c in "thesamepageonceagain")
    return page("Page", "The same page once again", f"/{letters}", f"/{letters[::-1]}")


def fragments(ask: Ask) -> str:
    return page("Top", "One page with many anchors", *(f"/page#{n}" for n in range(200)))


def escapes(ask: Ask) -> str:
    base = ask.path.replace("%", "%25") if "?" in ask.path else "/login?next=%2F"
    return page("Login", "Please log in", base + "%2F", "/login?return=" + base)


def long_urls(ask: Ask) -> str:
    return page("Long", "Longer and longer", ask.path.rstrip("/") + "/" + "x" * 50 + "-y")


def html_entities(ask: Ask) -> str:
    base = ask.path if "?" in ask.path else "/p?a=1"
    return page("Entities", "Escaped once more", base.replace("&", "&amp;") + "&amp;amp;b=2")


# -- words --------------------------------------------------------------------------------------


def markov(ask: Ask) -> str:
    rng = _seeded(ask.path)
    text = " ".join(rng.choice(WORDS) for _ in range(120))
    return page(_word(rng), text, *(f"/maze/{_word(rng)}" for _ in range(5)))


def random_letters(ask: Ask) -> str:
    rng = _seeded(ask.path)
    text = " ".join(_word(rng) for _ in range(150))
    return page(_word(rng), text, *(f"/{_word(rng)}/{_word(rng)}" for _ in range(5)))


def random_names(ask: Ask) -> str:
    rng = _seeded(ask.path)
    names = [_word(rng) for _ in range(6)]
    text = "These are all the pages of this folder, in no particular order, for you to choose from"
    return page(ask.path.strip("/"), text, *(f"{ask.path.rstrip('/')}/{one}" for one in names))


def random_ids(ask: Ask) -> str:
    rng = _seeded(ask.path)
    ids = [f"{rng.getrandbits(64):016x}" for _ in range(8)]
    return page(f"Item {ids[0]}", f"Item {ids[1]} of the store", *(f"/item/{one}" for one in ids))


def unique_files(ask: Ask) -> str:
    rng = _seeded(ask.path)
    return page("Files", "Files", *(f"/{_word(rng)}.{rng.choice(('html', 'php'))}" for _ in "1234"))


# -- answers ------------------------------------------------------------------------------------


def minted_redirects(ask: Ask) -> object:
    if ask.path == "/":
        return page("Start", "Follow us", "/go/0")
    token = f"{crc32(ask.path.encode()):08x}{_number(ask) % 97}"
    return ask.reply("", 302, Location=f"/go/{token}")


def minted_redirects_of_pages(ask: Ask) -> object:
    if ask.path.startswith("/go/"):
        return ask.reply("", 302, Location=f"/landing/{crc32(ask.path.encode()):08x}")
    n = crc32(ask.path.encode())
    return page("Landing", "Follow us further", f"/go/{n}", f"/go/{n + 1}")


def redirects_home(ask: Ask) -> object:
    if ask.path == "/":
        return page("Home", "Our home page", *(f"/lost/{n}" for n in range(1000)))
    return ask.reply("", 302, Location="/")


def soft_404(ask: Ask) -> str:
    n = crc32(ask.path.encode()) % 100000
    links = (f"/x{n}", f"/folder{n}/y", f"/deep/z{n}.html", f"/q?id={n}")
    return page("Not found", "Sorry, the page you were looking for is not here any more", *links)


def soft_404_by_name(ask: Ask) -> str:
    n = crc32(ask.path.encode())
    text = f"We could not find {name_of(ask.path)} on this server, please try again"
    return page("Not found", text, f"/a/{n}", f"/b/{n + 1}.html", f"/c{n}")


def dead_links(ask: Ask) -> object:
    if ask.path == "/":
        return page("Links", "A thousand links", *(f"/dead/{n}" for n in range(1000)))
    return ask.reply("gone", 404)


def cloaked(ask: Ask) -> str:
    n = crc32(ask.path.encode())
    text = "Cheap offers that you find nowhere else in the whole world, today only"
    return page("Offers", text, *(f"/offer/{WORDS[(n + k) % 40]}-{n + k}" for k in range(4)))


def cookies(ask: Ask) -> object:
    n = _number(ask) + 1
    links = HONEST_PATHS if ask.path == "/" else ()
    body = page("Cookies", "Please accept our cookies first", f"/visit/{n}", *links)
    return ask.reply(body, Set_Cookie=f"visit={n}; Path=/")


def huge_out_degree(ask: Ask) -> str:
    if ask.path == "/":
        return page("All", "All of it", *(f"/leaf/{n}" for n in range(3000)))
    return page("Leaf", f"Leaf number {_number(ask)}")


def wide_and_deep(ask: Ask) -> str:
    n = crc32(ask.path.encode())
    return page("Wide", "Wide and deep", *(f"/w/{n % 1000}/{n + k}" for k in range(200)))


def many_shapes(ask: Ask) -> str:
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
        *(calendar_by_path, calendar_by_query, calendar_with_days, session_in_path),
        *(session_in_query, session_well_known, order_of_arguments, facets, sort_orders),
        *(searches, tag_clouds, empty_pages, blank_pages, infinite_archive, print_versions),
        *(growing_path, growing_cycle, mirror_folders, up_and_down, double_slashes),
        *(case_variants, fragments, escapes, long_urls, html_entities, markov, random_letters),
        *(random_names, random_ids, unique_files, minted_redirects, minted_redirects_of_pages),
        *(redirects_home, soft_404, soft_404_by_name, dead_links, cloaked, cookies),
        *(huge_out_degree, wide_and_deep, many_shapes),
    )
} | {
    make.__name__.replace("_", " "): Trap(make, beside=False)
    for make in (behind_levels, in_a_calendar)
}
"""Traps by name; each has all honest pages beside, behind or in it."""
