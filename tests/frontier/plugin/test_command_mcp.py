"""`scrapy frontier mcp` as a user meets it: what standard output carries, and refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError

from tests.frontier.plugin.test_command_frontier import run
from tests.support.scrapy_runs import scrapy
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


def test_standard_output_carries_the_protocol_alone_and_the_command_ends_with_its_input(
    job: Path,
) -> None:
    lines = [
        json.dumps(HELLO),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "not JSON \ud83d".encode("utf-8", "surrogatepass").decode("latin-1"),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "frontier", "mcp", str(job)],
        input="\n".join([*lines, ""]).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert {answer.get("id") for answer in answers} >= {1, 2}
    assert {answer["jsonrpc"] for answer in answers} == {"2.0"}
    assert b"Traceback" not in done.stderr


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
