"""Run in the environment of `spark_environment`: command lines, in one Spark session.

Standard input has them by name, as JSON; standard output gets each one's exit status and what it
said on standard error. (A session takes longer to begin than a small graph to rank.)
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr

from pyspark.sql import SparkSession

from ranking.spark.command import main


def answered(arguments: list[str]) -> tuple[int, str]:
    with redirect_stderr(io.StringIO()) as said:
        status = main(arguments)
    return status, said.getvalue()


if __name__ == "__main__":
    session = SparkSession.builder.getOrCreate()
    answers = {name: answered(line) for name, line in json.load(sys.stdin).items()}
    assert session.range(1).count() == 1, "a session that was there before goes on"
    json.dump(answers, sys.stdout)
