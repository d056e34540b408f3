"""Who may import whom: the packages and floors of docs/architecture.md, read from the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

RANKING = {"numpy", "scipy", "ranking"}
FRONTIER = RANKING | {"frontier", "frontera", "w3lib", "lxml", "filelock", "warcio"}
OFFLINE_EXTRAS = {ROOT / "ranking/offline/extras.py": {"pyarrow", "tqdm"}}
"""The one module that imports what the extra `offline` installs."""
SPARK = ROOT / "ranking/spark.py"
"""The one module that imports pyspark. It needs nothing else: a cluster has no more."""
TOPIC_EXTRAS = {
    ROOT / "ranking/topics/vectors/tokens.py": {"tokenizers", "safetensors"},
    ROOT / "ranking/topics/forms.py": {"snowballstemmer"},
}
"""The one module that imports what the extra `meaning` installs; the one that knows stemmers."""
SUFFIX_LISTS = {
    ROOT / "frontier/urls/domains.py": {"publicsuffixlist"},
}
"""The module that knows registered domains."""
SKETCHES = {ROOT / "frontier/duplicates/minhash.py": {"rensa"}}
"""The one module that knows how MinHash is computed."""
SEARCHING = {ROOT / f"frontier/search/{name}.py": {"tantivy"} for name in ("index", "matching")}
"""The modules that know how pages are indexed and found."""
NETWORK = {
    ROOT / "frontier/urls/hosts.py": {"idna"},
    ROOT / "frontier/plugin/net/guard.py": {"zope"},
}
"""The modules that know names and connections, by what Scrapy brings along."""
BROWSERS = {
    ROOT / f"frontier/plugin/render/{name}.py": {"playwright"} for name in ("browser", "tab")
}
"""The modules that know how a browser is driven, by what the extra `browser` installs."""
TEXTS = {
    ROOT / "frontier/texts/main_text.py": {"trafilatura"},
    ROOT / "frontier/texts/pdf.py": {"pypdf"},
}
"""The modules that import what the extras `text` and `pdf` install, in a process of their own."""
METRICS = {ROOT / "frontier/inspection/prometheus.py": {"prometheus_client"}}
"""The one module that imports what the extra `metrics` installs."""
AGENTS = {
    ROOT / "frontier/agents/server.py": {"mcp"},
    ROOT / "frontier/agents/tools.py": {"pydantic"},
}
"""The modules that import what the extra `mcp` installs."""
DATABASES = {
    ROOT / "frontier/exchange/connection.py": {"psycopg"},
    ROOT / "frontier/exchange/wire.py": {"msgpack"},
}
"""The one module that imports what the extra `shared` installs."""
FLOORS = {
    "ranking": (
        (
            "errors",
            "letters",
            "printing",
            "spelling",
        ),
        ("arrays", "page_update", "result"),
        ("graph",),
        ("evidence", "priority"),
        ("hits", "pagerank"),
        ("orders", "offline", "spark", "topics"),
        ("__init__", "__main__"),
    ),
    "frontier": (
        ("errors", "formatting", "records", "states", "utils", "verdict"),
        ("parsing", "queue", "store", "urls", "warc"),
        (
            "duplicates",
            "enough",
            "estimates",
            "pagerules",
            "politeness",
            "refresh",
            "render",
            "robots",
            "topic",
            "traps",
        ),
        ("config", "protocol", "texts"),
        ("backend", "strategy"),
        (
            "agents",
            "export",
            "follow",
            "inspection",
            "lab",
            "labels",
            "recovery",
            "search",
            "watch",
            "web",
        ),
        ("exchange", "tables"),
        ("plugin",),
        ("__init__",),
    ),
}
"""Packages and modules from the ground up: nothing imports what stands on a floor above."""
RULES = FLOORS["frontier"][2]
"""They say what is right, and know nothing of the store, the queue, the strategy, the backend."""
PLUGIN = FRONTIER | {"scrapy", "twisted", "typing_extensions", "scrapy_linkrank"}
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
    if path == SPARK:
        return {"ranking", "pyspark"}
    if parts[0] == "ranking":
        return RANKING | OFFLINE_EXTRAS.get(path, set()) | TOPIC_EXTRAS.get(path, set())
    if parts[0] == "crawler":
        return CRAWLER
    room = PLUGIN if parts[:2] == ("frontier", "plugin") else FRONTIER
    extras = (
        SKETCHES,
        SEARCHING,
        TEXTS,
        SUFFIX_LISTS,
        NETWORK,
        DATABASES,
        METRICS,
        BROWSERS,
        AGENTS,
    )
    return room.union(*(extra.get(path, set()) for extra in extras))


def test_every_module_imports_only_what_its_package_may() -> None:
    paths = [path for folder in ("ranking", "frontier", "crawler") for path in modules(folder)]
    more = {path: imported(path) - allowed(path) for path in paths}
    assert {str(path): names for path, names in more.items() if names} == {}


def module_name(path: Path) -> str:
    """A package goes by the name of its __init__, which is a module beside its others."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def sources() -> dict[str, Path]:
    found = (path for top in FLOORS for path in (ROOT / top).rglob("*") if path.is_file())
    return {module_name(path): path for path in found if path.suffix in {".py", ".pyx"}}


SOURCES = sources()


def home_of(name: str) -> str | None:
    """The module that an imported name is, or is of."""
    for module in (name, f"{name}.__init__"):
        if module in SOURCES:
            return module
    return None


def imported_modules(path: Path) -> set[str]:
    """Modules of this project that a module imports: at its head, in functions, for types alone."""
    found: set[str | None] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(home_of(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(home_of(name) or home_of(node.module or "") for name in names)
    return {name for name in found if name is not None}


IMPORTS = [
    (module, other)
    for module, path in SOURCES.items()
    if path.suffix == ".py"
    for other in sorted(imported_modules(path))
]


def arrows(folder: str) -> dict[str, set[str]]:
    """Child of a folder -> children of it that it imports, where either may be a folder itself."""
    inside: defaultdict[str, set[str]] = defaultdict(set)
    for pair in IMPORTS:
        if all(name.startswith(f"{folder}.") for name in pair):
            one, other = (name[len(folder) + 1 :].partition(".")[0] for name in pair)
            if one != other:
                inside[one].add(other)
    return inside


FOLDERS = sorted({name.rpartition(".")[0] for name in SOURCES})


def test_nothing_in_a_folder_imports_what_imports_it() -> None:
    for folder in FOLDERS:
        tuple(TopologicalSorter(arrows(folder)).static_order())  # raises CycleError with the names


@pytest.mark.parametrize("top", FLOORS)
def test_every_package_has_a_floor_and_imports_nothing_above_it(top: str) -> None:
    floor = {name: at for at, names in enumerate(FLOORS[top]) for name in names}
    children = {name.split(".")[1] for name in SOURCES if name.startswith(f"{top}.")}
    assert children == set(floor)
    upwards = [
        (one, other)
        for one, others in arrows(top).items()
        for other in others
        if floor[other] > floor[one]
    ]
    assert upwards == []


def test_a_rule_package_knows_neither_store_nor_queue_nor_strategy_nor_backend() -> None:
    unknown = tuple(f"frontier.{name}." for name in ("store", "queue", "strategy", "backend"))
    for package in RULES:
        own = [pair for pair in IMPORTS if f"{pair[0]}.".startswith(f"frontier.{package}.")]
        assert own, package
        assert [pair for pair in own if pair[1].startswith(unknown)] == []


def test_a_spark_job_imports_of_this_project_only_what_needs_nothing_else() -> None:
    others = {other for module, other in IMPORTS if module == "ranking.spark"}
    assert others == {"ranking.errors"}
    assert set().union(*(imported(SOURCES[other]) for other in others)) == set()


@pytest.mark.parametrize(
    "module",
    [
        *("ranking", "ranking.offline", "frontier.backend.backend", "frontier.inspection.view"),
        *("frontier.plugin.crawl.session", "frontier.plugin.commands.web"),
        "frontier.plugin.commands.lab",
    ],
)
def test_what_every_crawl_imports_stays_light(module: str) -> None:
    code = f"""
import sys, {module}
heavy = {{"sklearn", "pandas", "scipy.stats", "scipy.sparse.linalg", "networkx"}}
heavy |= {{"pyarrow", "tqdm", "psycopg", "msgpack", "tokenizers", "prometheus_client", "mcp"}}
heavy |= {{"trafilatura", "pypdf", "frontier.texts.worker"}}
heavy |= {{"frontier.search", "frontier.plugin.frontera"}}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_every_kernel_is_compiled_where_the_project_is_installed() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for folder in ("frontier", "ranking"):
        kernels = sorted((ROOT / folder).rglob("*.pyx"))
        assert kernels
        for kernel in kernels:
            assert f'"{kernel.relative_to(ROOT).as_posix()}"' in project
