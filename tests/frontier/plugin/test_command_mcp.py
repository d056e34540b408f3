"""`scrapy frontier mcp` as a user meets it: what standard output carries, and refusals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError

from tests.frontier.plugin.test_command_frontier import run
from tests.support.driven_crawl import WEB, A, DrivenCrawl
from tests.support.scrapy_runs import ROOT, scrapy
from tests.support.told import tells

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"},
    },
}


STARTED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def begun(job: Path, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "scrapy", "frontier", "mcp", str(job)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes
    )


def lines(*messages: object) -> bytes:
    return "".join(f"{json.dumps(message)}\n" for message in messages).encode()


def test_standard_output_carries_the_protocol_alone_and_the_command_ends_with_its_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a strategy of the user's prints."""
    code = "from ranking.orders.simple import Bfs\nprint('noise')\nclass Noisy(Bfs): name = 'noisy'"
    (tmp_path / "noisy.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    crawl = DrivenCrawl(tmp_path / "job", WEB, strategy="noisy.Noisy")
    crawl.seed(A)
    crawl.run(2)
    crawl.close()
    process = begun(tmp_path / "job", tmp_path)
    given = lines(HELLO, STARTED) + b"not JSON \xff\xed\xa0\x80\n" + lines(LIST)
    output, errors = process.communicate(given, timeout=60)
    assert process.returncode == 0, errors
    answers = [json.loads(line) for line in output.splitlines()]
    assert {answer.get("id") for answer in answers} >= {1, 2}
    assert {answer["jsonrpc"] for answer in answers} == {"2.0"}
    assert b"noise" in errors
    assert b"Traceback" not in errors


def test_a_client_that_reads_no_more_ends_the_command_quietly(job: Path, tmp_path: Path) -> None:
    process = begun(job, tmp_path)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process.stdin, process.stderr:
        process.stdin.write(lines(HELLO))
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(lines(STARTED, LIST))
        process.stdin.close()
        assert process.wait(60) == 0
        assert b"Traceback" not in process.stderr.read()


def test_a_directory_without_a_crawl_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    done = scrapy("frontier", "mcp", str(tmp_path), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert tells(done.stderr, "No crawl in", "JOBDIR")


def test_without_the_extra_the_line_for_pip_is_shown(
    job: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    assert run("mcp", job) == 1
    assert tells(capsys.readouterr().err, 'pip install "scrapy-linkrank[mcp]"')
    monkeypatch.delitem(sys.modules, "frontier.agents.tools", raising=False)
    monkeypatch.setitem(sys.modules, "pydantic", None)
    assert run("mcp", job) == 1
    assert tells(capsys.readouterr().err, 'pip install "scrapy-linkrank[mcp]"')


def test_a_document_of_json_would_not_be_the_protocol(job: Path) -> None:
    with pytest.raises(UsageError, match="--json"):
        run("mcp", job, "--json")
