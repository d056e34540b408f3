"""One browser after the other: when it is replaced, and what is said where there is none."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from frontier.errors import BrowserError
from tests.support.browser import BROWSER, needs_browser, needs_playwright

pytestmark = needs_playwright
OPTIONS = {"executable_path": BROWSER, "chromium_sandbox": False}


def test_a_browser_is_found_in_path_or_the_error_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from frontier.plugin.render.browser import found_browser

    program = tmp_path / "google-chrome"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert found_browser("/nowhere/chrome") == str(program)
    assert found_browser(str(Path(__file__))) == str(Path(__file__))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BrowserError, match="apt-get install chromium"):
        found_browser("/nowhere/chrome")


def shown(count: int, **options: Any) -> tuple[list[str], Counter[str]]:
    """Show so many documents one after the other; what they became, and what was counted."""
    from frontier.plugin.render.browser import Browsers, launched
    from frontier.plugin.render.tab import Document

    counted: Counter[str] = Counter()

    async def show() -> list[str]:
        launch = options.pop("launch", lambda: launched(OPTIONS))
        browsers = Browsers(launch, lambda: counted.update(["started"]), **options)
        body = b"<p id=a></p><script>a.append('shown')</script>"
        document = Document("http://app.test/", 200, {"content-type": "text/html"}, body, "me")
        try:
            return [(await browsers.show(document)).html for _ in range(count)]
        finally:
            await browsers.close()

    return asyncio.run(show()), counted


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize(
    ("limits", "started"), [({"pages": 2}, 3), ({"most_bytes": 1}, 5), ({}, 1)]
)
def test_a_browser_is_replaced_after_some_pages_or_when_it_has_grown(
    limits: dict[str, int], started: int
) -> None:
    pages, counted = shown(5, **limits)
    assert [page.count("shown</p>") for page in pages] == [1] * 5
    assert counted["started"] == started


@pytest.mark.slow
@needs_browser
def test_a_browser_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontier.plugin.render.browser.OLDEST", 100_000)
    with pytest.raises(BrowserError, match="too old"):
        shown(1)
