"""One process crawls with a directory, whatever notes, children and permissions there are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from frontier.errors import StoreBusyError, StoreError
from frontier.recovery import check
from frontier.store import Store, StoreReader
from tests.support.states import put_url

SECOND = """
import sys
from pathlib import Path
from frontier.errors import StoreError
from frontier.store import Store

try:
    Store.open(Path(sys.argv[1])).close()
except StoreError as error:
    print(type(error).__name__, error)
"""
PARENT = """
import os, sys, time
from pathlib import Path
from frontier.store import Store

store = Store.open(Path(sys.argv[1]))
if os.fork() == 0:
    print("open", flush=True)  # by now it has let go of what it inherited
    os.close(1)
    sys.stdin.read()
    os._exit(0)
if sys.argv[2] == "kill":
    os.kill(os.getpid(), 9)
os._exit(0)
"""

forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")


def second(directory: Path, **options: int) -> str:
    """Try to crawl there in another process; return what it says."""
    done = subprocess.run(
        [sys.executable, "-c", SECOND, str(directory)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        **options,  # type: ignore[call-overload]  # `user`
    )
    return done.stdout.strip()


def test_a_second_process_is_refused_while_the_first_writes(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        host = store.add_host("a.example")
        for url_id in range(20_000):
            put_url(store, url_id, url_id, f"u{url_id}", host=host, depth=0, discovered=1.0)
        store.commit()
        said = second(tmp_path)
    assert said.startswith("StoreBusyError")
    assert f"process {os.getpid()} " in said


@pytest.mark.parametrize("note", ["", "{", '{"pid": 1, "started": "long ago"}', "[]", "\0"])
def test_a_note_that_was_left_behind_refuses_nobody(tmp_path: Path, note: str) -> None:
    """Not even where its number belongs to another process by now: the lock alone counts."""
    (tmp_path / "frontier.pid").write_text(note)
    (tmp_path / "frontier.lock").touch()
    with Store.open(tmp_path):
        assert json.loads((tmp_path / "frontier.pid").read_text())["pid"] == os.getpid()
        with pytest.raises(StoreBusyError, match=f"process {os.getpid()} "):
            Store.open(tmp_path)
    assert not (tmp_path / "frontier.pid").exists()


@forking
@pytest.mark.parametrize("end", ["end", "kill"])
def test_children_that_outlive_a_crawl_do_not_hold_it(tmp_path: Path, end: str) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path), end]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "open\n"
        parent.wait()
        Store.open(tmp_path).close()  # the child lives until its stdin is closed


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A directory that any user may look into, unlike those of pytest."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def as_another_user() -> Iterator[None]:
    """Permissions do not hold for root: be somebody else for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("mode", [0o555, 0o000])
@pytest.mark.parametrize("revisit", [Store.open, StoreReader.open, check])
def test_a_directory_that_may_not_be_used_is_named(
    reachable: Path, mode: int, revisit: Callable[[Path], object]
) -> None:
    job = reachable / "job"
    Store.open(job).close()
    (job / "frontier.lock").unlink(missing_ok=True)
    job.chmod(mode)
    try:
        with as_another_user():
            if mode == 0o555 and revisit != Store.open:
                revisit(job)  # whoever looks needs no more than that
            else:
                with pytest.raises(StoreError, match=f"{job}.*[Cc]heck .*permissions"):
                    revisit(job)
            with pytest.raises(StoreError, match=r"sub.*[Cc]heck permissions|cannot be used"):
                Store.open(job / "sub")
    finally:
        job.chmod(0o755)
