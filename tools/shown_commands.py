"""Runs the commands that pages of the documentation show, one after the other, in a fresh folder.

    python tools/shown_commands.py docs/tutorial.md   # or other pages; all that show any
    python tools/shown_commands.py --write            # and put what they print now into the pages

All pages of docs/ share the project that the tutorial makes. A ```console block holds commands
behind `$ ` and the first lines that they print; `...` stands for the others. A ```python block that
opens with `# FILE:` and a path is written to that file, or appended to it if it is there. All of it
runs in one shell, so `cd`, `export` and background commands mean what they mean to a reader. The
tutorial needs nothing but the package, so it also shows whether an installed wheel works.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# FILE: (\S+)\n")
ROOT = Path(__file__).resolve().parents[1]
# What the Makefile does for `make crawl`, into the folder of this run.
MAKE = f'make() {{ (d=$PWD; cd "{ROOT}" && "{sys.executable}" -m crawler.run --dir "$d/made"); }}'
PORT = "8123"
"""Of the demonstration web, on all pages; exchanged for a free one here."""
SECONDS = 300
END = "-- end of"


@dataclass
class Step:
    """One command, and the lines that the page shows below it."""

    command: str
    shown: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    status: int = 0


def pages_with_commands() -> list[Path]:
    """README and pages of docs/ that show commands; the tutorial before those that need it."""
    first = [ROOT / "README.md", ROOT / "docs" / "tutorial.md"]
    pages = [one for one in sorted((ROOT / "docs").glob("*.md")) if one not in first]
    return [*first, *(one for one in pages if "```console" in one.read_text(encoding="utf-8"))]


def steps_of(page: str) -> list[Step]:
    """What a page asks its reader to do, in order; files to write are commands too."""
    steps: list[Step] = []
    for language, text in BLOCK.findall(page):
        if language == "console":
            steps += _commands(text)
        elif named := FILE.match(text):
            steps.append(Step(f"cat >> {named[1]} <<'END_OF_FILE'\n{text}END_OF_FILE"))
    return steps


def _commands(block: str) -> list[Step]:
    steps: list[Step] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        elif steps[-1].command.endswith("\\"):
            steps[-1].command += "\n" + line
        else:
            steps[-1].shown.append(line)
    return steps


def run(steps: list[Step], folder: Path) -> None:
    """Run them in a folder; each gets what it printed on standard output, and its exit status."""
    script = [MAKE, "trap 'kill $(jobs -p) 2>/dev/null' EXIT"]
    for number, step in enumerate(steps):
        script += [
            step.command.replace(PORT, str(_free_port())),
            f"status=$?; echo; echo {END} {number} $status",
        ]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    sys.stderr.write(done.stderr)
    printed: list[str] = []
    for line in done.stdout.splitlines():
        if line.startswith(END):
            place, status = line.removeprefix(END).split()
            steps[int(place)].printed = "\n".join(printed).strip("\n").splitlines()
            steps[int(place)].status = int(status)
            printed = []
        else:
            printed.append(line)


_PORTS: list[int] = []


def _free_port() -> int:
    if not _PORTS:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            _PORTS.append(one.getsockname()[1])
    return _PORTS[0]


def differences(step: Step) -> list[tuple[str, str]]:
    """Shown and printed lines that say different things, whatever their numbers and URLs."""
    shown, cut = (step.shown[:-1], True) if step.shown[-1:] == ["..."] else (step.shown, False)
    printed = step.printed[: len(shown)] if cut else step.printed
    if not shown:
        return []
    pairs = zip_longest(shown, printed, fillvalue="(nothing)")
    return [(one, other) for one, other in pairs if masked(one) != masked(other)]


def masked(line: str) -> str:
    """A line without what differs from run to run: numbers, URLs and the titles behind them."""
    line = re.sub(r"https?://\S+.*", "URL", line.strip())
    line = re.sub(r"\d[\d,.:-]*", "#", line)
    return re.sub(r"\s+|[+-](?=#)", " ", line)


def rewritten(page: str, steps: list[Step]) -> str:
    """The page with what its commands print now, as many lines of it as it shows."""
    left = iter(steps)

    def block(found: re.Match[str]) -> str:
        if found[1] == "python":
            if FILE.match(found[2]):
                next(left)
            return found[0]
        lines: list[str] = []
        for _ in _commands(found[2]):
            step = next(left)
            lines += [f"$ {step.command}"]
            cut = step.shown[-1:] == ["..."]
            lines += [*step.printed[: len(step.shown) - 1], "..."] if cut else []
            lines += step.printed if step.shown and not cut else []
        return "\n".join(["```console", *lines, "```"])

    return BLOCK.sub(block, page)


def main(arguments: list[str]) -> int:
    """Run the pages' commands in a temporary folder; 1 if one fails."""
    given = [Path(one) for one in arguments if one != "--write"]
    pages = given or pages_with_commands()
    texts = [page.read_text(encoding="utf-8") for page in pages]
    by_page = [steps_of(text) for text in texts]
    steps = [step for one in by_page for step in one]
    with tempfile.TemporaryDirectory() as folder:
        run(steps, Path(folder))
    for step in steps:
        print(f"$ {step.command}", *step.printed, sep="\n")
    if "--write" in arguments:
        for page, text, its_own in zip(pages, texts, by_page, strict=True):
            page.write_text(rewritten(text, its_own), encoding="utf-8")
    failed = [step.command for step in steps if step.status]
    if failed:
        print("Failed: " + "; ".join(failed), file=sys.stderr)
    return 1 if failed or not steps else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
