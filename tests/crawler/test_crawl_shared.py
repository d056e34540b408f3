"""`make crawl-shared`: one frontier, three fetchers, one of them killed."""

from __future__ import annotations

import json
import re
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
    (killed,) = re.findall(r"fetcher-(\d) is killed \(SIGKILL\)", done.stdout)
    assert "pages fetched" in done.stdout
    # As many as one fetcher finds: the crawl waits for the hosts of the one that was killed.
    (relevant,) = re.findall(r"judged relevant +(\d+)", done.stdout)
    assert int(relevant) > 75
    assert f"for the directory {job}" in done.stdout
    # What the killed fetcher had leased may be fetched once more; nothing else is.
    others = {"1", "2", "3"} - {killed}
    files = [job / f"pages-{number}.jsonl" for number in others]
    urls = [json.loads(line)["url"] for file in files for line in file.read_text().splitlines()]
    assert urls
    assert len(urls) == len(set(urls))
    assert (job / "frontier.sqlite").exists()
