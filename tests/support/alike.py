"""One server for two crawls, one with the add-on and one without: whatever a callback or an errback
could tell them apart by is in the items of the spider, and what the server was asked in its log.

Each case is a host of its own. `Case.meta` is of the request, `text` what the server writes.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.certificates import certificate, key_of, signer
from tests.support.hostile import Ask, hostile, running

HTML = b"Content-Type: text/html\r\n"
OK = b"HTTP/1.1 200 OK\r\n" + HTML
PAGE = b"<html><title>a page</title><a href='/next'>on</a></html>"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def sized(body: bytes, head: bytes = OK) -> bytes:
    """An answer with its length."""
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def chunks(*pieces: bytes) -> bytes:
    """An answer in chunks, whole."""
    return CHUNKED + b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in pieces) + b"0\r\n\r\n"


def packed(body: bytes, coding: bytes, name: bytes = b"gzip") -> bytes:
    """An answer with a content encoding, undone or not."""
    return sized(coding, OK + b"Content-Encoding: " + name + b"\r\n")


@dataclass(frozen=True)
class Case:
    """What the server writes, and what the request says beside its URL."""

    text: bytes = b""
    meta: dict[str, Any] = field(default_factory=dict)
    drip: bytes = b""
    """What follows again and again."""
    held: bool = False
    """Whether the connection is kept open behind it."""
    method: str = "GET"
    fragment: str = ""


BIG = b"<html>" + b"many words " * 600_000
BOMB = gzip.compress(b"a" * 3_000_000)
SLOW = {"download_timeout": 1}
CASES: dict[str, Case] = {
    "page": Case(sized(PAGE)),
    "head": Case(sized(b""), method="HEAD"),
    "empty": Case(sized(b"")),
    "chunked": Case(chunks(PAGE, b"more")),
    "tiny_chunks": Case(chunks(*[b"a"] * 40_000)),
    "until_closed": Case(OK + b"\r\n" + PAGE),
    "http_1_0": Case(b"HTTP/1.0 200 OK\r\n" + HTML + b"\r\n" + PAGE),
    "six_mebibytes": Case(sized(BIG)),
    "not_found": Case(sized(PAGE, b"HTTP/1.1 404 No\r\n" + HTML)),
    "broken_off": Case(OK + b"Content-Length: 500\r\n\r\n" + PAGE),
    "broken_off_taken": Case(
        OK + b"Content-Length: 500\r\n\r\n" + PAGE, {"download_fail_on_dataloss": False}
    ),
    "no_last_chunk": Case(CHUNKED + b"3\r\nabc\r\n"),
    "no_last_chunk_taken": Case(CHUNKED + b"3\r\nabc\r\n", {"download_fail_on_dataloss": False}),
    "no_chunk": Case(CHUNKED + b"3\r\nabc\r\nzz\r\n"),
    "closed_at_once": Case(),
    "closed_in_the_head": Case(b"HTTP/1.1 200 OK\r\nContent-"),
    "no_http": Case(b"\x15\x03\x01\x00\x02\x02\x28" * 9),
    "two_lengths": Case(OK + b"Content-Length: 3\r\n" + b"Content-Length: 4\r\n\r\nabcd"),
    "silent": Case(b"", SLOW, held=True),
    "head_drips": Case(b"HTTP/1.1 200 OK\r\nX-A: ", SLOW, drip=b"a"),
    "body_drips": Case(OK + b"Content-Length: 5000\r\n\r\n", SLOW, drip=b"a"),
    "chunks_drip": Case(CHUNKED, SLOW, drip=b"1\r\na\r\n"),
    "too_large_announced": Case(sized(b"a" * 5000), {"download_maxsize": 1000}),
    "too_large": Case(OK + b"\r\n" + b"a" * 5000, {"download_maxsize": 1000}),
    "large_enough_to_warn": Case(sized(b"a" * 5000), {"download_warnsize": 1000}),
    "stopped_at_its_head": Case(sized(PAGE), {"stop": "head"}),
    "stopped_in_its_body": Case(sized(b"a" * 5000), {"stop": "body"}),
    "stopped_and_failed": Case(sized(b"a" * 5000), {"stop": "fail"}),
    "gzip": Case(packed(PAGE, gzip.compress(PAGE))),
    "deflate": Case(packed(PAGE, zlib.compress(PAGE), b"deflate")),
    "gzip_broken": Case(packed(PAGE, gzip.compress(PAGE * 90)[:60])),
    "gzip_that_is_none": Case(packed(PAGE, PAGE)),
    "encoding_unknown": Case(packed(PAGE, PAGE, b"magic")),
    "gzip_bomb": Case(packed(b"", BOMB), {"download_maxsize": 1_000_000}),
    "another_charset": Case(
        sized("<p>größer über äh</p>".encode() * 9, OK[:-2] + b"; charset=iso-8859-1\r\n")
    ),
    "no_charset": Case(sized("<p>größer über äh</p>".encode("cp1252") * 9)),
    "two_types": Case(sized(PAGE, OK + b"Content-Type: image/png\r\n")),
    "many_attributes": Case(sized(b"<p " + b" ".join(b"a%d=1" % i for i in range(11_000)) + b">x")),
    "bound_to_an_address": Case(sized(PAGE), {"bindaddress": "127.0.0.9"}),
    "redirect_with_a_fragment": Case(b'HTTP/1.1 302 Found\r\nLocation: /x#a%20b"c\r\n\r\n'),
    "fragment_that_is_inherited": Case(
        b"HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", fragment="#mine"
    ),
    "fragment_of_its_own": Case(
        b"HTTP/1.1 302 Found\r\nLocation: /x#theirs\r\n\r\n", fragment="#mine"
    ),
    "empty_fragment": Case(b"HTTP/1.1 302 Found\r\nLocation: /x#\r\n\r\n", fragment="#mine"),
    "refresh_with_a_fragment": Case(sized(b'<meta http-equiv=refresh content="0;url=/x#part">')),
}
"""By name; `/x` of every host is an ordinary page."""

SPIDER = """
import hashlib
import scrapy
from scrapy import signals
from scrapy.exceptions import StopDownload

class Alike(scrapy.Spider):
    name = "alike"
    requests = @REQUESTS@

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.head, signals.headers_received)
        crawler.signals.connect(spider.bytes, signals.bytes_received)
        return spider

    def head(self, headers, body_length, request):
        request.meta["heads"] = [body_length, sorted(k.decode() for k in headers)]
        if request.meta.get("stop") == "head":
            raise StopDownload(fail=False)

    def bytes(self, data, request):
        request.meta["came"] = request.meta.get("came", 0) + len(data)
        if request.meta.get("stop") in ("body", "fail"):
            raise StopDownload(fail=request.meta["stop"] == "fail")

    async def start(self):
        for case, url, method, meta in self.requests:
            meta = {"case": case, **meta}
            yield scrapy.Request(
                url, self.parse, method=method, meta=meta, errback=self.failed, dont_filter=True
            )

    def told(self, request):
        meta = request.meta
        came = None if "drip" in meta["case"] else meta.get("came")
        return {"case": meta["case"], "heads": meta.get("heads"), "came": came,
                "asked": request.url, "maxsize": meta.get("download_maxsize"),
                "timeout": meta.get("download_timeout")}

    def seen(self, response):
        text = getattr(response, "text", None)
        return {
            "status": response.status, "url": response.url, "flags": response.flags,
            "kind": type(response).__name__, "protocol": response.protocol,
            "address": str(response.ip_address), "length": len(response.body),
            "body": hashlib.md5(response.body).hexdigest(),
            "encoding": getattr(response, "encoding", None),
            "text": text and hashlib.md5(text.encode()).hexdigest(),
            "attributes": sum(len(one.attrib) for one in response.css("p")) if text else 0,
            "certificate": response.certificate and str(response.certificate.getSubject()),
            "headers": sorted((k.decode(), [v.decode() for v in vs])
                              for k, vs in response.headers.items()),
        }

    def parse(self, response):
        yield {**self.told(response.request), **self.seen(response)}

    def failed(self, failure):
        error = failure.value
        known = [one.__module__ + "." + one.__name__ for one in type(error).__mro__]
        stopped = error.response if isinstance(error, StopDownload) else None
        yield {**self.told(failure.request), "error": known, "says": str(error),
               "stopped": stopped and self.seen(stopped)}
"""


def _answering(case: Case) -> Any:
    async def answer(ask: Ask) -> None:
        if ask.path == "/x":
            await ask.raw(sized(b"<p>the target</p>"))
            return
        await ask.raw(case.text)
        with suppress(ConnectionError):
            while case.drip or case.held:
                await ask.raw(case.drip)
                await asyncio.sleep(0.1)

    return answer


@dataclass
class AlikeWeb:
    """Requests of the spider, and how often each case was asked since the last `forget`."""

    requests: list[tuple[str, str, str, dict[str, Any]]]
    log: list[Any]

    def code(self) -> str:
        return SPIDER.replace("@REQUESTS@", repr(self.requests))

    def asked(self) -> dict[str, list[str]]:
        """Method and path of every request by case, and forget them."""
        found: dict[str, list[str]] = {}
        for one in self.log:
            found.setdefault(one.case, []).append(f"{one.method} {one.path}")
        self.log.clear()
        return found


@contextmanager
def alike_web(folder: Path) -> Iterator[AlikeWeb]:
    """Serve all cases, also behind TLS, a proxy and a proxy's tunnel."""
    with (
        hostile({name: _answering(case) for name, case in CASES.items()}) as web,
        _more(folder, web.url("page")) as more,
    ):
        requests = [
            (name, web.url(name) + case.fragment, case.method, case.meta)
            for name, case in CASES.items()
        ]
        yield AlikeWeb(requests + more, web.log)


@contextmanager
def _more(folder: Path, page: str) -> Iterator[list[tuple[str, str, str, dict[str, Any]]]]:
    """TLS, proxies, and hosts where nobody is."""
    own = signer("127.0.0.1")
    path = folder / "tls.pem"
    path.write_bytes(key_of(own) + certificate(own, own, []))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # a handshake fails here by design
    servers: list[asyncio.Server] = []
    ports: list[int] = []

    async def listen() -> None:
        for talk, how in (
            (_page, context),
            (_no_tls, None),
            (_proxy, None),
            (_no_proxy, None),
        ):
            server = await asyncio.start_server(talk, "127.0.0.1", 0, ssl=how)
            ports.append(server.sockets[0].getsockname()[1])
            servers.append(server)

    with socket.socket() as nobody, running(loop, listen, servers):
        nobody.bind(("127.0.0.1", 0))
        tls, plain, proxy, no_proxy = ports
        proxies = {"proxy": f"http://127.0.0.1:{proxy}"}
        yield [
            ("tls", f"https://127.0.0.1:{tls}/", "GET", {}),
            ("tls_without_a_body", f"https://127.0.0.1:{tls}/empty", "GET", {}),
            ("http_for_tls", f"https://127.0.0.1:{plain}/", "GET", {}),
            ("proxied", page, "GET", proxies),
            ("tunnelled", f"https://127.0.0.1:{tls}/tunnelled", "GET", proxies),
            (
                "tunnel_refused",
                f"https://127.0.0.1:{tls}/refused",
                "GET",
                {"proxy": f"http://127.0.0.1:{no_proxy}"},
            ),
            ("refused", f"http://127.0.0.1:{nobody.getsockname()[1]}/", "GET", {}),
            ("unknown_name", "http://nobody.invalid/", "GET", {}),
        ]


async def _page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, EOFError):
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(sized(b"" if b"/empty" in head else PAGE))
        await writer.drain()
    writer.close()


async def _no_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
    writer.close()


async def _no_proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, EOFError):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")
        await writer.drain()
    writer.close()


async def _proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Tunnels what is asked for with CONNECT, and answers everything else itself."""
    with suppress(ConnectionError, EOFError):
        method, target, _ = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)
        if method != b"CONNECT":
            writer.write(sized(b"from the proxy: " + target))
            await writer.drain()
        else:
            host, _, port = target.decode().rpartition(":")
            there, thither = await asyncio.open_connection(host, int(port))
            writer.write(b"HTTP/1.1 200 Fine\r\n\r\n")
            await asyncio.gather(_pass_on(reader, thither), _pass_on(there, writer))
    writer.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
