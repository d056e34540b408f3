"""The benchmark of main texts, on a set of two pages with an evaluation of its own."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from benchmarks.texts import main
from tests.frontier.texts.test_worker import PAGE, STORY

EVALUATE = f"""
def load_ground_truth(split):
    page = {{"main_content": "The lighthouse " + {STORY!r}, "page_type": "article"}}
    return {{"1": page, "2": page | {{"page_type": "forum"}}}}

def word_f1(text, content):
    return 0, 0, float("keeper" in text)
"""


def test_without_the_set_it_is_skipped_with_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "WCXB skipped: --wcxb names no clone of it" in capsys.readouterr().out


def test_the_set_is_evaluated_by_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "evaluate.py").write_text(EVALUATE)
    (tmp_path / "dev/html").mkdir(parents=True)
    for name in "12":
        (tmp_path / f"dev/html/{name}.html.gz").write_bytes(gzip.compress(PAGE.encode()))
    assert main(["--wcxb", str(tmp_path)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["article", "1", "1.000", "1.000"] in rows
    assert ["all", "2", "1.000", "1.000"] in rows
