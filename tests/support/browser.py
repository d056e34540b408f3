"""A real browser for tests: Debian's Chromium, where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--disable-breakpad", "--disable-default-apps"),
)
"""Arguments of a browser that asks for nothing by itself; a container has no sandbox for it."""
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="needs a browser: apt-get install chromium"
)


def seen_in_browser(url: str, folder: Path, *more: str) -> str:
    """The document as it is once a browser has loaded it and scripts have had two seconds."""
    assert BROWSER is not None
    environment = {name: one for name, one in os.environ.items() if "proxy" not in name.lower()}
    done = subprocess.run(
        [
            *(BROWSER, *QUIET, f"--user-data-dir={folder / 'profile'}"),
            *("--virtual-time-budget=2000", "--dump-dom", *more, url),
        ],
        env=environment | {"HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    )
    return done.stdout
