from __future__ import annotations

import argparse
import gzip
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scrapy.settings import Settings

from frontier.plugin.commands.web import Command
from tests.support.told import tells

URL = "http://a.example/"


def warc(url: str = URL, body: bytes = b"hello") -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "site.warc.gz"
    path.write_bytes(gzip.compress(warc()) + gzip.compress(warc(f"{URL}2")))
    return path


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "scrapy", "web", *map(str, arguments)]


class Process:
    """A serving command: its first line, a way to ask it, and its end."""

    def __init__(self, arguments: tuple[object, ...], cwd: Path) -> None:
        self.process = subprocess.Popen(
            command(*arguments),
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.line)
        self.port = int(found[1]) if found else 0

    def get(self, url: str) -> bytes:
        handler = urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{self.port}"})
        with urllib.request.build_opener(handler).open(url, timeout=10) as response:
            return response.read()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        self.process.send_signal(number)
        said, complained = self.process.communicate(timeout=20)
        return self.process.returncode, said, complained


Start = Callable[..., Process]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Process] = []

    def begin(*arguments: object) -> Process:
        running.append(Process(arguments, tmp_path))
        return running[-1]

    yield begin
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate(timeout=20)


def test_serve_announces_itself_answers_and_stops(
    start: Start, recording: Path, tmp_path: Path
) -> None:
    running = start("serve", recording, "--port-file", "port", "--log", "log.jsonl")
    assert re.fullmatch(
        r"Serving 2 URLs of 1 hosts on (http://127\.0\.0\.1:\d+) \(set http_proxy=\1\)\n",
        running.line,
    )
    assert running.get(URL) == b"hello"
    assert (tmp_path / "port").read_text() == f"{running.port}\n"
    assert running.stop() == (0, "", "")
    (entry,) = map(json.loads, (tmp_path / "log.jsonl").read_text().splitlines())
    assert (entry["method"], entry["url"], entry["status"]) == ("GET", URL, 200)


def test_what_cannot_be_served_is_said(start: Start, recording: Path) -> None:
    recording.write_bytes(recording.read_bytes()[:-20])
    running = start("serve", recording)
    assert running.line.startswith("Serving 1 URLs")
    code, _, complained = running.stop()
    assert code == 0
    assert complained.startswith(f"not served: {recording}, offset ")


def test_demo_serves_the_demonstration_web(start: Start) -> None:
    running = start("demo")
    assert "of 11 hosts" in running.line
    assert b"<title>Observatory: astronomy</title>" in running.get("http://observatory.example/")
    assert running.stop() == (0, "", "")


def call(*arguments: str) -> int:
    """What Scrapy does with a command, in this process; returns the exit code."""
    command = Command()
    command.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    opts, rest = parser.parse_known_args(arguments)
    command.process_options(rest, opts)
    command.run(rest, opts)
    return command.exitcode


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "required: ACTION"),
        (("fly",), "invalid choice: 'fly'"),
        (("serve",), "scrapy web serve: error: the following arguments are required: FILE"),
        (("serve", "x", "--prot", "1"), "unrecognized arguments: --prot"),
        (("demo", "x"), "unrecognized arguments: x"),
        (("demo", "-a", "x=1"), "unrecognized arguments: -a x=1"),
        (("demo", "--port", "65536"), "from 0 to 65535"),
        (("demo", "--latency", "-1"), "expected 0 to 600000 ms, found"),
        (("demo", "--latency", "nan"), "expected 0 to 600000 ms, found"),
        (("demo", "--announced", "70"), "expected 0 to 1, found 70"),
        (("demo", "--speed", "0"), "expected a number above 0, found 0"),
        (("demo", "--begin", "soon"), "expected a date (2026-11-27)"),
        (("changes",), "scrapy web changes: error: the following arguments are required: REPO"),
    ],
)
def test_wrong_usage_is_explained(
    arguments: tuple[str, ...], said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        call(*arguments)
    assert said in capsys.readouterr().err
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("serve", "absent.warc"), "absent.warc cannot be read: No such file"),
        (("serve", __file__), "expected a WARC file"),
        (("demo", "--log", "absent/log"), "absent/log cannot: No such file"),
        (("demo", "--port-file", "absent/port"), "cannot write absent/port: No such file"),
        (("demo", "--changes", "absent.tsv"), "absent.tsv cannot be read"),
        (("changes", "absent", "-o", "log.tsv"), "expected a git repository"),
    ],
)
def test_what_goes_wrong_is_a_message(
    arguments: tuple[str, ...], said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*arguments) == 1
    assert said in capsys.readouterr().err
    assert list(here.iterdir()) == []


def test_changes_of_other_pages_are_refused(
    recording: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "log.tsv").write_text("5\tA\thttp://b.example/\n")
    assert call("serve", str(recording), "--changes", "log.tsv") == 1
    assert tells(capsys.readouterr().err, 1, "http://b.example/", "log.tsv")


def test_the_history_of_a_repository_is_served_as_that_of_its_pages(
    start: Start, recording: Path, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@a.example")
    (here / "2").write_text("a page")
    for words in (("init", "-q"), ("add", "2"), (*identity, "commit", "-qm", "x")):
        subprocess.run(["git", *words], check=True)
    assert call("changes", ".", "--address", URL, "-o", "log.tsv") == 0
    assert tells(capsys.readouterr().out, "log.tsv", 1)
    running = start("serve", recording, "--changes", "log.tsv", "--speed", "3600", "--sitemap=late")
    assert tells(running.line, 2, 1)
    assert b"<loc>http://a.example/2</loc>" in running.get(f"{URL}sitemap.xml")
    assert running.stop() == (0, "", "")


def test_all_pages_of_a_web_can_change_by_a_log_that_is_made_up(start: Start) -> None:
    running = start("demo", "--changes", "made-up-bursty", "--speed", "86400")
    assert tells(running.line, "of which change")
    assert b"<loc>http://portal.example/</loc>" in running.get("http://portal.example/sitemap.xml")


def test_a_port_that_is_taken_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert call("demo", "--port", str(port)) == 1
    assert tells(capsys.readouterr().err, port)


def test_options_reach_the_server(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, object] = {}
    monkeypatch.setattr(
        "frontier.web.serving.serve_until_stopped", lambda *_, **options: given.update(options)
    )
    assert call("demo", "--port", "8123", "--latency", "250", "--log", "log.jsonl") == 0
    assert given == {"port": 8123, "latency": 0.25, "log": Path("log.jsonl")}
    assert call("demo") == 0
    assert given == {"port": 0, "latency": 0.0, "log": None}
