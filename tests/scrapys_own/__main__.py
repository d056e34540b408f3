"""Scrapy's own tests with the add-on in every project, beside plain Scrapy: `make scrapys-tests`.

The tests come with Scrapy's source distribution, which pip fetches for the version that is
installed; what they need beside this environment goes into a folder that is thrown away. They run
twice in the same environment. A test that does not end the same way twice is a difference, and
differences.toml says why each is meant: one that it does not name fails the step, and so does an
entry that no longer differs.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from packaging.specifiers import SpecifierSet

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LONGEST = 240
"""Seconds for each of the two runs; half of that is plenty on two cores that do nothing else."""
LONGEST_TEST = 30
AT_ONCE = 4
"""Tests at once, more than there are cores: most wait most of the time."""
PARTS = (
    *("addons", "closespider", "core_downloader", "core_scraper", "crawl", "crawler"),
    *("crawler_runners", "crawler_subprocess", "downloader_handlers"),
    *("downloader_handler_twisted_http11", "downloadermiddleware*", "downloaderslotssettings"),
    *("engine*", "extension_throttle", "http2_client_protocol", "pipeline_crawl"),
    *("pipeline_media", "request_attribute_binding", "request_cb_kwargs", "request_left"),
    *("scheduler*", "signals", "spider_crawl", "spider_sitemap", "spider_start"),
    *("spidermiddleware*", "spiderstate", "stats"),
)
"""The modules of what the add-on stands in for or wraps, and of what goes through it."""
NOT_HERE = "not requires_internet and not requires_mitmproxy"


class Difference(NamedTuple):
    """An entry of differences.toml."""

    tests: str
    reason: str

    def names(self, test: str) -> bool:
        return fnmatchcase(test, self.tests.replace("[", "[[]"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.scrapys_own", description=__doc__)
    parser.add_argument("parts", nargs="*", default=PARTS, help="modules, such as engine; all")
    parts = parser.parse_args().parts
    installed = version("scrapy")
    with tempfile.TemporaryDirectory(prefix="scrapys-own-") as folder:
        source = fetched(Path(folder), installed)
        runs = Runs(source, Path(folder) / "packages")
        modules = [
            str(one) for part in parts for one in sorted(source.glob(f"tests/test_{part}.py"))
        ]
        plain = runs.outcomes(modules, plugged_in=False, at_once=AT_ONCE)
        ours = runs.outcomes(modules, plugged_in=True, at_once=AT_ONCE)
        # On a loaded machine a test of either run may fail once; what differs differs twice.
        again = [
            one for one in sorted(plain.keys() | ours.keys()) if plain.get(one) != ours.get(one)
        ]
        plain |= runs.outcomes(again, plugged_in=False)
        ours |= runs.outcomes(again, plugged_in=True)
    return compared(plain, ours, differences(installed), whole=parts is PARTS)


def fetched(folder: Path, number: str) -> Path:
    """Scrapy's tests without the package beside them, so that the installed one is tested."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wanted = ["--no-deps", "--no-binary", "scrapy", f"scrapy=={number}"]
    subprocess.run([*pip, "download", "--dest", str(folder), *wanted], check=True)
    more = ["--no-deps", "--target", str(folder / "packages"), "-r", str(HERE / "requirements.txt")]
    subprocess.run([*pip, "install", *more, "-c", str(ROOT / "constraints.txt")], check=True)
    archive = next(folder.glob("[sS]crapy-*.tar.gz"))
    with tarfile.open(archive) as packed:
        packed.extractall(folder, members=_without_package(packed), filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def _without_package(packed: tarfile.TarFile) -> Iterable[tarfile.TarInfo]:
    return [one for one in packed.getmembers() if one.name.split("/")[1:2] != ["scrapy"]]


class Runs(NamedTuple):
    """Where Scrapy's tests are, and the packages they need."""

    source: Path
    packages: Path

    def outcomes(
        self, tests: Sequence[str], *, plugged_in: bool, at_once: int = 1
    ) -> dict[str, str]:
        """How each test ended: passed, failed or skipped."""
        if not tests:
            return {}
        path = [str(HERE / "switch")] if plugged_in else []
        path += [str(self.source), str(self.packages), str(ROOT)]
        report = self.source / "report.xml"
        report.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", f"--junitxml={report}"]
        command += [
            f"--numprocesses={at_once}",
            f"--session-timeout={LONGEST}",
            f"--timeout={LONGEST_TEST}",
            "-m",
            NOT_HERE,
        ]
        command += ["-p", "crawling_crawlers"] if plugged_in else []
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
        with subprocess.Popen(
            [*command, *tests],
            cwd=self.source,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                process.wait(LONGEST + 2 * LONGEST_TEST)
            except subprocess.TimeoutExpired:
                print(f"Scrapy's tests did not end in {LONGEST} s and were stopped")
            finally:
                # Tests that were stopped may leave servers and crawls of theirs behind.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        return outcomes_in(report)


def outcomes_in(report: Path) -> dict[str, str]:
    """How each test of a JUnit report ended, by its id for pytest; nothing without a report."""
    found: dict[str, str] = {}
    if not report.exists():
        return found
    for case in ElementTree.parse(report).iter("testcase"):
        _, module, *classes = case.get("classname", "").split(".")
        name = "::".join([f"tests/{module}.py", *classes, case.get("name", "")])
        tags = {child.tag for child in case}
        bad = bool(tags & {"failure", "error"})
        found[name] = "failed" if bad else "skipped" if "skipped" in tags else "passed"
    return found


def differences(installed: str) -> list[Difference]:
    """The entries of differences.toml that are about this version of Scrapy."""
    entries = tomllib.loads((HERE / "differences.toml").read_text())["difference"]
    return [
        Difference(test, one["reason"])
        for one in entries
        if installed in SpecifierSet(one.get("versions", ""))
        for test in one["tests"]
    ]


def differing(plain: dict[str, str], ours: dict[str, str]) -> list[str]:
    return sorted(one for one in plain.keys() | ours.keys() if plain.get(one) != ours.get(one))


def compared(
    plain: dict[str, str], ours: dict[str, str], meant: Sequence[Difference], *, whole: bool
) -> int:
    """Say what differs and is not meant, and what is meant and does not differ; the exit code."""
    run = plain.keys() | ours.keys()
    different = differing(plain, ours)
    explained = [one for one in different if any(entry.names(one) for entry in meant)]
    wrong = [
        f"{one}: {plain.get(one, 'not run')}, with the add-on {ours.get(one, 'not run')}"
        for one in different
        if one not in explained
    ]
    if whole:
        wrong += [
            f"{entry.tests}: no longer differs"
            for entry in meant
            if not any(entry.names(one) for one in different)
        ]
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    print(
        f"Scrapy {version('scrapy')}: {len(run)} tests, {len(run) - len(different)} the same, "
        f"{len(different)} differing, {len(explained)} explained"
    )
    return 1 if wrong or not run else 0


if __name__ == "__main__":
    sys.exit(main())
