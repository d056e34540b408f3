"""Run in the environment of `spark_environment`: rankings of tables, in one Spark session.

Standard input has them by name, as JSON: a function of `ranking.spark`, Parquet files of its
tables, and its other arguments. Standard output gets of each its iterations and whether it
converged, or the error's class and message; the scores become JSON files of that name. (A session
takes longer to begin than a small graph to rank.)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from ranking import spark as rankings
from ranking.errors import RankingInputError


def answered(name: str, function: str, tables: list[str | None], options: dict) -> list:
    read = [table and session.read.parquet(table) for table in tables]
    if options.pop("checkpoints", None):
        session.sparkContext.setCheckpointDir("checkpoints")
    try:
        ranking = getattr(rankings, function)(*read, **options)
    except RankingInputError as error:
        return [type(error).__name__, str(error)]
    rows = [row.asDict() for row in ranking.scores.collect()]
    Path(f"{name}.json").write_text(json.dumps(rows))
    return [ranking.iterations, ranking.converged]


if __name__ == "__main__":
    session = SparkSession.builder.getOrCreate()
    answers = {name: answered(name, *case) for name, case in json.load(sys.stdin).items()}
    json.dump(answers, sys.stdout)
