"""Runs spiders plain and plugged in, against sites that are the same, and compares."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import pytest

from tests.strangers.stranger import Stranger
from tests.support.scrapy_forks import ROOT, Forks, shared_forks
from tests.support.sites import Site, serving

HERE = Path(__file__).resolve().parent
LONGEST = 40.0
"""Seconds that a crawl may take; Scrapy needs a few for any of them."""
LINE = ("-s", 'ADDONS={"frontier.plugin.LinkRankAddon": 500}')

Seen = dict[str, Counter[str]]
Judge = Callable[[type[Stranger]], None]


def spiders_of(module: str) -> list[type[Stranger]]:
    """The spiders of a test module, in their order; what others derive from is none."""
    loaded: ModuleType = sys.modules[module]
    return [
        one
        for one in vars(loaded).values()
        if isinstance(one, type) and issubclass(one, Stranger) and one.__module__ == module
        if not one.__subclasses__()
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "spider" in metafunc.fixturenames:
        spiders = spiders_of(metafunc.module.__name__)
        metafunc.parametrize("spider", spiders, ids=[one.name for one in spiders])


@pytest.fixture(scope="module")
def forks(request: pytest.FixtureRequest) -> Forks:
    """What starts Scrapy processes that know the spiders of this module."""
    return shared_forks().with_environment(
        PYTHONPATH=f"{HERE}:{ROOT}",
        SCRAPY_SETTINGS_MODULE="tests.strangers.stranger_settings",
        STRANGERS=request.module.__name__,
    )


@pytest.fixture
def judge(forks: Forks, tmp_path: Path) -> Judge:
    """Run a spider without and with the one line, and hold both crawls against each other."""

    def judged(spider: type[Stranger]) -> None:
        with ExitStack() as stack:
            webs = [serving(spider.web, keeps_alive=spider.keep_alive) for _ in range(2)]
            served = [stack.enter_context(one) for one in webs]
            plain, ours = both(forks, spider, served, tmp_path)
        assert plain.get("items") or plain.get("errors"), (
            "a spider that says nothing proves nothing"
        )
        changed = differing(plain, ours)
        assert changed == spider.intended, f"{spider.__doc__} {told(changed)}"

    return judged


def both(forks: Forks, spider: type[Stranger], served: list[Site], folder: Path) -> list[Seen]:
    """Crawl plain and plugged in at once, each on its site."""
    runs = []
    for name, site, line in zip(("plain", "ours"), served, ((), LINE), strict=True):
        (folder / name).mkdir()
        record = folder / name / "record.json"
        arguments = ["crawl", spider.name, "-a", f"site={site.url}", "-s", f"RECORD={record}"]
        output = folder / name / "log.txt"
        forked = forks.start([*arguments, *line], output, HOME_OF_CRAWL=str(folder / name))
        limit = threading.Timer(LONGEST, forked.send, [signal.SIGKILL])
        limit.start()
        runs.append((forked, limit, site, record, output))
    seen = []
    for forked, limit, site, record, output in runs:
        status = forked.wait()
        limit.cancel()
        seen.append(noted(record, site, status, output))
    return seen


def noted(record: Path, site: Site, status: int, output: Path) -> Seen:
    """What a crawl left behind, and what its site was asked for."""
    text = record.read_text() if record.exists() else "{}"
    seen = {name: Counter(values) for name, values in json.loads(text).items()}
    seen["requests"] = site.requests
    seen["exit"] = Counter([f"status {status}"])
    print(f"--- {output}\n{output.read_text(errors='replace')[-3000:]}")  # shown where it differs
    return seen


def told(changed: dict[str, dict[str, int]]) -> str:
    """What differs, in a few lines."""
    lines = [""]
    for what, by in changed.items():
        less, more = (sum(n for n in by.values() if n * sign > 0) for sign in (-1, 1))
        some = ", ".join(f"{one[:120]} {number:+}" for one, number in list(by.items())[:4])
        lines.append(f"{what}: {less:+} {more:+}: {some}{', ...' if len(by) > 4 else ''}")
    return "\n".join(lines)


def differing(plain: Seen, ours: Seen) -> dict[str, dict[str, int]]:
    """What there is more or less of with the add-on than without, by kind."""
    found = {}
    for what in sorted(plain.keys() | ours.keys()):
        before, after = plain.get(what, Counter()), ours.get(what, Counter())
        delta = {one: after[one] - before[one] for one in before | after}
        if changed := {one: number for one, number in delta.items() if number}:
            found[what] = changed
    return found
