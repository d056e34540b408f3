"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.driven_crawl import small_crawl
from tests.support.postgres import dsn, postgres, postgres_or_elsewhere

__all__ = ["dsn", "postgres", "postgres_or_elsewhere", "shared"]

# A spider file that is written anew within a second, in the same length, must not be taken for the
# one before; crawls read what this process has compiled.
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

# How long an example takes says only how busy the machine is. Each run draws other examples, so
# that a few of them, often, find what many of them once would.
settings.register_profile(
    "busy", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded webs, graphs and suites that lies beside a checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"no recorded webs and graphs: {SHARED} is absent")
    return SHARED


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """The directory of a small crawl that has ended."""
    small_crawl(tmp_path / "job").close()
    return tmp_path / "job"
