"""Where the project lies, and the directories of its crawls."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def directory_for(given: str) -> Path:
    """The directory that was given, or one that no crawl has used yet; it exists then."""
    directory = Path(given).absolute() if given else _unused()
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def _unused() -> Path:
    folder = ROOT / "crawls"
    numbers = (int(path.name) for path in folder.glob("[0-9]*") if path.name.isdigit())
    return folder / f"{max(numbers, default=0) + 1:03d}"


def reason_in(log: Path) -> list[str]:
    """Why a crawl did not start, if the log of it says so: one line, or none."""
    if not log.is_file():
        return []
    lines = log.read_text().splitlines()
    return [line.partition(" CRITICAL: ")[2] for line in lines if " CRITICAL: " in line][-1:]
