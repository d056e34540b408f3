"""A web of which a third of the pages needs a browser, in the manners of five frameworks.

60 hosts. On 20 of them scripts make the pages, in one of five manners:

* `root`: an empty element, and a script that fetches all from an address of its own;
* `state`: an empty element, and links and text as JSON in the document;
* `islands`: text in the document, links fetched by an element of its own;
* `shadow`: elements with shadow roots, filled from what is fetched;
* `late`: an element that says that it is loading, and a script that waits, and writes markup.

The other hosts send whole pages: 20 without scripts, 20 with the scripts and marks of one of the
manners, as frameworks do that render on the server. A page is about the topic or not, links mostly
to pages of its kind, and the texts of three links in five name their targets.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import cached_property
from urllib.parse import urlsplit
from zlib import crc32

from frontier.web.serving import WebAnswer

MANNERS = ("root", "state", "islands", "shadow", "late")
TOPIC = "astronomy telescopes planets stars galaxies"
_ON = (
    *("telescope", "planet", "star", "galaxy", "orbit", "nebula", "comet", "observatory", "moon"),
    *("eclipse", "spectrum", "lens", "mirror", "asteroid", "astronomer", "cosmic", "supernova"),
)
_OFF = (
    *("recipe", "butter", "flour", "oven", "garden", "soil", "seed", "harvest", "river", "boat"),
    *("sail", "harbour", "market", "price", "stock", "trade", "football", "goal", "team", "coach"),
    *("guitar", "song", "melody", "drum", "paint", "canvas", "brush", "museum", "train", "ticket"),
)
_COMMON = (
    *("about", "after", "first", "great", "small", "people", "place", "world", "often", "known"),
    *("early", "later", "made", "found", "many", "other", "part", "three", "under", "while"),
)


class ScriptWeb:
    """Answers for all hosts; which page is about the topic depends on its address alone."""

    def __init__(self, hosts: int = 60, pages: int = 60, *, scripted: float = 1 / 3) -> None:
        """`scripted` is the share of hosts whose pages scripts make."""
        self.hosts, self.pages = hosts, pages
        self._needy = round(hosts * scripted)

    def manner(self, host: int) -> tuple[str, bool]:
        """Manner of a host's pages ("" without scripts), and whether scripts make them."""
        order = [number * 7 % self.hosts for number in range(self.hosts)].index(host)
        if order < self._needy:
            return MANNERS[order % len(MANNERS)], True
        return ("" if order % 2 else MANNERS[order // 2 % len(MANNERS)]), False

    def url(self, host: int, page: int) -> str:
        """Address of a page."""
        return f"http://site{host}.example/{'articles' if page % 4 else 'lists'}/{page}"

    def place(self, url: str) -> tuple[int, int] | None:
        """Numbers of host and page of an address; None for another address."""
        parts = urlsplit(url)
        host, page = (parts.hostname or "")[4:-8], parts.path.rpartition("/")[2]
        return (int(host), int(page)) if host.isdigit() and page.isdigit() else None

    def relevant(self, host: int, page: int) -> bool:
        """Whether a page is about the topic: on half of the hosts every sixth page, else few."""
        return crc32(f"{host}/{page}".encode()) % 100 < (17 if host % 2 else 3)

    def needs_browser(self, url: str) -> bool:
        """Whether scripts make a page."""
        place = self.place(url)
        return place is not None and self.manner(place[0])[1]

    @cached_property
    def _by_relevance(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        places = [(host, page) for host in range(self.hosts) for page in range(self.pages)]
        return (
            [place for place in places if not self.relevant(*place)],
            [place for place in places if self.relevant(*place)],
        )

    def title(self, host: int, page: int) -> str:
        """Title of a page."""
        rng = random.Random(f"title {host} {page}")
        words = _ON if self.relevant(host, page) else _OFF
        return " ".join(rng.sample(words, 2) + rng.sample(_COMMON, 2)).capitalize()

    def text(self, host: int, page: int) -> str:
        """Text of a page."""
        rng = random.Random(f"text {host} {page}")
        words = _ON if self.relevant(host, page) else _OFF
        return " ".join(rng.choice(words if rng.random() < 0.4 else _COMMON) for _ in range(180))

    def links(self, host: int, page: int) -> list[tuple[str, str]]:
        """Address and text of each link of a page: most lead to pages of its kind."""
        rng = random.Random(f"links {host} {page}")
        own = self._by_relevance[self.relevant(host, page)]
        other = self._by_relevance[0]
        targets = [rng.choice(own if rng.random() < 0.6 else other) for _ in range(6)]
        targets += [(host, rng.randrange(self.pages)) for _ in range(6)]
        return [
            (self.url(*target), self.title(*target) if rng.random() < 0.6 else "Read more")
            for target in targets
        ]

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        """Answer a request for a page, for what its script fetches, or for the script."""
        place, path = self.place(url), urlsplit(url).path
        if path.startswith("/code/"):
            script = SCRIPTS[path[6:].partition(".")[0]]
            return _answer(script, "text/javascript")
        if place is None or place[0] >= self.hosts or place[1] >= self.pages:
            return _answer("nothing here", "text/plain", 404)
        if path.startswith("/data/"):
            return _answer(json.dumps(self.data(*place)), "application/json")
        return _answer(self.document(*place), "text/html; charset=utf-8")

    def data(self, host: int, page: int) -> dict[str, object]:
        """What scripts make a page of."""
        links = [{"href": href, "title": title} for href, title in self.links(host, page)]
        return {"heading": self.title(host, page), "body": self.text(host, page), "links": links}

    def rendered(self, host: int, page: int) -> str:
        """Body of a whole page."""
        links = "".join(
            f'<li><a href="{to}">{text}</a></li>' for to, text in self.links(host, page)
        )
        heading = f"<h1>{self.title(host, page)}</h1>"
        return f"<main>{heading}<p>{self.text(host, page)}</p><ul>{links}</ul></main>"

    def document(self, host: int, page: int) -> str:
        """A page as its server sends it."""
        manner, needy = self.manner(host)
        head = f"<meta charset=utf-8><title>Site {host}</title>"
        if not manner:
            return f"<html><head>{head}</head><body>{self.rendered(host, page)}</body></html>"
        code = f'<script src="/code/{manner}.{host:04x}.js" defer></script>'
        inner = self._sent(manner, host, page) if needy else self.rendered(host, page)
        if manner == "state":
            state = json.dumps(self.data(host, page)) if needy else '{"done":true}'
            code = f"<script>window.__STATE__ = {state};</script>{code}"
        whole = "" if needy else ' data-whole="1"'
        body = FRAMES[manner].format(inner=inner, whole=whole)
        return f"<html><head>{head}{code}</head><body>{body}</body></html>"

    def _sent(self, manner: str, host: int, page: int) -> str:
        if manner == "islands":
            return f"<h1>{self.title(host, page)}</h1><p>{self.text(host, page)}</p>"
        return "<p class=spinner>Loading</p>" if manner == "late" else ""


FRAMES = {
    "root": "<noscript>You need to enable JavaScript to run this app.</noscript>"
    '<div id="root"{whole}>{inner}</div>',
    "state": '<div id="app" data-v-app{whole}>{inner}</div>',
    "islands": '<article>{inner}</article><link-island props="8"{whole}></link-island>',
    "shadow": "<page-shell{whole}>{inner}</page-shell>",
    "late": '<div id="main-outlet" ng-version="17"{whole}>{inner}</div>',
}
_SHOW = """
const list = (data) => '<ul>' + data.links.map((link) =>
  `<li><a href="${link.href}">${link.title}</a></li>`).join('') + '</ul>';
const whole = (data) => `<main><h1>${data.heading}</h1><p>${data.body}</p>${list(data)}</main>`;
const load = async () => (await fetch('/data' + location.pathname)).json();
const place = document.querySelector('body > :not(noscript):not(article)');
if (!place.dataset.whole) """
SCRIPTS = {
    "root": _SHOW + "load().then((data) => { place.innerHTML = whole(data); });",
    "state": _SHOW + "place.innerHTML = whole(window.__STATE__);",
    "islands": _SHOW + "load().then((data) => { place.innerHTML = list(data); });",
    "shadow": _SHOW + "load().then((data) => "
    "{ place.attachShadow({mode: 'open'}).innerHTML = whole(data); });",
    "late": _SHOW + "setTimeout(() => load().then((data) => "
    "{ place.innerHTML = whole(data); }), 200);",
}


def _answer(text: str, kind: str, status: int = 200) -> WebAnswer:
    return WebAnswer(status, [("Content-Type", kind)], text.encode())
