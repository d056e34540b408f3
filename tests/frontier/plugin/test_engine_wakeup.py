"""What the next hand-out waits for, and what not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import pytest

from frontier.plugin.crawl.engine_wakeup import OrderPatience, Watched


def waits(places: int, patience: float, *, overdue: bool = False) -> OrderPatience:
    return OrderPatience(lambda: overdue, places, patience)


@pytest.mark.parametrize(
    ("places", "patience", "waited"), [(16, 0.0, False), (16, 9.0, True), (1, 0.0, True)]
)
def test_pages_are_waited_for_as_the_setting_says_and_always_one_by_one(
    places: int, patience: float, waited: bool
) -> None:
    wait = waits(places, patience)
    wait.downloaded(7)
    assert bool(wait.seconds()) is waited
    assert bool(waits(places, patience, overdue=True).seconds()) is waited


def test_a_page_that_was_read_is_waited_for_no_more() -> None:
    wait = waits(1, 0.0)
    wait.downloaded(7)
    wait.read(7)
    assert wait.seconds() is None


def test_a_page_whose_callback_waits_is_waited_for_no_more_and_the_engine_is_told_once() -> None:
    woken: list[None] = []
    wait = OrderPatience(lambda: False, 1, 0.0, lambda: woken.append(None))
    wait.downloaded(7)
    for _ in range(3):
        wait.suspended(7)
    assert wait.seconds() is None
    assert len(woken) == 1


async def numbers(*steps: Coroutine[Any, Any, None]) -> AsyncIterator[int]:
    for number, step in enumerate(steps):
        await step
        yield number


async def at_once() -> None:
    return


async def failing() -> None:
    await asyncio.sleep(0)
    raise ValueError("in the callback")


def watched(*steps: Coroutine[Any, Any, None]) -> tuple[list[int], int, str]:
    """What came, how often it was told that something is waited for, and what was raised."""
    came, told, raised = [], [], ""

    async def run() -> None:
        async for one in Watched(numbers(*steps), lambda: told.append(None)):
            came.append(one)

    try:
        asyncio.run(run())
    except ValueError as error:
        raised = str(error)
    return came, len(told), raised


def test_what_a_callback_yields_at_once_is_no_waiting() -> None:
    assert watched(at_once(), at_once()) == ([0, 1], 0, "")


def test_a_callback_that_waits_says_so_once_a_step_and_yields_what_it_would() -> None:
    assert watched(at_once(), asyncio.sleep(0.001), at_once(), asyncio.sleep(0)) == (
        *([0, 1, 2, 3], 2, ""),
    )


def test_what_a_callback_raises_after_waiting_is_raised() -> None:
    assert watched(at_once(), failing()) == ([0], 1, "in the callback")


def test_a_callback_that_is_cancelled_while_it_waits_hears_of_it() -> None:
    heard = []

    async def patient() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            heard.append("cancelled")
            raise

    async def run() -> None:
        iterator = Watched(numbers(patient()), lambda: None)
        step = asyncio.ensure_future(_next(iterator))
        await asyncio.sleep(0)
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step

    asyncio.run(run())
    assert heard == ["cancelled"]


async def _next(iterator: Watched) -> Any:
    return await iterator.__anext__()
