"""What is published: built from a copy of the clone, looked into, and used where no clone is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.scrapy_runs import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(590)]
SHIPPED = (*ROOT.glob("frontier/**/*"), *ROOT.glob("ranking/**/*"))
SOURCES = {".py", ".pyx", ".pyi", ".pxd", ".txt", ".typed", ".npz", ".js", ".css", ".html"}
LICENCES = (
    *("ranking/topics/words/LICENSE", "ranking/topics/vectors/LICENSE"),
    "frontier/watch/page/LICENSE",
)


def run(
    command: Sequence[str | Path], cwd: Path, timeout: float = 300, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a command as if there were no clone and no environment of it."""
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=outside | env,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


class Built(NamedTuple):
    sdist: Path
    wheel: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The wheel is built from the sdist, as pip would, in a copy without compiled files."""
    folder = tmp_path_factory.mktemp("packages")
    clone, out = folder / "clone", folder / "dist"
    clone.mkdir()
    for name in ("frontier", "ranking"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("*.so", "*.c"))
    for name in ("setup.py", "scrapy_linkrank.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    # Optimising takes minutes, and changes nothing of what is asked here; without any, a function
    # of lxml's header that nobody calls would stay, and ask for a symbol that is not there.
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert "-O3" in project
    (clone / "pyproject.toml").write_text(project.replace("-O3", "-O1"), encoding="utf-8")
    # With the tools of this environment: what pip installs is asked of the network once, below.
    done = run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, clone], folder, 500
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return Built(*(next(out.glob(pattern)) for pattern in ("*.tar.gz", "*.whl")))


def test_the_sdist_holds_all_that_is_needed_to_build_it(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    needed = {path.relative_to(ROOT).as_posix() for path in SHIPPED if path.suffix in SOURCES}
    assert not needed - held
    assert {"LICENSE", *LICENCES, "README.md", "setup.py"} <= held


def test_the_wheel_holds_our_packages_and_not_the_project(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    info = {name for name in tops if name.endswith(".dist-info")}
    assert tops - info == {"frontier", "ranking", "scrapy_linkrank.py"}
    assert {name.partition("-")[0] for name in info} == {"scrapy_linkrank"}
    assert {name.partition("/licenses/")[2] for name in names} >= {"LICENSE", *LICENCES}
    tables = {f"ranking/topics/vectors/{name}.npz" for name in ("english", "languages")}
    assert {*LICENCES, *tables} <= set(names)
    page = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("frontier/watch/page/*")}
    assert len(page) > 6
    assert page <= set(names)
    assert {"frontier/plugin/focus/command.py", "frontier/plugin/focus/python.py"} <= set(names)


def test_the_readme_of_the_package_has_no_link_that_leads_nowhere(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = archive.read(name).decode()
    assert "Description-Content-Type: text/markdown" in metadata
    assert "scrapy focus" in metadata
    targets = re.findall(r"\]\(([^)\s]+)\)", metadata)
    assert [target for target in targets if "://" not in target] == []


@pytest.mark.skipif(sys.platform != "linux", reason="auditwheel knows Linux only")
def test_the_wheel_is_portable(built: Built, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", tmp_path, built.wheel]
    done = run(command, tmp_path, PATH=path)
    assert done.returncode == 0, done.stderr
    (repaired,) = tmp_path.glob("*.whl")
    assert "manylinux" in repaired.name
    with zipfile.ZipFile(repaired) as archive:
        assert not [name for name in archive.namelist() if ".libs/" in name]


def test_the_wheel_works_in_an_empty_environment(built: Built, tmp_path: Path) -> None:
    python = tmp_path / "env" / "bin" / "python"
    assert run([sys.executable, "-m", "venv", tmp_path / "env"], tmp_path).returncode == 0
    install = [python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt"]
    done = run([*install, built.wheel], tmp_path)
    assert done.returncode == 0, done.stderr
    done = run([python, "-c", "import frontier.plugin, ranking.orders, scrapy_linkrank"], tmp_path)
    assert done.returncode == 0, done.stderr
    done = run([python.with_name("scrapy"), "focus", "--topic", "stars"], tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_without_a_compiler_one_line_says_what_is_missing(built: Built, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    done = run([*command, built.sdist], tmp_path, CC="/nonexistent/cc")
    said = [line.strip() for line in done.stderr.splitlines() if "C compiler" in line]
    assert done.returncode != 0
    assert len(said) == 1
    assert said[0].startswith("error: scrapy-linkrank is compiled when it is installed")
    assert "'/nonexistent/cc'" in said[0]
    assert "Traceback" not in done.stderr
