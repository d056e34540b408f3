"""Where a lab run keeps what it has done, so that an interrupted one goes on where it was.

    DIR/runs/HASH/common.json   what all runs there have in common: web, labels, budget, code
    DIR/runs/HASH/*.json        one record a run, written when the run is over

More strategies, topics, variants or draws may be added later, because a run does not depend on
which others there are; anything else makes another HASH.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import ranking
from frontier.errors import LabError
from frontier.lab.replay.records import RunRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frontier.lab.replay.records import RunKey, Task

_NO_CODE = (".pyc", ".pyi", ".pyx", ".pxd", ".c")
_ASIDE = ("lab/report", "inspection", "export", "plugin/commands", "offline")
"""Code that looks at crawls, or has nothing to do with them."""


def code_digest() -> str:
    """Of all code a replay could use, and data beside it: what others made is not mixed in."""
    digest = blake2b(digest_size=16)
    for root in (Path(ranking.__path__[0]), Path(__file__).parents[2]):
        aside = [root / name for name in _ASIDE]
        for path in sorted(root.rglob("*")):
            if path.suffix in _NO_CODE or any(path.is_relative_to(one) for one in aside):
                continue
            if path.is_file():
                digest.update(path.relative_to(root).as_posix().encode() + b"\0")
                digest.update(path.read_bytes())
    return digest.hexdigest()


class RunFolder:
    """The records of one lab run; `common` is what the runs have in common, as JSON can say it.

    Runs that have something else in common lie in another folder beside them, so that what is asked
    for again is found again. Raises LabError where the folder cannot be written.
    """

    def __init__(self, path: Path, common: Mapping[str, object]) -> None:
        self.path = path
        text = json.dumps(common, indent=2, sort_keys=True)
        self._runs = path / "runs" / blake2b(text.encode(), digest_size=8).hexdigest()
        try:
            self._runs.mkdir(parents=True, exist_ok=True)
            write_whole(self._runs / "common.json", f"{text}\n")
        except OSError as error:
            raise LabError(
                f"expected --out to be a directory that can be written, but {path} cannot: "
                f"{error.strerror}. Name another one"
            ) from error

    def _file(self, key: RunKey) -> Path:
        return self._runs / f"{key.name}.json"

    def record(self, task: Task) -> RunRecord | None:
        """The record of a task, None if it is still to be run.

        One that cannot be read, has other seeds, targets or examples, or is of an order whose code
        was changed is run again.
        """
        try:
            found = RunRecord.from_json(self._file(task.key).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
        return found if found.digest == task.digest else None

    def keep(self, record: RunRecord) -> None:
        """Write a record down, at once."""
        write_whole(self._file(record.key), record.to_json() + "\n")


def write_whole(path: Path, text: str) -> Path:
    """Write a file that replaces another one when it is whole."""
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text, encoding="utf-8")
    return draft.replace(path)
