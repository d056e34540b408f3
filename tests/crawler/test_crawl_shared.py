"""`make crawl-shared`: one frontier, three fetchers, one of them killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from crawler.private_postgres import versions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(not versions(), reason="no PostgreSQL on this machine"),
]
ROOT = Path(__file__).resolve().parents[2]


def test_three_fetchers_read_the_demonstration_web_though_one_is_killed(tmp_path: Path) -> None:
    job = tmp_path / "job"
    done = subprocess.run(
        [sys.executable, "-m", "crawler.shared", "--dir", job, "--pages", "150"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is killed (SIGKILL)" in done.stdout
    assert "pages fetched" in done.stdout
    items = [
        [json.loads(line) for line in (job / f"pages-{number}.jsonl").open()]
        for number in (1, 2, 3)
    ]
    assert all(items)
    # What the killed fetcher had leased may be fetched once more; nothing else is.
    urls = [item["url"] for number in (0, 2) for item in items[number]]
    assert len(urls) == len(set(urls))
    assert (job / "frontier.sqlite").exists()
