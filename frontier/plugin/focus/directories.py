"""The directory of a crawl: what is asked for, or the next free number below ``crawls``."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from frontier.errors import StoreError
from frontier.store.open import make_directory


def directory_for(given: str) -> Path:
    """Return the directory that was given, or one that no crawl has used yet; makes none."""
    return Path(given) if given else _unused(Path("crawls"))


def make_writable(directory: Path) -> None:
    """Make a directory of a crawl; StoreError where nothing can be written there."""
    make_directory(directory)
    try:
        TemporaryFile(dir=directory).close()
    except OSError as error:
        raise StoreError(
            f"Nothing can be written in {directory} ({error.strerror}). Expected a directory for "
            f"the crawl: check permissions and free space, or choose another."
        ) from error


def _unused(folder: Path) -> Path:
    numbers = (int(path.name) for path in folder.glob("[0-9]*") if path.name.isdecimal())
    return folder / f"{max(numbers, default=0) + 1:03d}"
