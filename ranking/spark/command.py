"""`python -m ranking.spark rank`, with the words and exit statuses of `python -m ranking rank`.

Imports nothing that has to be installed, so that help and mistakes need no Spark.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

from ranking.errors import LinkRankError, MissingExtraError, OfflineInputError
from ranking.printing import say
from ranking.spark.stopping import DAMPING, MAX_ITERATIONS, TOL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DONE, REFUSED, NOT_CONVERGED = 0, 2, 3
INTERRUPTED = 130

METHODS: dict[str, tuple[str, ...]] = {
    "pagerank": (),
    "ppr": ("restart",),
    "trustrank": ("seeds", "restart"),
    "hits": (),
    "topic-hits": ("relevance",),
}
"""Method -> options of which it needs one."""
DAMPED = ("pagerank", "ppr", "trustrank")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, in the session that is there or in one of its own.

    Returns the exit status.
    """
    options = _parser().parse_args(arguments)
    try:
        _check_vectors(options)
        with _session() as spark:
            return _rank(spark, options)
    except LinkRankError as error:
        say(f"python -m ranking.spark {options.command}: {error}".split("\n"), sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED


def _rank(spark: SparkSession, options: argparse.Namespace) -> int:
    from ranking.spark.job import rank

    ranking = rank(spark, options, _silent if options.quiet else _say, _warn)
    if ranking.converged:
        return DONE
    _warn(
        f"{options.method} did not reach the tolerance {options.tol:g} in {ranking.iterations} "
        f"iterations (L1 residual {ranking.residual:.2g}); the scores are the best so far"
    )
    return NOT_CONVERGED


@contextmanager
def _session() -> Iterator[SparkSession]:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtraError("pyspark", "ranking with Spark", "spark") from error
    before = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName("linkrank")
    # Of --work: what no later iteration needs.
    builder = builder.config("spark.cleaner.referenceTracking.cleanCheckpoints", "true")
    spark = before or builder.getOrCreate()
    try:
        yield spark
    finally:
        if before is None:
            spark.stop()


def _say(done: str) -> None:
    say([done], sys.stderr)


def _silent(done: str) -> None:
    pass


def _warn(message: str) -> None:
    _say(f"warning: {message}")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(REFUSED, f"{self.prog}: {message}; see {self.prog} --help\n")


def _number(
    kind: type[float], expected: str, fits: Callable[[float], bool]
) -> Callable[[str], float]:
    """What reads a number of an option; the parser says of which."""

    def read(text: str) -> float:
        with suppress(ValueError):
            if fits(kind(text)):
                return kind(text)
        raise argparse.ArgumentTypeError(f"must be {expected}, got {text}")

    return read


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m ranking.spark", description="Link analysis with Spark.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, dest="command")
    rank = commands.add_parser(
        "rank",
        help="rank the nodes of an edge list",
        description="Rank the nodes of an edge list. Paths are any that Spark reads.",
        epilog="Exit status: 0 the scores are written; 2 an option or a file cannot be used;\n"
        "3 the scores are written, but the method did not reach its tolerance.\n"
        'See "Offline ranking: links in, scores out" in the documentation.',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_files(rank)
    _add_numbers(rank)
    rank.add_argument("--quiet", action="store_true", help="print warnings and errors only")
    return parser


def _add_files(rank: argparse.ArgumentParser) -> None:
    rank.add_argument(
        "edges", metavar="EDGES", help="Parquet: columns source, target and perhaps weight"
    )
    rank.add_argument("--method", required=True, choices=METHODS)
    values = "Parquet, or .tsv with name<TAB>value a line"
    rank.add_argument("--restart", metavar="FILE", help=f"ppr: where the surfer jumps; {values}")
    rank.add_argument("--seeds", metavar="FILE", help="trustrank: trusted names; likewise")
    rank.add_argument("--relevance", metavar="FILE", help="topic-hits: likewise")
    rank.add_argument("--unweighted", action="store_true", help="ignore the column of weights")
    rank.add_argument(
        "--out", required=True, metavar="DIR", help="a directory of Parquet files, made anew"
    )
    rank.add_argument(
        "--work",
        metavar="DIR",
        help="where iterates lie, so that a lost executor costs a few iterations (default: on "
        "the executors; a lost one ends the run)",
    )


def _add_numbers(rank: argparse.ArgumentParser) -> None:
    rank.add_argument(
        "--damping",
        type=_number(float, "from 0 to below 1", lambda d: 0 <= d < 1),
        help=f"probability to follow a link, from 0 to below 1 (default: {DAMPING})",
    )
    rank.add_argument(
        "--tol",
        type=_number(float, "a number above 0 such as 1e-6", lambda tol: 0 < tol < math.inf),
        default=TOL,
        help=f"L1 error of the scores (default: {TOL:g})",
    )
    rank.add_argument(
        "--max-iterations",
        type=_number(int, "1 or more", lambda n: n >= 1),
        default=MAX_ITERATIONS,
        metavar="N",
        help=f"passes over the links before giving up (default: {MAX_ITERATIONS})",
    )


def _check_vectors(options: argparse.Namespace) -> None:
    """Raise OfflineInputError for files that a method lacks, or would ignore."""
    method, takes = options.method, METHODS[options.method]
    given = [one for one in ("restart", "seeds", "relevance") if getattr(options, one) is not None]
    ignored = [one for one in given if one not in takes]
    if options.damping is not None and method not in DAMPED:
        ignored.append("damping")
    if ignored:
        raise OfflineInputError(f"--method {method} takes no --{ignored[0]}; leave it out")
    if takes and not given:
        raise OfflineInputError(f"--method {method} needs --{takes[0]} FILE")
    if len(given) > 1:
        raise OfflineInputError(f"give either --{given[0]} or --{given[1]}, not both")
    if options.damping is None:
        options.damping = DAMPING
