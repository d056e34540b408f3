"""The peers, installed for this run into an environment of their own below build/."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from benchmarks.children import BenchmarkError
from benchmarks.ranking.jobs import CACHE

REQUIREMENTS = Path(__file__).resolve().parent.parent / "peers.txt"
PYTHON = CACHE / "peers" / "bin" / "python"
_SECONDS = 900


def install() -> None:
    """Install what peers.txt pins, unless exactly that was installed before."""
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    done = CACHE / "peers" / "installed"
    if done.is_file() and done.read_text(encoding="ascii") == wanted:
        return
    print(f"Installing {REQUIREMENTS.name} ...", file=sys.stderr, flush=True)
    _run([sys.executable, "-m", "venv", str(CACHE / "peers")])
    quiet = ["--quiet", "--disable-pip-version-check"]
    _run([str(PYTHON), "-m", "pip", "install", *quiet, "-r", str(REQUIREMENTS)])
    done.write_text(wanted, encoding="ascii")


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, timeout=_SECONDS)
    except (subprocess.SubprocessError, OSError) as error:
        raise BenchmarkError(f"The peers could not be installed: {error}") from error
