"""Spiders and the addresses they ask for: arguments, sessions, slashes, hosts, limits."""

from __future__ import annotations

from typing import Any

import scrapy
from conftest import Judge

from tests.strangers.stranger import Stranger
from tests.support.sites import Asked, Said, links, typed


def echo(asked: Asked) -> Said:
    return f"<html><title>{asked.path[:60]}</title><p>{asked.path}</p></html>"


class Asks(Stranger):
    """A spider that asks for paths from a callback."""

    web = staticmethod(echo)
    asks: tuple[str, ...] = ()

    def parse(self, response: Any) -> Any:
        for path in self.asks:
            yield self.get(path, self.one, errback=self.failed)

    def one(self, response: Any) -> Any:
        yield {"url": response.url, "said": response.css("p::text").get()}


class Tracking(Asks):
    """Addresses that differ in a session or a tracking argument are known by Scrapy's rules."""

    asks = (
        *("/a?utm_source=1", "/a?utm_source=2", "/a", "/a?fbclid=3"),
        *("/b?PHPSESSID=11111111111111111111111111111111", "/b?PHPSESSID=2222", "/b"),
        *("/c;jsessionid=0123456789ABCDEF", "/c;jsessionid=FEDCBA9876543210", "/c"),
        *("/d?sid=1", "/d?sid=2", "/d?id=1&sid=2", "/d?gclid=x"),
    )


class Spellings(Asks):
    """Spellings of an address are one or two as Scrapy's fingerprints say."""

    asks = (
        *("/dir", "/dir/", "/dir//", "/dir/index.html", "/Dir", "/dir?", "/dir#part"),
        *("/a?x=1&y=2", "/a?y=2&x=1", "/a?x=1&x=2", "/a?x=2&x=1", "/a?x=", "/a?x"),
        *("/%7Euser", "/~user", "/caf%C3%A9", "/café", "/a%2Fb", "/a/b", "/a+b", "/a%20b"),
        *("/x/../y", "/y", "/x/./y", "/x/y", "//double//slash", "/semi;a=1"),
    )


class Deep(Asks):
    """Deep paths, repeated folders, many arguments and very long addresses are fetched."""

    asks = (
        "/" + "/".join(str(n) for n in range(60)),
        "/" + "/".join("abcdefghij"[n % 10] for n in range(60)),
        *("/" + "repeated/" * n for n in range(1, 30)),
        *("/" + "a/b/" * n for n in range(1, 15)),
        "/many?" + "&".join(f"argument{n}={n}" for n in range(40)),
        *(f"/filter?{'&'.join(f'f{i}={i * n}' for i in range(8))}" for n in range(40)),
        "/long?q=" + "x" * 2000,
        "/longer?q=" + "x" * 2030,
        "/too-long?q=" + "x" * 2100,
    )


class Calendar(Stranger):
    """A calendar that links to the next day for ever is read as deep as the spider says."""

    web = staticmethod(lambda asked: links(f"/day/{int(asked.path[5:] or 0) + 1}"))
    starts = ("/day/1",)
    custom_settings = {"DEPTH_LIMIT": 80}


class ManyHosts(Stranger):
    """60 names of one domain and 30 of others are all fetched."""

    web = {"/": "<p>home</p>", "/start": links()}
    starts = ("/start",)

    def parse(self, response: Any) -> Any:
        for number in range(60):
            yield scrapy.Request(self.named(f"shop{number}.example.test"), self.one)
        for number in range(30):
            yield scrapy.Request(self.named(f"host{number}.test"), self.one)

    def one(self, response: Any) -> Any:
        yield {"host": response.url.split("/")[2].split(":")[0]}


class Offsite(Stranger):
    """allowed_domains keeps requests in, and allow_offsite lets one out."""

    web = {"/": links(), "/x": "x"}
    allowed_domains = ("127.0.0.1", "mine.test")

    def parse(self, response: Any) -> Any:
        for host in ("mine.test", "sub.mine.test", "notmine.test", "other.test"):
            yield scrapy.Request(self.named(host, "/x"), self.one, errback=self.failed)
        meta = {"allow_offsite": True}
        yield scrapy.Request(self.named("third.test", "/x"), self.one, meta=meta)
        yield scrapy.Request(self.named("fourth.test", "/x"), self.one, dont_filter=True)

    def one(self, response: Any) -> Any:
        yield {"url": response.url}


class Limits(Stranger):
    """DEPTH_LIMIT, URLLENGTH_LIMIT and DEPTH_PRIORITY hold."""

    web = staticmethod(lambda asked: links(asked.path + "a/", asked.path + "b" * 30 + "/"))
    custom_settings = {"DEPTH_LIMIT": 4, "URLLENGTH_LIMIT": 110, "DEPTH_PRIORITY": 1}

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "depth": response.meta["depth"]}
        for link in response.css("a"):
            yield response.follow(link)


class StartIsLinked(Stranger):
    """A start URL that a page links to is fetched as often as Scrapy fetches it."""

    web = {"/": links("/a"), "/a": links("/", "/b"), "/b": links("/a")}


class RobotsObeyed(Asks):
    """With ROBOTSTXT_OBEY the rules of robots.txt hold, and errbacks hear of them."""

    web = {
        "/robots.txt": typed("text/plain", "User-agent: *\nDisallow: /private\nAllow: /"),
        "/": links(),
        **dict.fromkeys(("/private/a", "/public", "/private"), echo),
    }
    asks = ("/private/a", "/public", "/private")
    custom_settings = {"ROBOTSTXT_OBEY": True}


class RobotsByRequest(Asks):
    """dont_obey_robotstxt lets one request through."""

    web = RobotsObeyed.web
    custom_settings = {"ROBOTSTXT_OBEY": True}

    def parse(self, response: Any) -> Any:
        meta = {"dont_obey_robotstxt": True}
        yield self.get("/private", self.one, meta=meta)
        yield self.get("/private/a", self.one, errback=self.failed)


def test_plugged_in_it_asks_for_what_it_asked_for(spider: type[Stranger], judge: Judge) -> None:
    judge(spider)
