"""A project with a module called `ranking` or `frontier` is told which file hides which."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import scrapy_linkrank

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
SPIDER = """
import scrapy

class S(scrapy.Spider):
    name = "s"
    start_urls = []
"""
IN_FRONT = ("-m", "scrapy")
"""The current directory comes first on the import path."""
BEHIND = ("-c", "import sys; sys.path.pop(0); from scrapy.cmdline import execute; execute()")
"""As the `scrapy` script: Scrapy appends the project's directory to the import path."""


def project(folder: Path, *, plugged_in: bool = True, **modules: str) -> Path:
    """A Scrapy project with modules of these names at its root."""
    (folder / "shop" / "spiders").mkdir(parents=True)
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
    line = f"ADDONS = {{'frontier.plugin.LinkRankAddon': {500 if plugged_in else None}}}\n"
    (folder / "shop" / "settings.py").write_text(f'SPIDER_MODULES = ["shop.spiders"]\n{line}')
    for name in ("shop/__init__.py", "shop/spiders/__init__.py"):
        (folder / name).touch()
    (folder / "shop" / "spiders" / "s.py").write_text(SPIDER)
    for name, code in modules.items():
        (folder / f"{name}.py").write_text(code)
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What tells Scrapy of our commands, as an installation of this very pyproject.toml would."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "scrapy_linkrank-0.1.0.dist-info"
    info.mkdir()
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scrapy-linkrank\nVersion: 0.1.0\n")
    rows = [f"{name} = {path}" for name, path in declared["scrapy.commands"].items()]
    (info / "entry_points.txt").write_text("\n".join(["[scrapy.commands]", *rows, ""]))
    return folder


def run(how: tuple[str, ...], *arguments: str, cwd: Path, installed: Path) -> tuple[int, list[str]]:
    """Exit code and lines on standard error of a Scrapy process."""
    done = subprocess.run(
        [sys.executable, *how, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, [line for line in (done.stdout + done.stderr).splitlines() if line]


@pytest.mark.parametrize("name", scrapy_linkrank.PACKAGES)
def test_a_module_in_front_of_ours_stops_the_crawl_with_a_line_that_names_both(
    tmp_path: Path, installed: Path, name: str
) -> None:
    shop = project(tmp_path, **{name: "OWN = True"})
    code, lines = run(IN_FRONT, "crawl", "s", cwd=shop, installed=installed)
    assert code == 1
    assert lines[-1] == (
        f"ImportError: {shop / f'{name}.py'} hides the package {name!r} of scrapy-linkrank in "
        f"{ROOT / name}, which the frontier needs: rename yours, for instance to my_{name}"
    )
    assert not any("Scrapy" in line and "started" in line for line in lines), "before anything else"


def test_a_module_behind_ours_is_named_before_the_spiders_that_import_it_fail(
    tmp_path: Path, installed: Path
) -> None:
    name = "ranking"
    shop = project(tmp_path, **{name: "OWN = True"})
    spider = shop / "shop" / "spiders" / "s.py"
    spider.write_text(f"from {name} import OWN\n{SPIDER}")
    code, lines = run(BEHIND, "crawl", "s", cwd=shop, installed=installed)
    assert code == 1
    assert lines[0] == (
        f"{shop / f'{name}.py'} is hidden by the package {name!r} of scrapy-linkrank in "
        f"{ROOT / name}: `import {name}` means that one. Rename yours, for instance to my_{name}"
    )
    assert f"cannot import name 'OWN' from '{name}'" in lines[-1]
    spider.write_text(SPIDER)
    assert run(BEHIND, "crawl", "s", cwd=shop, installed=installed)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", [IN_FRONT, BEHIND], ids=["in front", "behind"])
def test_a_project_that_does_not_use_the_add_on_has_its_own(
    tmp_path: Path, installed: Path, how: tuple[str, ...]
) -> None:
    shop, modules = project(tmp_path, plugged_in=False), ("ranking", "frontier")
    for name in modules:
        (shop / name).mkdir()
        (shop / name / "__init__.py").write_text(f"OWN = {name!r}")
        (shop / name / "parts.py").touch()
    own = "".join(f"from {name} import OWN, parts; assert OWN == {name!r}\n" for name in modules)
    (shop / "shop" / "spiders" / "s.py").write_text(f"{own}{SPIDER}")
    assert run(how, "list", cwd=shop, installed=installed) == (0, ["s"])
    code, lines = run(how, "frontier", "stats", "crawl", cwd=shop, installed=installed)
    hidden = f"{shop / min(modules) / '__init__.py'} hides the package" in lines[-1]
    assert (code, hidden) == ((2, True) if how is IN_FRONT else (1, False)), lines


LOADED = """
import sys
from scrapy.cmdline import execute
try:
    execute(["scrapy", "list"])
finally:
    names = {name.partition(".")[0] for name in sys.modules}
    print(sorted(names & {"frontier", "ranking", "numpy", "scipy", "frontera", "lxml.html"}))
"""


def test_nothing_of_ours_is_imported_for_a_command_of_scrapys(
    tmp_path: Path, installed: Path
) -> None:
    shop = project(tmp_path)
    assert run(("-c", LOADED), cwd=shop, installed=installed) == (0, ["s", "[]"])
