"""A private PostgreSQL works with every version at hand, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from crawler.private_postgres import PrivatePostgres, versions

ROOT = Path(__file__).resolve().parents[2]
HERE = versions()
MANY = pytest.mark.skipif(not HERE, reason="no PostgreSQL on this machine")


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    "version", [pytest.param(one, marks=[pytest.mark.slow] * (one != max(HERE))) for one in HERE]
)
def test_every_version_here_starts_restarts_and_goes_with_its_directory(version: int) -> None:
    server = PrivatePostgres(version)
    with server:
        pid = server.pid
        assert pid is not None
        with psycopg.connect(server.dsn()) as connection:
            assert connection.info.server_version // 10_000 == version
            connection.execute("CREATE TABLE kept AS SELECT 1")
        server.restart()
        assert not is_running(pid)
        with psycopg.connect(server.dsn()) as connection:
            connection.execute("SELECT * FROM kept")
        pid = server.pid
        assert pid is not None
    assert not is_running(pid)
    assert not server.folder.exists()


@MANY
def test_it_listens_on_no_port_and_to_no_other_user() -> None:
    with PrivatePostgres() as server:
        with psycopg.connect(server.dsn()) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        assert server.folder.stat().st_mode & 0o077 == 0


@MANY
def test_it_ends_when_the_process_that_started_it_is_killed() -> None:
    code = (
        "import time\n"
        "from crawler.private_postgres import PrivatePostgres\n"
        "with PrivatePostgres() as server:\n"
        "    print(server.pid, server.folder, flush=True)\n"
        "    time.sleep(100)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        pid, folder = owner.stdout.readline().split()
        owner.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 30
    while (is_running(int(pid)) or Path(folder).exists()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(int(pid))
    assert not Path(folder).exists()
