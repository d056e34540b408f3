from __future__ import annotations

import sys

import numpy as np
import pytest

from ranking import reserve

if sys.platform != "linux":
    pytest.skip("room is reserved on Linux", allow_module_level=True)

import resource


def test_room_is_zeros_that_can_be_written():
    room = np.frombuffer(reserve.reserve(2**30), np.int32)
    assert (len(room), room[0], room[-1]) == (2**28, 0, 0)
    room[-1] = 5
    assert room[-1] == 5


def test_room_that_the_system_does_not_have_is_refused():
    assert reserve.reserve(2**62) is None


def test_nothing_is_reserved_where_address_space_is_limited(monkeypatch):
    assert reserve.reserve(4096) is not None
    monkeypatch.setattr(resource, "getrlimit", lambda what: (2**32, resource.RLIM_INFINITY))
    assert reserve.reserve(4096) is None


@pytest.mark.parametrize(("mode", "reserved"), [("0\n", True), ("1\n", True), ("2\n", False)])
def test_nothing_is_reserved_where_the_system_counts_it(mode, reserved, monkeypatch, tmp_path):
    (tmp_path / "mode").write_text(mode)
    monkeypatch.setattr(reserve, "OVERCOMMIT", tmp_path / "mode")
    assert (reserve.reserve(4096) is not None) == reserved


def test_a_system_that_hides_its_mode_is_asked_for_room(monkeypatch, tmp_path):
    monkeypatch.setattr(reserve, "OVERCOMMIT", tmp_path / "none")
    assert reserve.reserve(4096) is not None
