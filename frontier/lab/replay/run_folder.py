"""Where a lab run keeps what it has done, so that an interrupted one goes on where it was.

    DIR/lab.json      what all runs in it have in common: webs, labels, budget, politeness, code
    DIR/runs/*.json   one record a run, written when the run is over

More strategies, topics, variants or draws may be added to a folder later, because a run does not
depend on which others there are; anything else is another lab.
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

_SHOWN = 60
"""Characters of an argument in a message."""
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

    Raises LabError where the folder holds runs of another lab, or cannot be written.
    """

    def __init__(self, path: Path, common: Mapping[str, object]) -> None:
        self.path = path
        self._runs = path / "runs"
        self._manifest = path / "lab.json"
        wanted = json.loads(json.dumps(common))
        try:
            self._check(wanted)
            self._runs.mkdir(parents=True, exist_ok=True)
            write_whole(self._manifest, json.dumps(wanted, indent=2, sort_keys=True) + "\n")
        except OSError as error:
            raise LabError(
                f"expected --out to be a directory that can be written, but {path} cannot: "
                f"{error.strerror}. Name another one"
            ) from error

    def _check(self, wanted: dict[str, object]) -> None:
        if not self._manifest.exists():
            # Runs without what they have in common are what `clear` leaves.
            if self.path.is_dir() and any(self.path.iterdir()) and not self._runs.is_dir():
                raise LabError(
                    f"expected --out to be a new directory or one of an earlier lab run, but "
                    f"{self.path} holds other files. Name another one"
                )
            return
        try:
            found = json.loads(self._manifest.read_text(encoding="utf-8"))
        except ValueError:
            found = {}
        changed = [
            f"{name} was {_shown(found.get(name))} and is now {_shown(wanted.get(name))}"
            for name in sorted({*found, *wanted})
            if found.get(name) != wanted.get(name)
        ]
        if changed:
            raise LabError(
                f"{self.path} holds a lab run with other arguments: {'; '.join(changed)}. Use "
                "the old ones to resume it, name another --out, or add --fresh to delete its runs"
            )

    def _file(self, key: RunKey) -> Path:
        return self._runs / f"{key.name}.json"

    def record(self, task: Task) -> RunRecord | None:
        """The record of a task, None if it is still to be run.

        Raises LabError for a record of the same name with other seeds, targets or examples.
        """
        path = self._file(task.key)
        try:
            found = RunRecord.from_json(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            # What cannot be read is run again.
            return None
        if found.digest != task.digest:
            raise LabError(
                f"{path} is a run of {', '.join(map(str, task.key))} with other seeds, examples, "
                "targets or budget. Name another --out, or add --fresh to delete it"
            )
        # Of an order that was changed, its own runs alone are run again.
        return found if found.code == task.code else None

    def keep(self, record: RunRecord) -> None:
        """Write a record down, at once."""
        write_whole(self._file(record.key), record.to_json() + "\n")


def clear(path: Path) -> None:
    """Delete the runs of an earlier lab run, below too; other files stay."""
    for manifest in list(path.rglob("lab.json")):
        for old in (manifest.parent / "runs").glob("*.json"):
            old.unlink()
        manifest.unlink()


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def write_whole(path: Path, text: str) -> Path:
    """Write a file that replaces another one when it is whole."""
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text, encoding="utf-8")
    return draft.replace(path)
