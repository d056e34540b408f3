"""`python -m ranking rank`: an edge list in, a table of scores out.

Everything that can be refused before the links are read is refused then. Memory is handed on:
the links as they were read are gone when the graph is ranked.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import NoReturn

from ranking.arrays import FloatArray
from ranking.errors import LinkRankError, OfflineInputError
from ranking.offline.edges import EdgeList, read_edges
from ranking.offline.extras import reading_bar
from ranking.offline.files import (
    PARQUET,
    STDIO,
    TEXT,
    check_input,
    check_output,
    input_format,
    output_format,
    silence,
)
from ranking.offline.layout import SEPARATORS
from ranking.offline.methods import DAMPING, METHODS, TOL, columns_of, not_converged, run_method
from ranking.offline.names import Names
from ranking.offline.scores import MAX_LEVELS, UNWRITABLE, ScoreTable, write_scores
from ranking.offline.values import read_values
from ranking.printing import say
from ranking.result import Ranking

DONE, REFUSED, NOT_CONVERGED = 0, 2, 3
INTERRUPTED = 130  # what a shell reports for a process that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        _check_options(options)
        return _rank(options)
    except LinkRankError as error:
        say(f"python -m ranking {options.command}: {error}".split("\n"), sys.stderr)
        return REFUSED
    except BrokenPipeError:
        # Whoever read the scores has seen enough.
        silence(sys.stdout)
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED


def _rank(options: argparse.Namespace) -> int:
    clock = _Clock(quiet=options.quiet)
    names, ranking = _ranked(options, clock)
    clock.say(f"{options.method}: {ranking.iterations} iterations, residual {ranking.residual:.2g}")
    table = ScoreTable(names, columns_of(ranking))
    write_scores(options.out, table, top=options.top, precedence=options.precedence)
    clock.say(f"{min(options.top or len(names), len(names)):,} scores written to {options.out}")
    if ranking.converged:
        return DONE
    _warn(not_converged(options.method, ranking, _tol(options)))
    return NOT_CONVERGED


def _ranked(options: argparse.Namespace, clock: _Clock) -> tuple[Names, Ranking]:
    edges = _read(options, clock)
    names = edges.names
    vector = _vector(options, names, edges.separator)
    needs = METHODS[options.method].needs
    graph = edges.graph()
    del edges
    clock.say(f"{graph.n_links:,} links left without self-loops and repeated ones")
    ranking = run_method(
        *(graph, options.method),
        restart=vector if needs == "restart" else None,
        relevance=vector if needs == "relevance" else None,
        damping=DAMPING if options.damping is None else options.damping,
        tol=_tol(options),
    )
    return names, ranking


def _vector(options: argparse.Namespace, names: Names, separator: str) -> FloatArray | None:
    """Values of the names, where the method needs any; names are not looked up any more."""
    if output_format(options.out) == TEXT and any(map(names.holds, "\t\n\r")):
        raise OfflineInputError(f"a name {UNWRITABLE}")
    vector = None
    if METHODS[options.method].needs is not None:
        path = options.restart or options.seeds or options.relevance
        vector = _values(path, names, separator)
    names.drop_index()
    return vector


def _tol(options: argparse.Namespace) -> float:
    return TOL if options.tol is None else float(options.tol)


class _Clock:
    """Says on standard error what is done and how long it took, unless quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self._before = time.monotonic()

    def say(self, done: str) -> None:
        now = time.monotonic()
        if not self.quiet:
            say([f"{done} ({now - self._before:.1f} s)"], sys.stderr)
        self._before = now


def _read(options: argparse.Namespace, clock: _Clock) -> EdgeList:
    unit = " rows" if input_format(options.edges) == PARQUET else "B"
    with nullcontext() if options.quiet else reading_bar("reading", unit) as progress:
        edges = read_edges(
            options.edges,
            separator=SEPARATORS.get(options.separator),
            weighted=not options.unweighted,
            named=options.names,
            progress=progress,
        )
    weighted = "" if edges.weights is None else "weighted "
    read = f"{edges.n_links:,} {weighted}links between {edges.n:,} names read"
    clock.say("; ".join([*edges.notes, read]))
    return edges


def _values(path: str, names: Names, separator: str) -> FloatArray:
    found = read_values(path, names, separator)
    if found.unknown:
        shown = ", ".join(found.examples) + (", ..." if found.unknown > len(found.examples) else "")
        _warn(f"{path}: names that are not in the graph, left out: {found.unknown:,} ({shown})")
    return found.values


def _warn(message: str) -> None:
    say([f"warning: {message}"], sys.stderr)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


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
    parser = _Parser(prog="python -m ranking", description="Link analysis without a crawl.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, dest="command")
    methods = "".join(f"  {name:<12}{method.summary}\n" for name, method in METHODS.items())
    rank = commands.add_parser(
        "rank",
        help="rank the nodes of an edge list",
        description=f"Rank the nodes of an edge list.\n\nmethods:\n{methods}",
        epilog="Exit status: 0 the scores are written; 2 an option or a file cannot be used;\n"
        "3 the scores are written, but the method did not reach its tolerance.\n"
        'See "Offline ranking: links in, scores out" in the documentation.',
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
        "well), or a Parquet file or a directory of such; - is standard input",
    )
    rank.add_argument("--method", required=True, choices=METHODS, metavar="METHOD")
    rank.add_argument(
        "--restart", metavar="FILE", help="ppr: name<TAB>value a line, where the surfer jumps"
    )
    rank.add_argument("--seeds", metavar="FILE", help="trustrank: a trusted name a line")
    rank.add_argument("--relevance", metavar="FILE", help="topic-hits: name<TAB>value a line")
    rank.add_argument(
        "--damping",
        type=_number(float, "from 0 to below 1", lambda d: 0 <= d < 1),
        help=f"probability to follow a link, from 0 to below 1 (default: {DAMPING})",
    )
    rank.add_argument(
        "--tol",
        type=_number(float, "a number above 0 such as 1e-6", lambda tol: 0 < tol < math.inf),
        help=f"L1 error of the scores (default: {TOL:g}); not for salsa",
    )


def _add_input(rank: argparse.ArgumentParser) -> None:
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
        help=".parquet, .tsv or .tsv with .gz, .bz2, .xz or .zst; DIR/ is a directory of Parquet "
        "files, - is standard output (TSV)",
    )
    rank.add_argument(
        "--top",
        type=_number(int, "1 or more", lambda n: n >= 1),
        metavar="N",
        help="only the N best",
    )
    rank.add_argument(
        "--precedence",
        type=_number(int, f"from 1 to {MAX_LEVELS}", lambda k: 1 <= k <= MAX_LEVELS),
        metavar="K",
        help="add integer levels: 1 for the best K-th, K for the worst",
    )
    rank.add_argument("--quiet", action="store_true", help="print warnings and errors only")


def _check_options(options: argparse.Namespace) -> None:
    """Raise OfflineInputError for what can be seen to fail before the links are read."""
    _check_vectors(options)
    inputs = [options.edges, options.restart, options.seeds, options.relevance]
    if inputs.count(STDIO) > 1:
        raise OfflineInputError("standard input (-) can be only one of the files")
    for path in filter(None, inputs):
        check_input(path)
    check_output(options.out)


def _check_vectors(options: argparse.Namespace) -> None:
    method = METHODS[options.method]
    takes = {"trustrank": ("seeds", "restart")}.get(options.method, (method.needs,))
    ignored = [name for name in ("restart", "seeds", "relevance") if name not in takes]
    ignored += [] if method.damped else ["damping"]
    ignored += ["tol"] if method.exact else []
    for name in ignored:
        if getattr(options, name) is not None:
            raise OfflineInputError(f"--method {options.method} takes no --{name}; leave it out")
    given = sorted(name for name in takes if name and getattr(options, name) is not None)
    if method.needs and not given:
        raise OfflineInputError(f"--method {options.method} needs --{takes[0]} FILE")
    if len(given) > 1:
        raise OfflineInputError(f"give either --{given[0]} or --{given[1]}, not both")
