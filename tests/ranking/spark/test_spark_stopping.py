"""When the iterations of HITS on Spark stop, and what it says without pyspark."""

from __future__ import annotations

import importlib
import sys

import pytest

from ranking.errors import MissingExtraError


def test_without_pyspark_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.delitem(sys.modules, "ranking.spark", raising=False)
    with pytest.raises(MissingExtraError, match=r"scrapy-linkrank\[spark\]"):
        importlib.import_module("ranking.spark")
