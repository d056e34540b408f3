"""The options of `python -m ranking rank`, and which of them go together."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import NoReturn

from ranking.offline.errors import OfflineInputError
from ranking.offline.files import PARQUET, TEXT, input_format
from ranking.offline.layout import SEPARATORS
from ranking.offline.methods import DAMPING, METHODS, TOL
from ranking.offline.output import check_output
from ranking.offline.precedence import MAX_LEVELS
from ranking.offline.streams import STDIO

EPILOG = """\
Exit status: 0 the scores are written; 2 an option or a file cannot be used; 3 the scores are
written, but the method did not reach its tolerance. See docs/offline-ranking.md.
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(prog="python -m ranking", description="Link analysis without a crawl.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, dest="command")
    methods = "".join(f"  {name:<12}{method.summary}\n" for name, method in METHODS.items())
    rank = commands.add_parser(
        "rank",
        help="rank the nodes of an edge list",
        description=f"Rank the nodes of an edge list.\n\nmethods:\n{methods}",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_main(rank)
    _add_input(rank)
    _add_output(rank)
    return parser


def _add_main(rank: argparse.ArgumentParser) -> None:
    rank.add_argument(
        "edges",
        metavar="EDGES",
        help="source, target and perhaps a weight a line (.gz, .bz2, .xz and .zst are read as "
        "well), or a Parquet file; - is standard input",
    )
    rank.add_argument("--method", required=True, choices=METHODS, metavar="METHOD")
    rank.add_argument(
        "--restart", metavar="FILE", help="ppr: name<TAB>value a line, where the surfer jumps"
    )
    rank.add_argument("--seeds", metavar="FILE", help="trustrank: a trusted name a line")
    rank.add_argument("--relevance", metavar="FILE", help="topic-hits: name<TAB>value a line")
    rank.add_argument(
        "--start", metavar="FILE", help="scores of an earlier run to start from: fewer iterations"
    )
    rank.add_argument(
        "--damping",
        type=float,
        help=f"probability to follow a link, from 0 to below 1 (default: {DAMPING})",
    )
    rank.add_argument(
        "--tol", type=float, help=f"L1 error of the scores (default: {TOL:g}); not for salsa"
    )


def _add_input(rank: argparse.ArgumentParser) -> None:
    rank.add_argument("--format", choices=[TEXT, PARQUET], help="of EDGES, if its suffix is wrong")
    rank.add_argument("--separator", choices=SEPARATORS, help="of the columns, if it is misread")
    rank.add_argument("--unweighted", action="store_true", help="ignore the column of weights")
    rank.add_argument(
        "--names", action="store_true", help="take integer ids for names, as they are written"
    )


def _add_output(rank: argparse.ArgumentParser) -> None:
    rank.add_argument(
        "--out",
        required=True,
        metavar="FILE",
        help=".parquet, .tsv or .tsv with .gz, .bz2, .xz or .zst; - is standard output (TSV)",
    )
    rank.add_argument("--top", type=int, metavar="N", help="only the N best")
    rank.add_argument(
        "--precedence",
        type=int,
        metavar="K",
        help="add integer levels: 1 for the best K-th, K for the worst",
    )
    rank.add_argument("--quiet", action="store_true", help="print warnings and errors only")


def check_options(options: argparse.Namespace) -> None:
    """Raise OfflineInputError for what can be seen to fail before the links are read."""
    _check_numbers(options)
    _check_vectors(options)
    inputs = [options.edges, options.restart, options.seeds, options.relevance, options.start]
    if inputs.count(STDIO) > 1:
        raise OfflineInputError("standard input (-) can be only one of the files")
    for path in filter(None, inputs[1:]):
        _check_readable(path)
    if options.format is None:
        input_format(options.edges)
    _check_readable(options.edges)
    check_output(options.out)


def vector_file(options: argparse.Namespace) -> str | None:
    """The file of the vector that the method needs."""
    path: str | None = options.restart or options.seeds or options.relevance
    return path


def _check_numbers(options: argparse.Namespace) -> None:
    damping = options.damping
    if damping is not None and not 0 <= damping < 1:
        raise OfflineInputError(f"--damping must be from 0 to below 1, got {damping}")
    tol = options.tol
    if tol is not None and not 0 < tol < math.inf:
        raise OfflineInputError(f"--tol must be a number above 0 such as 1e-6, got {tol}")
    for name in ("top", "precedence"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise OfflineInputError(f"--{name} must be 1 or more, got {value}")
    if options.precedence is not None and options.precedence > MAX_LEVELS:
        raise OfflineInputError(
            f"--precedence must be at most {MAX_LEVELS}, got {options.precedence}"
        )


def _check_vectors(options: argparse.Namespace) -> None:
    method = METHODS[options.method]
    takes = {"trustrank": ("seeds", "restart")}.get(options.method, (method.needs,))
    given = [name for name in ("restart", "seeds", "relevance") if getattr(options, name)]
    for name in given:
        if name not in takes:
            raise OfflineInputError(f"--method {options.method} takes no --{name}; leave it out")
    if method.needs and not given:
        raise OfflineInputError(f"--method {options.method} needs --{takes[0]} FILE")
    if len(given) > 1:
        raise OfflineInputError(f"give either --{given[0]} or --{given[1]}, not both")
    if options.damping is not None and not method.damped:
        raise OfflineInputError(f"--method {options.method} takes no --damping; leave it out")
    for name in ("tol", "start"):
        if method.exact and getattr(options, name) is not None:
            raise OfflineInputError(f"--method {options.method} takes no --{name}; leave it out")


def _check_readable(path: str) -> None:
    if path == STDIO:
        if sys.stdin is None or sys.stdin.isatty():
            raise OfflineInputError("standard input (-) is a terminal; give a file or a pipe")
        return
    file = Path(path)
    try:
        if file.is_dir():
            raise IsADirectoryError(0, "it is a directory")
        if file.is_fifo() or file.is_char_device():
            return  # to open it would take from it
        with file.open("rb"):
            pass
    except OSError as error:
        raise OfflineInputError(f"cannot read {path}: {error.strerror}") from error
