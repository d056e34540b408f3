from __future__ import annotations

import io
import json
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping

import pytest

from frontier.errors import SettingsError
from frontier.web.serving import WebAnswer, WebServer, serve_until_stopped, text_answer
from tests.support.told import telling


class Echo:
    """Says what it was asked."""

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        if url.endswith("/fail"):
            raise ValueError("on purpose")
        if url.endswith("/missing"):
            return text_answer(404, "missing")
        return WebAnswer(
            200, [("X-Agent", headers.get("user-agent", ""))], f"{method} {url} ".encode() + body
        )


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer(Echo()) as running:
        yield running


def open_url(server: WebServer, url: str, data: bytes | None = None) -> bytes:
    proxy = urllib.request.ProxyHandler({"http": server.url})
    with urllib.request.build_opener(proxy).open(url, data, timeout=10) as response:
        return response.read()


def talk(server: WebServer, data: bytes) -> bytes:
    """Send bytes, hear all that comes until the server closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_a_client_with_a_proxy_gets_any_host(server: WebServer) -> None:
    assert open_url(server, "http://a.example/x?y") == b"GET http://a.example/x?y "
    assert open_url(server, "http://b.example/", b"form") == b"POST http://b.example/ form"


def test_errors_are_answers(server: WebServer) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        open_url(server, "http://a.example/missing")


def test_requests_sent_in_one_go_are_answered_in_their_order(server: WebServer) -> None:
    asked = b"".join(b"GET http://a.example/%d HTTP/1.1\r\n\r\n" % n for n in range(20))
    heard = talk(server, asked)
    places = [heard.index(b"GET http://a.example/%d " % n) for n in range(20)]
    assert places == sorted(places)
    assert heard.count(b"HTTP/1.1 200 OK") == 20


def test_tunnels_are_refused_with_the_remedy(server: WebServer) -> None:
    heard = talk(server, b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n")
    assert heard.startswith(b"HTTP/1.1 501 ")
    assert b"http:// URLs" in heard


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET /x HTTP/1.1\r\n\r\n", 400),
        (b"GET http://a.example/ HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
        (b"x" * 200_000, 414),
        (b"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", 413),
        (b"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (b"GET http://a.example/fail HTTP/1.1\r\n\r\n", 500),
    ],
)
def test_nothing_a_client_sends_stops_the_server(
    server: WebServer, data: bytes, status: int
) -> None:
    try:
        heard = talk(server, data)
        assert heard.startswith(b"HTTP/1.1 %d " % status)
    except OSError:
        pass  # It closed while more was on its way, as a server may.
    assert open_url(server, "http://a.example/") == b"GET http://a.example/ "


def test_latency_is_waited_before_each_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    with WebServer(Echo(), latency=0.25) as server:
        monkeypatch.setattr("frontier.web.serving.time.sleep", waited.append)
        open_url(server, "http://a.example/1")
        open_url(server, "http://a.example/2")
        monkeypatch.undo()
    assert waited == [0.25, 0.25]


def test_every_request_is_a_line_in_the_log() -> None:
    log = io.StringIO()
    with WebServer(Echo(), log=log) as server:
        open_url(server, "http://a.example/x")
        talk(server, b"HEAD http://a.example/missing HTTP/1.1\r\n\r\n")
        talk(server, b"CONNECT a.example:443 HTTP/1.1\r\n\r\n")
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [(one["method"], one["url"], one["status"]) for one in lines] == [
        ("GET", "http://a.example/x", 200),
        ("HEAD", "http://a.example/missing", 404),
        ("CONNECT", "a.example:443", 501),
    ]
    assert abs(lines[0]["time"] - time.time()) < 60


def test_a_port_that_is_taken_is_an_error_with_the_remedy(server: WebServer) -> None:
    with pytest.raises(SettingsError, match=telling(server.port, 0)):
        serve_until_stopped(Echo(), lambda _: None, port=server.port)


def test_it_stops_while_clients_hold_connections_open() -> None:
    with WebServer(Echo()) as server:
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        connection.sendall(b"GET http://a.example/ HTTP/1.1\r\n\r\n")
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
    with connection, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=10).close()
