"""`-a scores=FILE` in a real process: a bad file."""

from __future__ import annotations

from pathlib import Path

from tests.support.scrapy_runs import run_focused
from tests.support.sites import serving
from tests.support.told import tells


def test_a_bad_file_stops_the_crawl_before_it_starts(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("name\tscore\nhttp://a.example/\t1\nexample.org\t2\n")
    with serving({"/": "hello"}) as site:
        run = run_focused(
            *(tmp_path, "-a", f"seeds={site.url}/", "-a", "strategy=ppr", "-a", f"scores={path}")
        )
        assert site.paths == []
    assert run.returncode == 1
    assert tells(run.log, "line 3", "example.org")
    assert "Traceback" not in run.log
