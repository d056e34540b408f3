"""The documentation says what the code says: generated pages, names, files, links, examples."""

from __future__ import annotations

import ast
import importlib
import re
import sqlite3
from functools import cache
from pathlib import Path

import pytest
import scrapy

from docs import generate
from frontier.plugin.extensions.stats import STATS
from frontier.plugin.settings.registry import SETTINGS
from frontier.store import FILE_NAME, Store
from frontier.store.schema import metadata
from ranking.orders import ORDERS
from ranking.topics import TopicModel

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
ALL_PAGES = [*PAGES, *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"))]
SOURCES = [
    path
    for folder in ("frontier", "ranking", "crawler")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
FENCE = re.compile(r"^```([\w{}-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


every_page = pytest.mark.parametrize("page", ALL_PAGES, ids=named)
every_source = pytest.mark.parametrize("source", SOURCES, ids=named)


def blocks(page: Path, language: str) -> list[str]:
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [code for spoken, code in found if spoken == language]


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def quoted(page: Path) -> list[str]:
    """What stands in backticks outside of code blocks."""
    return re.findall(r"`([^`\n]+)`", prose(page))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def members() -> dict[str, set[str]]:
    """Class -> its methods, fields and what its methods set on `self`, bases included."""
    classes = {
        node.name: node
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    }

    def of(name: str) -> set[str]:
        if name not in classes:
            return set()
        found: set[str] = set()
        for node in ast.walk(classes[name]):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
        bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
        return found.union(*(of(base) for base in bases))

    return {name: of(name) for name in classes}


@cache
def functions() -> set[str]:
    return {
        node.name
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def strings(path: Path) -> set[str]:
    return {
        node.value
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize("name", generate.PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == generate.PAGES[name](), "run `make docs`"


def test_every_setting_stat_and_strategy_is_on_its_page_with_what_it_means() -> None:
    settings = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for setting in SETTINGS:
        assert settings.count(f"### `{setting.name}`") == 1
        assert generate.linked(setting.reason) in settings
    stats = (ROOT / "docs" / "stats.md").read_text(encoding="utf-8")
    for stat in STATS:
        meaning = generate.linked(stat.meaning)
        assert f"| `{stat.name}` | {stat.unit} | {stat.scope} | {meaning} |" in stats
    strategies = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
    for name, order in ORDERS.items():
        assert f"## `{name}`" in strategies
        assert order.summary in strategies


@every_source
def test_every_setting_that_the_code_names_is_declared(source: Path) -> None:
    used = set(re.findall(r"\bFRONTIER_[A-Z_]+\b", source.read_text(encoding="utf-8")))
    assert used <= {setting.name for setting in SETTINGS}


@every_source
def test_every_stat_that_the_code_names_is_declared(source: Path) -> None:
    used = {text for text in strings(source) if re.fullmatch(r"frontier(/[a-z_]+)+", text)}
    assert used <= {stat.name for stat in STATS}


@every_page
def test_every_setting_and_stat_that_a_page_names_is_declared(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    settings = set(re.findall(r"\bFRONTIER_[A-Z_]+\b", text))
    assert settings <= {setting.name for setting in SETTINGS}
    rooms = {named(path.parent) for path in SOURCES} | {named(path)[:-3] for path in SOURCES}
    stats = {one for one in quoted(page) if re.fullmatch(r"frontier(/[a-z_]+)+", one)}
    assert stats - rooms <= {stat.name for stat in STATS}


@every_page
def test_every_python_file_that_a_page_names_exists(page: Path) -> None:
    files = {one for one in quoted(page) if re.fullmatch(r"[\w./-]+\.py", one)}
    anywhere = {path.name for path in SOURCES}
    missing = [one for one in files if not (ROOT / one).is_file() and one not in anywhere]
    assert not missing


@every_page
def test_every_member_of_a_class_that_a_page_names_exists(page: Path) -> None:
    for one in quoted(page):
        pair = re.fullmatch(r"([A-Z]\w+)\.(\w+)(\(.*\))?", one)
        if pair is None:
            continue
        owner, member = pair[1], pair[2]
        if owner == "Request":  # Scrapy's, on every page
            assert hasattr(scrapy.Request("http://x.example/"), member), one
        else:
            assert member in members().get(owner, set()), one


@every_page
def test_every_function_that_a_page_names_exists(page: Path) -> None:
    called = {
        match[1] for one in quoted(page) if (match := re.fullmatch(r"([a-z_]\w+)\(.*\)", one))
    }
    # `start()` is the spider's.
    assert called - {"start"} <= functions()


@every_page
def test_every_dotted_name_of_ours_on_a_page_can_be_imported(page: Path) -> None:
    for one in quoted(page):
        if not re.fullmatch(r"(ranking|frontier|crawler)(\.\w+)+", one):
            continue
        if one.startswith("frontier.") and one.count(".") == 1 and not _is_module(one):
            # `frontier.sqlite` and its like are files of a crawl.
            assert one.partition(".")[2] in {"sqlite", "lock", "pid", "mark"}, one
            continue
        assert _resolves(one), one


def _is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def _resolves(name: str) -> bool:
    module, dot, attribute = name.rpartition(".")
    if _is_module(name):
        return True
    return bool(dot) and _is_module(module) and hasattr(importlib.import_module(module), attribute)


@every_page
def test_every_relative_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), target
        if anchor:
            assert anchor in headings(file), target


def headings(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@every_page
def test_every_python_example_of_a_page_is_python(page: Path) -> None:
    for code in blocks(page, "python"):
        compile(code, named(page), "exec")


def test_the_readme_shows_how_to_crawl_and_how_to_test() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make crawl" in text
    assert "make test" in text


def test_every_make_target_that_a_page_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    for page in ALL_PAGES:
        named_targets = {one.split()[1] for one in quoted(page) if re.match(r"make \w+", one)}
        assert named_targets <= targets, page


def test_the_topic_model_of_the_documentation_is_one_and_can_be_resumed() -> None:
    page = ROOT / "docs" / "write-a-topic-model.md"
    (code,) = [one for one in blocks(page, "python") if "fit" in one]
    names: dict[str, type[TopicModel]] = {}
    exec(code, names)
    model = names["WordShare"]()
    assert isinstance(model, TopicModel)
    model.fit("stars planets", [])
    assert model.relevance("the stars above") == 0.5
    assert model.promises([("planets", "and stars", "http://x.example/")]) == [1.0]
    resumed = names["WordShare"]()
    resumed.restore(model.state())
    assert resumed.relevance("the stars above") == 0.5


def test_every_query_of_the_documentation_runs_on_a_crawl(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    crawl = sqlite3.connect(tmp_path / FILE_NAME)
    queries = blocks(ROOT / "docs" / "store.md", "sql")
    assert len(queries) >= 5
    for query in queries:
        assert crawl.execute(query).fetchall() == []
    crawl.close()


def test_every_table_and_column_of_the_store_is_documented() -> None:
    text = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
    for table in metadata.sorted_tables:
        assert f"**`{table.name}`**" in text
        for column in table.columns:
            assert f"`{column.name}`" in text, f"{table.name}.{column.name}"
