"""A real browser for tests: Debian's Chromium, where it is installed."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

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
needs_playwright = pytest.mark.skipif(
    find_spec("scrapy_playwright") is None, reason="needs: pip install scrapy-playwright"
)
