"""One page in the browser, from the document that was downloaded to what its scripts made of it.

The browser does not download the document again: it gets the response that the crawl has, with
status and headers, so that a page costs its host one request for it, and robots.txt, redirects and
cookies were the crawl's business. Of what the page requests then, scripts, data and style sheets
pass, within limits; images, media, fonts, frames, pop-ups and downloads do not. A script that
leaves the page is stopped, and the address is reported: the crawl follows it like any redirect.

No page ends by itself. A page is taken as settled when its elements and its text have not changed
for a while and nothing that it waits for is under way, and as it is when its time is over.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from frontier.errors import PageError
from frontier.politeness import REFUSALS

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Request, Response, Route

PASSED = frozenset(("script", "xhr", "fetch", "stylesheet", "eventsource", "websocket"))
"""Kinds of requests that may change text and links of a page."""
_STILL, _EMPTY, _BUSY = 4, 20, 20
"""Looks without a change after which a page has settled: usually; while it has shown nothing; while
a request is under way that may never end."""
_RELOADS = 0.1
"""Seconds until a page that is being reloaded is looked at again."""
_CLOSES = 10.0
"""Seconds in which a page closes, even one that computes."""
_SIZE = """() => new Promise((seen) => {
  const size = () => seen([document.getElementsByTagName('*').length,
    document.body ? document.body.textContent.length : 0]);
  requestIdleCallback(() => setTimeout(size, 100), {timeout: 1000});
})"""
"""Elements and characters, a tenth of a second after the page has had time for all it has to do."""
_CONTENT = """(most) => {
  const roots = [document];
  for (let at = 0; at < roots.length; at++)
    for (const {shadowRoot} of roots[at].querySelectorAll('*'))
      if (shadowRoot) roots.push(shadowRoot);
  for (const root of roots.slice(1).reverse()) {
    const shown = document.createElement('div');
    shown.append(...root.childNodes);
    root.host.append(shown);
  }
  if (!document.querySelector('base[href]') && document.head) {
    const base = document.createElement('base');
    base.href = document.baseURI;
    document.head.prepend(base);
  }
  const html = document.documentElement.outerHTML;
  return [html.slice(0, most), html.length > most];
}"""
"""The document, with what stands in shadow roots, and with the address that its links start from:
scripts may have changed it."""


class RenderError(PageError):
    """A page cannot be shown: it computes without end, or the browser dies of it."""


class BrowserLostError(PageError):
    """The browser died or hangs."""


@dataclass(frozen=True, slots=True)
class Document:
    """A downloaded page, as the browser gets it."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes
    user_agent: str | None
    cookies: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageBudget:
    """What a page may cost, counted from its document."""

    seconds: float = 15.0
    requests: int = 150
    received: int = 16 * 1024 * 1024
    """Bytes of what it requests."""
    letters: int = 5_000_000
    """Characters of markup that are kept."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """What came of a page. `moved_to` is the address that its scripts sent the browser to."""

    html: str
    moved_to: str | None
    requests: int
    blocked: int
    received: int
    failed: int
    cut: bool


async def render(browser: Browser, document: Document, limits: PageBudget) -> Rendered:
    """Show a document until it has settled.

    Raises RenderError for a page that cannot be shown, BrowserLostError for a browser that died.
    """
    tab = _Tab(document, limits)
    context: BrowserContext | None = None
    try:
        context = await asyncio.wait_for(
            browser.new_context(
                service_workers="block", accept_downloads=False, user_agent=document.user_agent
            ),
            _CLOSES,
        )
        return await asyncio.wait_for(tab.show(context), limits.seconds + _CLOSES)
    except asyncio.TimeoutError:
        raise RenderError(f"{document.url} computes without end") from None
    except PlaywrightError as error:
        if browser.is_connected():
            raise RenderError(f"{document.url}: {error.message.splitlines()[0]}") from None
        raise BrowserLostError("the browser is gone") from None
    finally:
        if context is not None:
            await _close(context)


async def _close(context: BrowserContext) -> None:
    try:
        await asyncio.wait_for(context.close(), _CLOSES)
    except asyncio.TimeoutError:
        raise BrowserLostError("the browser does not close a page") from None
    except PlaywrightError:
        pass  # with the browser


class _Tab:
    def __init__(self, document: Document, limits: PageBudget) -> None:
        self._document = document
        self._limits = limits
        self._page: Page | None = None
        self._under_way: set[Request] = set()
        self._visits = 0
        self._moved_to: str | None = None
        self._requests = self._blocked = self._received = self._failed = 0

    async def show(self, context: BrowserContext) -> Rendered:
        until = asyncio.get_running_loop().time() + self._limits.seconds
        await context.add_cookies(
            [
                {"name": name, "value": value, "url": self._document.url}
                for name, value in self._document.cookies.items()
            ]
        )
        page = self._page = await context.new_page()
        context.on("page", _refuse_popup)
        page.on("dialog", _dismiss)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended_badly)
        page.on("response", self._answered)
        page.on("request", self._redirected)
        await self._count_bytes(context, page)
        await context.route("**/*", self._pass)
        await self._open(page)
        await self._settle(page, until)
        return await self._content(page)

    def _ended(self, request: Request) -> None:
        self._under_way.discard(request)

    def _ended_badly(self, request: Request) -> None:
        self._failed += request in self._under_way
        self._ended(request)

    def _answered(self, response: Response) -> None:
        self._failed += response.status in REFUSALS or response.status >= 500

    def _redirected(self, request: Request) -> None:
        """Take a reload that its server sends elsewhere as a redirect, which the crawl follows.

        The routes of Playwright do not see it.
        """
        if (
            request.redirected_from is not None
            and request.is_navigation_request()
            and self._page is not None
            and _frame_of(request) is self._page.main_frame
            and not self._is_document(request)
        ):
            self._moved_to = self._moved_to or request.url

    def _is_document(self, request: Request) -> bool:
        url: str = request.url
        return url.partition("#")[0] == self._document.url.partition("#")[0]

    async def _count_bytes(self, context: BrowserContext, page: Page) -> None:
        devtools = await context.new_cdp_session(page)

        def received(event: dict[str, Any]) -> None:
            self._received += int(event.get("dataLength", 0))
            if self._received > self._limits.received:
                self._stop = asyncio.ensure_future(_quietly(devtools.send("Page.stopLoading")))

        devtools.on("Network.dataReceived", received)
        await devtools.send("Network.enable")

    async def _open(self, page: Page) -> None:
        try:
            await page.goto(
                self._document.url,
                wait_until="domcontentloaded",
                timeout=1000 * self._limits.seconds,
            )
        except PlaywrightTimeoutError:
            pass  # a script that is waited for: what is there counts
        except PlaywrightError:
            if self._moved_to is None:
                raise

    async def _settle(self, page: Page, until: float) -> None:
        clock = asyncio.get_running_loop().time
        last: list[int] = []
        still = 0
        while self._moved_to is None and clock() < until:
            try:
                size = await page.evaluate(_SIZE)
            except PlaywrightError:
                if page.is_closed() or not self._visits > 1:
                    raise
                size = []  # it is being reloaded
                await asyncio.sleep(_RELOADS)
            still = still + 1 if size == last else 0
            shown = sum(size[1:]) > 0  # elements without text, such as frames, are no content
            enough = _BUSY if self._under_way else _STILL if shown else _EMPTY
            if still >= enough or sum(size) > self._limits.letters:
                return
            last = size

    async def _content(self, page: Page) -> Rendered:
        html, cut = "", False
        if self._moved_to is None:
            html, cut = await page.evaluate(_CONTENT, self._limits.letters)
        spent = self._requests, self._blocked, self._received, self._failed
        return Rendered(html[: self._limits.letters], self._moved_to, *spent, cut)

    async def _pass(self, route: Route) -> None:
        with suppress(PlaywrightError):  # of a page that has been closed
            request = route.request
            if request.is_navigation_request():
                await self._navigate(route, request)
            elif self._may_pass(request):
                self._requests += 1
                self._under_way.add(request)
                await route.continue_()
            else:
                self._blocked += 1
                await route.abort("blockedbyclient")

    def _may_pass(self, request: Request) -> bool:
        return (
            request.resource_type in PASSED
            and self._requests < self._limits.requests
            and self._received <= self._limits.received
            and request.frame.page is self._page
        )

    async def _navigate(self, route: Route, request: Request) -> None:
        """Give the document once, and once more from its server to a script that reloads it."""
        document = self._document
        is_own = self._page is not None and _frame_of(request) is self._page.main_frame
        same = self._is_document(request)
        if is_own and same and not self._visits:
            self._visits = 1
            await route.fulfill(
                status=document.status, headers=document.headers, body=document.body
            )
        elif is_own and same and self._visits == 1 and request.method == "GET":
            self._visits = 2
            await route.continue_()
        else:
            if is_own and not same and request.method == "GET":
                self._moved_to = self._moved_to or request.url
            self._blocked += 1
            await route.abort("aborted")


def _frame_of(request: Request) -> object:
    try:
        return request.frame
    except PlaywrightError:  # of a pop-up that is being opened
        return None


async def _refuse_popup(page: Page) -> None:
    await _quietly(page.close())


async def _dismiss(dialog: Any) -> None:
    await _quietly(dialog.dismiss())


async def _quietly(act: Any) -> None:
    with suppress(PlaywrightError):
        await act
