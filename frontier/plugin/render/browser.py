"""The browsers of a crawl: found, started, replaced.

A browser is Chromium, started with its sandbox, and with the crawl's own proxy as its only way to
the network (`frontier.plugin.net.browser`): whatever a page in it requests, by whatever means, is
resolved and checked there. It is replaced after some hundred pages, or when it has grown, by a new
one; its last pages end in it. One that died or hangs is killed, and its pages are shown again in
the next.

Invariant: a page is in one browser; a browser that is retired closes with its last page.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from frontier.errors import BrowserError
from frontier.plugin.render.tab import BrowserLostError, PageBudget, RenderError, render

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Browser, CDPSession, Playwright

    from frontier.plugin.render.tab import Document, Rendered

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Programs that are looked for in PATH, where Playwright has no browser of its own."""
OLDEST = 110
"""Version of Chromium (February 2023): older ones are not tested with Playwright any more."""
PAGES = 200
"""Pages of one browser."""
MOST_BYTES = 1_500 * 1024 * 1024
"""Resident memory of all processes of one browser, without what they share."""
TABS = 4
"""Pages at once."""
ATTEMPTS = 3
"""Browsers in which one page is tried."""
_STARTS = 30.0
"""Seconds in which a browser starts, or says that it is there."""
ARGUMENTS = (
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-domain-reliability", "--no-pings", "--disable-gpu", "--mute-audio"),
    # A page may have half a gigabyte for its objects.
    "--js-flags=--max-old-space-size=512",
)
INSTALL = (
    "install Chromium (apt-get install chromium, or playwright install chromium), or name another "
    "program: PLAYWRIGHT_LAUNCH_OPTIONS = {'executable_path': '/path/to/chromium'}"
)
SANDBOX = (
    "the sandbox of Chromium is not allowed here, as for root and in most containers. Crawl as a "
    "user who may create namespaces; or, where the container itself confines the browser, set "
    "PLAYWRIGHT_LAUNCH_OPTIONS = {'chromium_sandbox': False}"
)


@dataclass(slots=True, eq=False)
class _Running:
    """A browser, its pages so far and those open now."""

    driver: Playwright
    browser: Browser
    devtools: CDPSession
    pages: int = 0
    open: int = 0
    retired: bool = False

    async def processes(self) -> dict[int, str]:
        """Ids of its processes, and what each is."""
        asked = self.devtools.send("SystemInfo.getProcessInfo")
        found = await asyncio.wait_for(asked, _STARTS)
        return {int(process["id"]): str(process["type"]) for process in found["processInfo"]}


async def launched(options: dict[str, Any]) -> _Running:
    """Start a browser; raises BrowserError with what to do where there is none."""
    driver = await async_playwright().start()
    try:
        if "executable_path" not in options and "channel" not in options:
            options = {**options, "executable_path": found_browser(driver.chromium.executable_path)}
        browser = await driver.chromium.launch(**options)
        if int(browser.version.partition(".")[0]) < OLDEST:
            raise BrowserError(
                f"Chromium {browser.version} is too old, {OLDEST} or newer is needed: {INSTALL}"
            )
        return _Running(driver, browser, await browser.new_browser_cdp_session())
    except BaseException as error:
        await driver.stop()
        if isinstance(error, PlaywrightError):
            raise BrowserError(_explained(error.message)) from None
        raise


def found_browser(own: str) -> str:
    """Path of Playwright's own browser where it is installed, else of the system's."""
    path = own if Path(own).is_file() else next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise BrowserError(f"there is no browser: {INSTALL}")
    return path


def _explained(message: str) -> str:
    if "sandboxing failed" in message or "No usable sandbox" in message:
        return SANDBOX
    if "executable doesn't exist" in message.lower():
        return f"there is no such browser: {INSTALL}"
    return f"the browser does not start: {message.splitlines()[0]}"


class Browsers:
    """Shows documents, in one browser after the other."""

    def __init__(
        self,
        launch: Callable[[], Awaitable[_Running]],
        started: Callable[[], None],
        *,
        pages: int = PAGES,
        most_bytes: int = MOST_BYTES,
        limits: PageBudget | None = None,
    ) -> None:
        """`launch` starts a browser, `started` is called for each that was."""
        self._launch = launch
        self._started = started
        self._pages = pages
        self._most_bytes = most_bytes
        self._limits = limits or PageBudget()
        self._tabs = asyncio.Semaphore(TABS)
        self._lock = asyncio.Lock()
        self._current: _Running | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def show(self, document: Document) -> Rendered:
        """Show a document until it has settled.

        Raises RenderError where that fails in any browser, BrowserError where there is none.
        """
        async with self._tabs:
            for _ in range(ATTEMPTS):
                running = await self._browser()
                try:
                    return await render(running.browser, document, self._limits)
                except BrowserLostError:
                    await self._kill(running)
                finally:
                    self._leave(running)
        raise RenderError(f"{document.url}: {ATTEMPTS} browsers died of it")

    async def close(self) -> None:
        """Close the browser, and wait for those that close."""
        if self._current is not None:
            self._retire(self._current)
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _browser(self) -> _Running:
        """The browser for one more page."""
        async with self._lock:
            running = self._current
            if running is not None and await self._is_due(running):
                self._retire(running)
            if self._current is None:
                self._current = await self._launch()
                self._started()
            self._current.pages += 1
            self._current.open += 1
            return self._current

    async def _is_due(self, running: _Running) -> bool:
        if running.pages >= self._pages or not running.browser.is_connected():
            return True
        try:
            return resident(await running.processes()) > self._most_bytes
        except (PlaywrightError, asyncio.TimeoutError):
            return True

    def _leave(self, running: _Running) -> None:
        running.open -= 1
        if running.retired and not running.open:
            self._close(running)

    def _retire(self, running: _Running) -> None:
        if not running.retired:
            running.retired = True
            if self._current is running:
                self._current = None
            if not running.open:
                self._close(running)

    def _close(self, running: _Running) -> None:
        task = asyncio.ensure_future(_closed(running))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _kill(self, running: _Running) -> None:
        """End a browser that hangs; one that died is none."""
        self._retire(running)
        if running.browser.is_connected():
            with suppress(PlaywrightError, asyncio.TimeoutError, OSError):
                for process, kind in (await running.processes()).items():
                    if kind == "browser":
                        os.kill(process, signal.SIGKILL)


async def _closed(running: _Running) -> None:
    for closing in (running.browser.close, running.driver.stop):
        # Whatever a dead browser or a dead driver raises, there is nothing left to close.
        with suppress(Exception):
            await asyncio.wait_for(closing(), _STARTS)


def resident(processes: dict[int, str]) -> int:
    """Resident bytes that processes do not share with others; 0 where the system does not say."""
    total = 0
    for process in processes:
        with suppress(OSError, ValueError, IndexError):
            _, all_of_it, shared, *_ = Path(f"/proc/{process}/statm").read_text().split()
            total += int(all_of_it) - int(shared)
    return total * os.sysconf("SC_PAGE_SIZE") if total else 0
