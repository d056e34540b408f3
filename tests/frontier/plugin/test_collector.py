"""Objects from before a crawl, and the garbage collector: set aside while it runs, never longer."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING
from unittest.mock import MagicMock

import pytest

from frontier.plugin.collector import SetAside
from frontier.plugin.scheduler import FrontierScheduler

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def nothing_set_aside() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_a_crawl_sets_aside_what_is_there_until_it_ends() -> None:
    scheduler = FrontierScheduler(MagicMock(), MagicMock(error=None))
    assert gc.get_freeze_count() == 0
    scheduler.open(MagicMock())
    assert gc.get_freeze_count() > 0
    scheduler.close("finished")
    assert gc.get_freeze_count() == 0


def test_a_crawl_that_never_opened_can_be_closed() -> None:
    session = MagicMock()
    FrontierScheduler(session, MagicMock(error=None)).close("finished")
    session.close.assert_called_once()


def test_a_crawl_that_cannot_be_closed_ends_it_too() -> None:
    session = MagicMock()
    session.close.side_effect = RuntimeError
    trouble = MagicMock(error=None)
    trouble.watching.return_value.__exit__.return_value = False
    scheduler = FrontierScheduler(session, trouble)
    scheduler.open(MagicMock())
    with pytest.raises(RuntimeError):
        scheduler.close("shutdown")
    assert gc.get_freeze_count() == 0


def test_what_the_process_has_set_aside_stays_so() -> None:
    gc.freeze()
    SetAside().end()
    assert gc.get_freeze_count() > 0


def test_two_crawls_at_once_and_ends_that_come_twice() -> None:
    first, second = SetAside(), SetAside()
    second.end()
    assert gc.get_freeze_count() > 0
    first.end()
    assert gc.get_freeze_count() == 0
    gc.freeze()
    first.end()
    assert gc.get_freeze_count() > 0
