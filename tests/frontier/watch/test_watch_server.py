"""The server of `scrapy frontier watch` over real sockets: what it shows, to whom, and its end."""

from __future__ import annotations

import gzip
import json
import math
import os
import pty
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from frontier.errors import SettingsError, StoreVersionError
from frontier.labels.label_file import Label, read_labels
from frontier.watch import server as module
from frontier.watch.picture import Pictures
from frontier.watch.server import MOST_BODY, MOST_HEAD, MOST_LISTENERS, WatchServer
from tests.support.driven_crawl import NEXT, A, DrivenCrawl
from tests.support.scrapy_runs import scrapy
from tests.support.watched import small_watched_crawl

JSON = "application/json"


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("watched") / "job"
    small_watched_crawl(directory).close()
    return directory


@pytest.fixture(scope="module")
def server(job: Path) -> Iterator[WatchServer]:
    with WatchServer([job]) as running:
        yield running


def ask(
    server: WatchServer,
    path: str = "/picture",
    method: str = "GET",
    body: bytes | str | None = None,
    **headers: str,
) -> tuple[HTTPResponse, bytes]:
    """One request with the token, unless `X_Token` says otherwise; None leaves a header out."""
    host = f"127.0.0.1:{server.port}"
    everything = {"Host": host, "X-Token": server.token, "Origin": f"http://{host}"}
    everything |= {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=10)) as connection:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in everything.items():
            if value:
                connection.putheader(name, value)
        if body is not None and "Content-Length" not in everything:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body.encode() if isinstance(body, str) else body)
        answer = connection.getresponse()
        return answer, answer.read()


def said(server: WatchServer, *arguments: Any, **headers: str) -> tuple[int, str]:
    """Status and text of an error, which is JSON and whose headers are those of every answer."""
    answer, body = ask(server, *arguments, **headers)
    guarded(answer)
    assert answer.getheader("Content-Type") == JSON
    document = json.loads(body)
    assert list(document) == ["error"]
    assert "<" not in document["error"]
    return answer.status, document["error"]


def guarded(answer: HTTPResponse) -> None:
    """Nothing may keep, embed, sniff or read it, and no address leaves by Referer."""
    assert answer.getheader("Content-Security-Policy", "").startswith("default-src 'none'")
    expected = {
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
    assert {name: answer.getheader(name) for name in expected} == expected
    names = {name.lower() for name, _ in answer.getheaders()}
    assert not {name for name in names if name.startswith("access-control-")}
    assert not names & {"server", "set-cookie"}


# -- who is answered -------------------------------------------------------------------------------


def test_the_page_and_all_that_it_asks_for(server: WatchServer, job: Path) -> None:
    answer, body = ask(server, f"/?token={server.token}", X_Token="")
    assert (answer.status, answer.getheader("Content-Type")) == (200, "text/html; charset=utf-8")
    guarded(answer)
    assert body.startswith(b"<!doctype html>")
    assert server.token.encode() not in body
    documents = {}
    for path in ("/picture", "/picture?crawl=0", f"/url?url={A}", "/host?name=a.example", "/map"):
        answer, body = ask(server, path)
        assert (answer.status, answer.getheader("Content-Type")) == (200, JSON)
        guarded(answer)
        documents[path] = json.loads(body)
    assert documents["/picture"]["directory"] == str(job)
    assert documents["/picture"]["numbers"]["pages"] == 3
    assert A in json.dumps(documents[f"/url?url={A}"])


@pytest.mark.parametrize("path", ["/", "/events", "/picture", "/url?url=x", "/label", "/none"])
@pytest.mark.parametrize("token", ["", "wrong", "é", "%00"])
def test_no_route_without_the_token(server: WatchServer, path: str, token: str) -> None:
    method = "POST" if path == "/label" else "GET"
    assert said(server, path, method, X_Token=token)[0] == 403
    more = f"{path}{'&' if '?' in path else '?'}token={server.token[:-1]}"
    assert said(server, more, method, X_Token="")[0] == 403


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "127.0.0.1:{port}.x"),
        *("", "127.0.0.1:{port}@evil.example", "0.0.0.0:{port}", "127.0.0.2:{port}"),
    ],
)
def test_a_name_that_was_pointed_here_is_refused(server: WatchServer, host: str) -> None:
    """DNS rebinding: the browser believes that a site's own name is this server."""
    status, error = said(server, Host=host.format(port=server.port))
    assert status == 421
    assert "printed" in error


def test_names_of_this_machine_are_answered(server: WatchServer, job: Path) -> None:
    for name in ("localhost", "LOCALHOST", "[::1]"):
        assert ask(server, Host=f"{name}:{server.port}")[0].status == 200
    with WatchServer([job], "0.0.0.0") as everywhere:
        name = socket.gethostname()
        assert everywhere.url.startswith(f"http://{name.lower()}:{everywhere.port}/?token=")
        assert ask(everywhere, Host=f"{name}:{everywhere.port}")[0].status == 200
        assert said(everywhere, Host=f"evil.example:{everywhere.port}")[0] == 421


def test_two_hosts_are_none(server: WatchServer) -> None:
    host = f"127.0.0.1:{server.port}"
    request = f"GET /picture HTTP/1.1\r\nHost: {host}\r\nHost: x\r\nX-Token: {server.token}\r\n\r\n"
    assert raw(server, request.encode()).startswith(b"HTTP/1.1 421 ")


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/none", "GET", 404),
        ("/<script>alert(1)</script>", "GET", 404),
        ("/../../etc/passwd", "GET", 404),
        ("/page/kit.js", "GET", 404),
        ("/picture?crawl=1", "GET", 404),
        ("/picture?crawl=-1", "GET", 404),
        ("/picture?crawl=<b>", "GET", 404),
        ("/url", "GET", 400),
        ("/url?url=--", "GET", 400),
        ("/url?url=-sX=Y", "GET", 400),
        (f"/url?url={A}%00", "GET", 400),
        ("/url?url=http://never.example/", "GET", 404),
        ("/host?name=", "GET", 400),
        ("/search", "GET", 400),
        ("/picture?" + "a=1&" * 20, "GET", 400),
        ("/picture", "POST", 405),
        ("/picture", "PUT", 405),
        ("/", "DELETE", 405),
        ("/", "OPTIONS", 405),
        ("/label", "GET", 405),
        ("/label", "HEAD", 405),
    ],
)
def test_what_there_is_not(server: WatchServer, path: str, method: str, status: int) -> None:
    answer, body = ask(server, path, method)
    guarded(answer)
    assert answer.status == status
    assert answer.getheader("Allow") == (
        None if status != 405 else "POST" if path == "/label" else "GET, HEAD"
    )
    assert (b"" if method == "HEAD" else b'{"error":"') == body[:10]
    assert b"<" not in body


def test_a_search_without_an_index_says_how_to_make_one(server: WatchServer) -> None:
    status, error = said(server, "/search?q=pages")
    assert status == 404
    assert "scrapy frontier index" in error


@pytest.mark.parametrize("fault", [RuntimeError("<b>"), PermissionError("<b>"), None])
def test_a_failure_is_an_error_that_says_nothing_of_it(
    server: WatchServer, monkeypatch: pytest.MonkeyPatch, fault: Exception | None
) -> None:
    def fail(_: Pictures) -> dict[str, float]:
        if fault is not None:
            raise fault
        return {"value": math.nan}  # which JSON has not

    monkeypatch.setattr(Pictures, "map", fail)
    assert said(server, "/map") == (500, "the watcher failed; its terminal says more")


@pytest.mark.parametrize("path", ["/", "/picture", "/events"])
def test_head_is_the_head_of_get(server: WatchServer, path: str) -> None:
    answer, body = ask(server, path, "HEAD")
    assert (answer.status, body) == (200, b"")
    guarded(answer)


def test_the_page_and_pictures_are_packed_for_who_takes_it(server: WatchServer) -> None:
    for path in ("/", "/picture"):
        _, plain = ask(server, path)
        answer, packed = ask(server, path, Accept_Encoding="gzip, br")
        assert answer.getheader("Content-Encoding") == "gzip"
        assert len(packed) < len(plain)
        assert gzip.decompress(packed)[-20:] == plain[-20:]


# -- what is too much ------------------------------------------------------------------------------


def raw(server: WatchServer, *portions: bytes, pause: float = 0) -> bytes:
    """What is answered to bytes, sent with a pause before each."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        for portion in portions:
            time.sleep(pause)
            connection.sendall(portion)
        answer = b""
        while more := connection.recv(65536):
            answer += more
        return answer


def test_what_is_no_http_is_refused_without_being_repeated(server: WatchServer) -> None:
    for request in (b"\x16\x03\x01<b>", b"<b>", b"GET /<b>", b"GET /<b> HTTP/<b>", b"A B C D"):
        answer = raw(server, request + b"\r\n\r\n")
        assert answer.split()[1] in (b"400", b"421", b"505"), answer
        assert b"<b>" not in answer
        assert b"X-Content-Type-Options: nosniff" in answer


def test_a_request_line_and_headers_are_limited(server: WatchServer) -> None:
    assert said(server, "/picture?" + "x" * MOST_HEAD)[0] == 431
    assert said(server, X_Long="x" * MOST_HEAD)[0] == 431
    # Who reads late is answered too, though what it sent is not read.
    answer = raw(server, b"x" * (20 * MOST_HEAD), b"", pause=0.2)
    assert answer.startswith(b"HTTP/1.1 431 ")


def test_who_sends_slowly_does_not_hold_a_thread(
    server: WatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REQUEST_SECONDS", 0.3)
    assert raw(server, *(b"G", b"E", b"T", b" "), pause=0.1).startswith(b"HTTP/1.1 408 ")
    assert raw(server).startswith(b"HTTP/1.1 408 ")
    head = f"POST /label HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Token: {server.token}\r\n"
    head += f"Origin: http://127.0.0.1:{server.port}\r\nContent-Type: {JSON}\r\n"
    answer = raw(server, f"{head}Content-Length: 100\r\n\r\n".encode(), b"{")
    assert answer.startswith(b"HTTP/1.1 408 ")


# -- labels ----------------------------------------------------------------------------------------


def label(server: WatchServer, document: Any, **headers: str) -> tuple[int, Any]:
    body = document if isinstance(document, (bytes, str)) else json.dumps(document)
    answer, body = ask(server, "/label", "POST", body, **{"Content_Type": JSON, **headers})
    guarded(answer)
    return answer.status, json.loads(body)


def test_a_label_is_that_of_the_command(server: WatchServer, job: Path) -> None:
    (job / "labels.tsv").unlink(missing_ok=True)
    never = "http://never.example/"
    assert label(server, {"crawl": 0, "url": A, "wanted": True}) == (
        200,
        {"labels": [{"url": A, "wanted": True}], "never_met": []},
    )
    assert label(server, {"url": never, "wanted": False})[1]["never_met"] == [never]
    charset = {"Content_Type": f"{JSON}; charset=utf-8"}
    assert label(server, {"url": A, "wanted": False}, **charset)[0] == 200
    assert read_labels(job) == [Label(never, wanted=False), Label(A, wanted=False)]


OURS = {"url": A, "wanted": True}


@pytest.mark.parametrize(
    ("document", "headers", "status"),
    [
        (OURS, {"Origin": ""}, 403),
        (OURS, {"Origin": "null"}, 403),
        (OURS, {"Origin": "http://evil.example"}, 403),
        (OURS, {"Origin": "https://127.0.0.1"}, 403),
        (OURS, {"Content_Type": "text/plain"}, 415),
        (OURS, {"Content_Type": "application/x-www-form-urlencoded"}, 415),
        (OURS, {"Content_Type": ""}, 415),
        (OURS, {"Transfer_Encoding": "chunked"}, 411),
        (OURS, {"Content_Length": "-1"}, 411),
        (OURS, {"Content_Length": "9" * 5000}, 413),
        (" " * (MOST_BODY + 1), {}, 413),
        (" " * (20 * MOST_BODY), {}, 413),
        ("", {}, 400),
        ("[" * MOST_BODY, {}, 400),
        (b"\xff", {}, 400),
        ("[1]", {}, 400),
        ({"url": A}, {}, 400),
        ({"url": A, "wanted": 1}, {}, 400),
        ({"url": [A], "wanted": True}, {}, 400),
        ({"url": "javascript:alert(1)", "wanted": True}, {}, 400),
        ({"url": f"{A}\nyes\thttp://b.example/", "wanted": True}, {}, 400),
        ({"url": f"{A}\0", "wanted": True}, {}, 400),
        ({"url": f"{A}\ud800", "wanted": True}, {}, 400),
        ({"url": A, "wanted": True, "crawl": 7}, {}, 404),
        ({"url": A, "wanted": True, "crawl": [0]}, {}, 404),
    ],
)
def test_what_writes_no_label(
    server: WatchServer, job: Path, document: Any, headers: dict[str, str], status: int
) -> None:
    before = read_labels(job)
    found, answer = label(server, document, **headers)
    assert (found, list(answer)) == (status, ["error"])
    assert read_labels(job) == before


def test_labels_that_cannot_be_written(job: Path, tmp_path: Path) -> None:
    directory = tmp_path / "job"
    small_watched_crawl(directory).close()
    (directory / "labels.tsv").mkdir()
    with WatchServer([directory]) as server:
        status, answer = label(server, OURS)
    assert status == 409
    assert "could not be written" in answer["error"]


# -- events ----------------------------------------------------------------------------------------


class Listener:
    """Reads server-sent events."""

    def __init__(self, server: WatchServer, query: str = "") -> None:
        self._connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        head = f"GET /events?token={server.token}{query} HTTP/1.1\r\nHost: localhost:{server.port}"
        self._connection.sendall(f"{head}\r\n\r\n".encode())
        self._file = self._connection.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        self.head = self._block()

    def _block(self) -> bytes:
        lines = []
        while (line := self._file.readline()) not in (b"\r\n", b"\n", b""):
            lines.append(line)
        return b"".join(lines)

    def next(self) -> bytes:
        """The next event or comment, as it is on the wire; nothing at the end."""
        return self._block()

    def picture(self) -> dict[str, Any]:
        event, data = self.next().splitlines()
        assert event == b"event: picture"
        document: dict[str, Any] = json.loads(data.removeprefix(b"data: "))
        return document

    def close(self) -> None:
        self._file.close()
        self._connection.close()


@pytest.fixture
def growing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DrivenCrawl]:
    """A crawl that commits each page, of which two are left."""
    monkeypatch.setattr(module, "EVERY", 0.1)
    crawl = small_watched_crawl(tmp_path / "job", turn=1)
    yield crawl
    crawl.close()


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """When pictures were made."""
    made: list[float] = []
    picture = Pictures.picture

    def counted(self: Pictures) -> dict[str, Any]:
        made.append(time.monotonic())
        return picture(self)

    monkeypatch.setattr(Pictures, "picture", counted)
    yield made


def test_a_new_picture_comes_when_the_crawl_has_gone_on(
    growing: DrivenCrawl, tmp_path: Path
) -> None:
    with WatchServer([tmp_path / "job"]) as server, closing(Listener(server)) as listener:
        assert b"Content-Type: text/event-stream" in listener.head
        before = listener.picture()["numbers"]["pages"]
        growing.web = {**growing.web, NEXT: growing.web[A]}
        assert growing.step()
        growing.backend.commit()
        while (after := listener.picture()["numbers"]["pages"]) == before:
            pass
        assert after == before + 1


def test_where_nothing_changes_a_comment_comes_and_no_picture(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVERY", 0.05)
    monkeypatch.setattr(module, "HEARTBEAT", 0.2)
    with (
        counting(monkeypatch) as made,
        WatchServer([job]) as server,
        closing(Listener(server)) as listener,
    ):
        listener.picture()
        assert [listener.next() for _ in range(2)] == [b":\n"] * 2
        assert len(made) > 2


def test_two_listeners_are_one_reading_and_nobody_is_none(
    growing: DrivenCrawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with counting(monkeypatch) as made, WatchServer([tmp_path / "job"]) as server:
        assert made == []
        listeners = [Listener(server) for _ in range(8)]
        first = {one.next() for one in listeners}
        assert len(first) == 1
        made.clear()
        time.sleep(1)
        assert 4 <= len(made) <= 11  # one each .1 s at most
        for one in listeners:
            one.close()
        time.sleep(0.3)
        made.clear()
        time.sleep(0.4)
        assert made == []


def test_listeners_are_limited_and_leaving_makes_room(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WatchServer([job]) as server:
        listeners = [Listener(server) for _ in range(MOST_LISTENERS)]
        assert {one.status for one in listeners} == {200}
        assert said(server, "/events")[0] == 503
        assert ask(server, "/picture")[0].status == 200
        listeners.pop().close()
        until = time.monotonic() + 5
        while (again := Listener(server)).status == 503:
            again.close()
            assert time.monotonic() < until
        for one in (*listeners, again):
            one.close()


def test_a_listener_that_takes_nothing_is_left(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERY", 0.05)
    monkeypatch.setattr(module, "REQUEST_SECONDS", 0.2)
    monkeypatch.setattr(module, "MOST_LISTENERS", 1)
    picture = {"padding": "x" * 10_000_000}  # more than the kernel keeps for who reads late
    monkeypatch.setattr(Pictures, "picture", lambda _: {**picture, "at": time.monotonic()})
    with WatchServer([job]) as server, closing(Listener(server)):
        until = time.monotonic() + 10
        while ask(server, "/events", "HEAD")[0].status == 503:
            assert time.monotonic() < until
            time.sleep(0.1)


def test_connections_are_limited(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CONNECTIONS", 3)
    with WatchServer([job]) as server:
        held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(3)]
        time.sleep(0.3)
        assert raw(server) == b""
        for one in held:
            one.close()
        time.sleep(0.3)
        assert ask(server)[0].status == 200


def test_closing_ends_listeners_and_leaves_no_thread(job: Path) -> None:
    before = set(threading.enumerate())
    with WatchServer([job, job]) as server:
        listeners = [Listener(server, f"&crawl={number}") for number in (0, 1)]
        waiting = socket.create_connection(("127.0.0.1", server.port))
        for one in listeners:
            one.picture()
        began = time.monotonic()
    assert time.monotonic() - began < 1.5
    assert [one.next() for one in listeners] == [b"", b""]
    for connection in (*listeners, waiting):
        connection.close()
    assert set(threading.enumerate()) == before


# -- the command -----------------------------------------------------------------------------------


@contextmanager
def watching(*arguments: object, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`scrapy frontier watch` and what it has printed first."""
    command = [sys.executable, "-m", "scrapy", "frontier", "watch", *map(str, arguments)]
    pipe, env = subprocess.PIPE, {**os.environ, **environment}
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=env) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline()
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_command_and_frees_the_port(job: Path, number: signal.Signals) -> None:
    with watching(job, job, "--port", 0, "--json") as (process, line):
        address, _, token = json.loads(line)["url"].partition("/?token=")
        port = int(address.rpartition(":")[2])
        assert address == f"http://127.0.0.1:{port}"
        with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
            connection.request("GET", "/events?crawl=1", headers={"X-Token": token})
            assert connection.getresponse().readline() == b"event: picture\n"
            process.send_signal(number)
            assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))


@pytest.mark.slow
def test_a_browser_is_opened_from_a_terminal_and_from_nothing_else(
    job: Path, tmp_path: Path
) -> None:
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    browser.chmod(0o755)
    screen = {"BROWSER": f"{browser} %s", "DISPLAY": ":0"}
    command = [sys.executable, "-m", "scrapy", "frontier", "watch", str(job), "--port", "0"]
    addresses = []
    for option in ("--no-browser", "--port=0"):
        ours, theirs = pty.openpty()
        env = {**os.environ, **screen}
        with subprocess.Popen([*command, option], stdout=theirs, env=env) as process:
            os.close(theirs)
            addresses.append(os.read(ours, 4096).split()[0].decode())
            time.sleep(0.5)
            process.terminate()
        assert process.returncode == 0
        os.close(ours)
    with watching(job, "--port", 0, **screen):
        time.sleep(0.5)
    assert opened.read_text().split() == addresses[1:]


def test_what_prevents_it_is_said(job: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = scrapy("frontier", "watch", str(job), "--port", str(port), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"port {port}" in done.stderr
    assert "--port" in done.stderr
    done = scrapy("frontier", "watch", str(tmp_path / "none"), "--port", "0", cwd=tmp_path)
    assert done.returncode == 1
    assert f"scrapy frontier: No crawl in {tmp_path / 'none'}" in done.stderr
    done = scrapy("frontier", "watch", *["x"] * 3, cwd=tmp_path)
    assert done.returncode == 2


def test_what_is_no_crawl_or_no_address(job: Path, tmp_path: Path) -> None:
    small_watched_crawl(tmp_path / "newer").close()
    with closing(sqlite3.connect(tmp_path / "newer" / "frontier.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(StoreVersionError, match="version 999"):
        WatchServer([job, tmp_path / "newer"])
    with pytest.raises(SettingsError, match=r"no\.such\.invalid.*--port"):
        WatchServer([job], "no.such.invalid")
