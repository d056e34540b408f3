"""What `import ranking` offers, and that it costs nothing before it is used."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import ranking
from ranking.errors import MissingExtraError


def test_every_name_is_there_and_comes_from_the_module_it_is_said_to():
    for name in ranking.__all__:
        value = getattr(ranking, name)
        assert getattr(value, "__module__", "ranking").startswith("ranking")
    assert set(ranking.__all__) <= set(dir(ranking))


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"ranking.*pagerang"):
        _ = ranking.pagerang


def test_importing_the_package_imports_none_of_its_modules():
    code = "import sys, ranking; print([name for name in sys.modules if 'ranking.' in name])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["hits", "pagerank"])
def test_a_function_is_not_hidden_by_the_module_of_its_name(name: str):
    code = f"import ranking.{name}; from ranking import {name}; print(callable({name}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "True"


def test_without_pyspark_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.delitem(sys.modules, "ranking.spark", raising=False)
    with pytest.raises(MissingExtraError, match=r"scrapy-linkrank\[spark\]"):
        importlib.import_module("ranking.spark")
