"""Who may import whom: the rooms of docs/architecture.md, read from the source."""

from __future__ import annotations

import ast
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

RANKING = {"numpy", "scipy", "sklearn", "ranking"}
FRONTIER = RANKING | {"frontier", "frontera", "w3lib", "lxml", "filelock", "warcio"}
STORE_SOURCE = {
    ROOT / "frontier/store" / name for name in ("schema.py", "queries.py", "compile.py")
}
"""What the statements of the store are compiled from, with what is not there at run time."""
OFFLINE_EXTRAS = {ROOT / "ranking/offline/extras.py": {"pyarrow", "tqdm"}}
"""The one module that imports what the extra `offline` installs."""
LAB_EXTRAS = {ROOT / "frontier/lab/report/pictures.py": {"matplotlib"}}
"""The one module that imports what the extra `lab` installs."""
CLASSIFIER_EXTRAS = {ROOT / "ranking/topics/classifier.py": {"joblib"}}
"""The one module that imports what the extra `sklearn` installs."""
SUFFIX_LIST = {
    ROOT / name: {"tldextract"}
    for name in (
        *("frontier/domains.py", "frontier/linkfiles/hosts.py"),
        "frontier/plugin/net/install.py",
    )
}
"""The modules that know registered domains, by what Scrapy brings along."""
CHARSETS = {ROOT / "frontier/parsing/charset.py": {"webencodings", "charset_normalizer"}}
"""The module that knows names of charsets, and guesses them."""
SKETCHES = {ROOT / "frontier/duplicates/shingles.py": {"rensa"}}
"""The one module that knows how MinHash is computed."""
NETWORK = {
    ROOT / "frontier/addresses.py": {"idna"},
    ROOT / "frontier/plugin/net/faults.py": {"OpenSSL"},
    ROOT / "frontier/plugin/net/pool.py": {"zope"},
    ROOT / "frontier/plugin/net/tls.py": {"OpenSSL", "service_identity", "zope"},
}
"""The modules that know how connections are made, by what Scrapy brings along."""
PLUGIN = FRONTIER | {"scrapy", "twisted", "typing_extensions"}
CRAWLER = PLUGIN | {"crawler"}


def modules(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Top-level names of everything a module imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide who imports whom"
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {""}


def allowed(path: Path) -> set[str]:
    parts = path.relative_to(ROOT).parts
    if parts[0] == "ranking":
        return RANKING | OFFLINE_EXTRAS.get(path, set()) | CLASSIFIER_EXTRAS.get(path, set())
    if parts[0] == "crawler":
        return CRAWLER
    if path in STORE_SOURCE:
        return FRONTIER | {"sqlalchemy"}
    room = PLUGIN if parts[:2] == ("frontier", "plugin") else FRONTIER
    extras = (CHARSETS, SKETCHES, SUFFIX_LIST, LAB_EXTRAS, NETWORK)
    return room.union(*(extra.get(path, set()) for extra in extras))


@pytest.mark.parametrize(
    "path",
    [path for folder in ("ranking", "frontier", "crawler") for path in modules(folder)],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_room_imports_only_what_it_may(path: Path) -> None:
    assert imported(path) <= allowed(path)


@pytest.mark.parametrize("path", modules("frontier"), ids=lambda path: path.name)
def test_only_the_plugin_is_imported_by_nobody_in_the_frontier(path: Path) -> None:
    if path.relative_to(ROOT).parts[1] == "plugin":
        return
    source = path.read_text(encoding="utf-8")
    imports = [
        node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module
    ]
    assert not [name for name in imports if name.startswith("frontier.plugin")]


@pytest.mark.parametrize(
    "module",
    [
        *("ranking", "ranking.offline", "frontier.backend", "frontier.inspection.view"),
        *("frontier.plugin.session", "frontier.plugin.commands.web"),
        "frontier.plugin.commands.lab",
    ],
)
def test_what_every_crawl_imports_stays_light(module: str) -> None:
    code = f"""
import sys, {module}
heavy = {{"sklearn", "pandas", "scipy.stats", "scipy.sparse.linalg", "sqlalchemy", "networkx"}}
heavy |= {{"pyarrow", "tqdm", "matplotlib"}}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_wheel_holds_frontier_and_ranking_only(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path, ROOT],
        check=True,
        timeout=280,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
    info = {name for name in tops if name.endswith(".dist-info")}
    assert tops - info == {"frontier", "ranking"}
    assert {name.partition("-")[0] for name in info} == {"scrapy_linkrank"}
