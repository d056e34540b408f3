"""The documentation says what the code says: generated pages, names, files, links, examples."""

from __future__ import annotations

import ast
import importlib
import re
import sqlite3
import tokenize
from functools import cache
from pathlib import Path

import pytest
import scrapy

from docs import generate
from frontier.plugin.settings import SETTINGS
from frontier.store import Store
from frontier.store.open import FILE_NAME
from frontier.store.schema import COLUMNS
from ranking.orders import ORDERS
from tests.support.stats_page import documented_stats

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs").glob("*.md"))
ALL_PAGES = [*PAGES, *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"))]
SOURCES = [
    path
    for folder in ("frontier", "ranking", "crawler")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
FENCE = re.compile(r"^```([\w{}-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


MOST_WORDS = 36_000
"""Of all pages together, as `wc -w docs/*.md` counts them: 700 of it for watching and searching."""
STAT = re.compile(r"frontier(/[a-z_]+)+")
STATS = documented_stats()
SECRETS = {"FRONTIER_FOLLOW_AUTHORIZATION", "FRONTIER_WEBHOOK_SECRET"}
"""Variables of the environment that are no settings: those stand in files and logs."""
NAMES = {setting.name for setting in SETTINGS} | SECRETS


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


PACKAGES = {named(path.parent) for path in SOURCES} | {named(path)[:-3] for path in SOURCES}
"""What is spelt like a stat, and is a place in the code."""
every_page = pytest.mark.parametrize("page", ALL_PAGES, ids=named)


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


def test_every_setting_is_on_its_page_with_its_default_and_a_reason() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    told = re.findall(r"^### `(\w+)`\n\nDefault: `(.*)` · (.+)\n\n\w.{20,}$", page, re.MULTILINE)
    defaults = sorted((setting.name, repr(setting.default)) for setting in SETTINGS)
    assert sorted((name, default) for name, default, _ in told) == defaults
    assert page.count("\n### ") == len(told)


def test_every_strategy_is_on_its_page_which_is_up_to_date() -> None:
    strategies = generate.PAGE.read_text(encoding="utf-8")
    assert strategies == generate.strategies_page(), "run `make docs`"
    for name, order in ORDERS.items():
        assert f"## `{name}`" in strategies
        assert order.summary in strategies


def test_every_setting_and_stat_that_the_code_names_is_declared() -> None:
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        assert set(re.findall(r"\bFRONTIER_[A-Z_]+\b", text)) <= NAMES, source
        named_stats = {text for text in strings(source) if STAT.fullmatch(text)}
        assert named_stats <= STATS, source


@every_page
def test_what_a_page_names_of_the_code_exists(page: Path) -> None:
    text, code = page.read_text(encoding="utf-8"), quoted(page)
    undeclared = set(re.findall(r"\bFRONTIER_[A-Z_]+\b", text)) - NAMES
    stats = {one for one in code if STAT.fullmatch(one)} - PACKAGES - STATS
    files = {one for one in code if re.fullmatch(r"[\w./-]+\.py", one)}
    anywhere = {path.name for path in SOURCES}
    missing = {one for one in files if not (ROOT / one).is_file()} - anywhere
    called = {match[1] for one in code if (match := re.fullmatch(r"([a-z_]\w+)\(.*\)", one))}
    called -= functions() | {"start"}  # the spider's
    members = {one for one in code if not _is_member(one)}
    dotted = {one for one in code if not _can_be_imported(one)}
    assert (undeclared, stats, missing, called, members, dotted) == (set(),) * 6


def _is_member(name: str) -> bool:
    """Whether a `Class.member` is one; what is spelt otherwise is not looked at."""
    pair = re.fullmatch(r"([A-Z]\w+)\.(\w+)(\(.*\))?", name)
    if pair is None:
        return True
    if pair[1] == "Request":  # Scrapy's, on every page
        return hasattr(scrapy.Request("http://x.example/"), pair[2])
    return pair[2] in members().get(pair[1], set())


def _can_be_imported(name: str) -> bool:
    """Whether a dotted name of ours is one; what is spelt otherwise is not looked at."""
    if not re.fullmatch(r"(ranking|frontier|crawler)(\.\w+)+", name) or _is_module(name):
        return True
    module, _, attribute = name.rpartition(".")
    if module == "frontier" and attribute in {"sqlite", "lock", "pid", "mark"}:
        return True  # files of a crawl
    return _is_module(module) and hasattr(importlib.import_module(module), attribute)


def _is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


NO_NAMES = {
    "docs/api",
    "docs/api/index.html",
    "ranking.scores.orderBy",
    "SparkContext.setCheckpointDir",
}
"""What docstrings hold that is spelt like a place or a name of the code: parts of examples."""
FOLDERS = "frontier|ranking|crawler|docs|tests|benchmarks|tools|examples"


@pytest.mark.parametrize("source", SOURCES, ids=named)
def test_what_a_docstring_or_comment_names_of_the_code_exists(source: Path) -> None:
    text = "\n".join((*docstrings(source), *comments(source)))
    files = set(re.findall(rf"\b(?:{FOLDERS})/[\w./-]*\w\.\w+|\bdocs/[\w/-]*\w", text))
    missing = {name for name in files - NO_NAMES if not (ROOT / name).exists()}
    dotted = set(re.findall(r"\b(?:frontier|ranking|crawler)(?:\.\w+)+", text)) - NO_NAMES
    unknown = {name for name in dotted if not name.endswith(".md") and not _can_be_imported(name)}
    wrong = {name for name in re.findall(r"`([^`\n]+)`", text) if not _is_member(name)} - NO_NAMES
    assert (missing, unknown, wrong) == (set(), set(), set())


def comments(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as file:
        tokens = tokenize.generate_tokens(file.readline)
        return [token.string for token in tokens if token.type == tokenize.COMMENT]


def test_no_message_names_a_file_that_an_installed_package_lacks() -> None:
    titles = {page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") for page in PAGES}
    for source in SOURCES:
        messages = strings(source) - docstrings(source)
        assert [one for one in messages if re.search(r"docs/[\w-]+\.md", one)] == [], source
        for one in messages:
            for title in re.findall(r'"([^"]+)" in the\s+documentation', one):
                assert title in titles, source


def docstrings(path: Path) -> set[str]:
    """Texts that stand alone as a statement, of which a command's help is made, too."""
    return {
        node.value.value
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }


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


def test_the_pages_are_no_longer_than_people_read() -> None:
    words = {page.name: len(page.read_text(encoding="utf-8").split()) for page in PAGES}
    longest = sorted(words, key=lambda name: words[name], reverse=True)[:5]
    assert sum(words.values()) <= MOST_WORDS, (
        f"docs/*.md hold {sum(words.values()):,} words, {MOST_WORDS:,} are allowed. Cut what is "
        f"said twice, what no user does anything with, and figures that newer ones replace. The "
        f"longest pages are {', '.join(longest)}."
    )


def test_every_python_example_of_a_page_is_python() -> None:
    for page in ALL_PAGES:
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


def test_every_query_of_the_documentation_runs_on_a_crawl(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    crawl = sqlite3.connect(tmp_path / FILE_NAME)
    queries = blocks(ROOT / "docs" / "store.md", "sql")
    assert len(queries) == 3
    for query in queries:
        assert crawl.execute(query).fetchall() == []
    crawl.close()


def test_every_table_and_column_of_the_store_is_documented() -> None:
    text = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
    for table, columns in COLUMNS.items():
        assert f"**`{table}`**" in text
        for column in columns:
            assert f"`{column}`" in text, f"{table}.{column}"
