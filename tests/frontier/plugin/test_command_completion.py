"""`scrapy frontier completion`, asked by real shells."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.scrapy_runs import scrapy

ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
found=$(complete -p scrapy); found=${found##*-F }; "${found%% *}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    for shell in ("bash", "zsh"):
        done = scrapy("frontier", "completion", shell, cwd=folder)
        assert (done.returncode, done.stderr) == (0, "")
        (folder / shell).write_text(done.stdout)
    (folder / "jobs").mkdir()
    (folder / "notes.txt").touch()
    return folder


def completed(folder: Path, *words: str) -> set[str]:
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK, "ask", str(folder / "bash"), *words],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
        cwd=folder,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("scrapy fr", {"frontier"}),
        ("scrapy runs", {"runspider"}),  # Scrapy's own
        ("scrapy frontier to", {"top"}),
        ("scrapy frontier com", {"compare", "completion"}),
        ("scrapy frontier top --", {"--help", "--state", "--by", "--json"}),
        ("scrapy frontier top --state cr", {"crawled"}),
        ("scrapy frontier top job", {"jobs"}),
        ("scrapy frontier rank --seeds not", {"notes.txt"}),
        ("scrapy web serve --port-", {"--port-file"}),
        ("scrapy lab run --unrecorded ", {"fail", "hide"}),
    ],
)
def test_bash_completes(folder: Path, words: str, expected: set[str]) -> None:
    assert completed(folder, *words.split(" ")) == expected


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_reads_it_and_knows_the_actions(folder: Path) -> None:
    ask = """
    autoload -U compinit && compinit -D
    eval "$(<zsh)"
    print $_comps[scrapy]
    _describe() { print -l ${(P)2} }
    _shtab_scrapy_frontier_commands
    """
    done = subprocess.run(
        ["zsh", "-f", "-c", ask], capture_output=True, text=True, timeout=30, check=True, cwd=folder
    )
    function, *actions = done.stdout.splitlines()
    assert function == "_shtab_scrapy"
    assert any(one.startswith("top:List the best URLs in a state.") for one in actions)
