"""An older crawl that is killed while it is brought up to date is the one version or the other."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from frontier.records import PageRecord
from frontier.recovery.check import check
from frontier.states import State
from frontier.store import Store, StoreReader
from frontier.store.schema import SCHEMA_VERSION
from tests.support.kept import shim
from tests.support.older_stores import as_version

OPEN = "import sys; from pathlib import Path; from frontier.store import Store\n"
OPEN += "Store.open(Path(sys.argv[1])).close()"
URLS = 30


def older(directory: Path, version: int) -> Path:
    with Store.open(directory) as store:
        host = store.add_host("a.example")
        for url_id in range(URLS):
            store.add_url(url_id, url_id, f"u{url_id}", host=host, depth=0, found=1.0)
        store.page(PageRecord(url_id=0, state=State.ERROR, fetched=1.0))
    as_version(directory, version)
    return directory


def opened(directory: Path, **environment: str) -> int:
    """Open and close a crawl in a process of its own."""
    command = [sys.executable, "-c", OPEN, str(directory)]
    faults = {"LD_PRELOAD": str(shim()), "FAULT_PATH": str(directory), **environment}
    return subprocess.run(command, env={**os.environ, **faults}, check=False).returncode


@pytest.mark.parametrize(
    "step", [15, pytest.param(2, marks=[pytest.mark.slow, pytest.mark.timeout(240)])]
)
def test_killed_at_writes_of_a_migration_nothing_is_lost(tmp_path: Path, step: int) -> None:
    pristine = older(tmp_path / "pristine", 1)
    counted = shutil.copytree(pristine, tmp_path / "counted")
    count = tmp_path / "count"
    assert opened(counted, FAULT_KIND="count", FAULT_COUNT=str(count)) == 0
    writes = int(count.read_text())
    assert writes > 10
    for at in range(2, writes + 1, step):
        job = shutil.copytree(pristine, tmp_path / f"killed{at}")
        assert opened(job, FAULT_KIND="kill", FAULT_AT=str(at)) in (-signal.SIGKILL, 0)
        with StoreReader.open(job) as reader:
            assert reader.count_urls() == URLS
        with Store.open(job) as store:
            assert store.load().states.tolist() == [State.ERROR] + [State.QUEUED] * (URLS - 1)
            version = store._connection.execute("PRAGMA user_version").fetchone()[0]
            assert version == SCHEMA_VERSION
        assert check(job).intact
