"""`python -m ranking rank`: an edge list in, a table of scores out.

Memory is passed on: the links as they were read are gone when the graph is ranked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from ranking.arrays import FloatArray
from ranking.errors import LinkRankError, OfflineInputError
from ranking.offline.edges import read_edges
from ranking.offline.extras import pyarrow
from ranking.offline.files import STDIO, check_input, check_output, silence
from ranking.offline.methods import DAMPING, METHODS, TOL, columns_of, run_method
from ranking.offline.scores import read_values, write_scores
from ranking.offline.tables import SEPARATORS
from ranking.printing import say
from ranking.result import Ranking

DONE, REFUSED, NOT_CONVERGED = 0, 2, 3
INTERRUPTED = 130  # what a shell reports for a process that Ctrl-C ended
SHOWN = 5  # unknown names that are shown
VECTORS = {"restart": "seeds", "relevance": "relevance"}
"""What a method needs -> the option with the file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return _rank(options)
    except LinkRankError as error:
        say(f"python -m ranking {options.command}: {error}".split("\n"), sys.stderr)
        return REFUSED
    except BrokenPipeError:
        # The reader of the scores has stopped, as `head` does.
        silence(sys.stdout)
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED


def _rank(options: argparse.Namespace) -> int:
    file = _file_of_values(options)
    for path in filter(None, (options.edges, file)):
        check_input(path)
    pyarrow("reading links")
    check_output(options.out)
    names, ranking = _ranked(options, file)
    done = f"{options.method}: {ranking.iterations} iterations, residual {ranking.residual:.2g}"
    write_scores(options.out, names, columns_of(ranking), top=options.top)
    written = min(options.top or len(names), len(names))
    _report(options, f"{done}; {written:,} scores written to {options.out}")
    if ranking.converged:
        return DONE
    _warn(
        f"{options.method} did not reach the tolerance {options.tol:g} in {ranking.iterations} "
        f"iterations (L1 residual {ranking.residual:.2g}); the scores are the best so far"
    )
    return NOT_CONVERGED


def _file_of_values(options: argparse.Namespace) -> str | None:
    """The file of the option that the method needs; refuses options that it does not take."""
    method = METHODS[options.method]
    needed = VECTORS.get(method.needs or "")
    if needed and getattr(options, needed) is None:
        raise OfflineInputError(f"--method {options.method} needs --{needed} FILE")
    taken = {needed, "damping" if method.damped else None}
    for name in (*VECTORS.values(), "damping"):
        if name not in taken and getattr(options, name) is not None:
            raise OfflineInputError(f"--method {options.method} takes no --{name}; leave it out")
    file: str | None = options.seeds or options.relevance
    if file == options.edges == STDIO:
        raise OfflineInputError("standard input (-) can be only one of the files")
    return file


def _ranked(options: argparse.Namespace, file: str | None) -> tuple[Any, Ranking]:
    separator, weighted = SEPARATORS.get(options.separator), not options.unweighted
    edges = read_edges(options.edges, separator=separator, weighted=weighted)
    names, kind = edges.names, "" if edges.weights is None else "weighted "
    read = f"{edges.n_links:,} {kind}links between {edges.n:,} names read"
    _report(options, "; ".join([*edges.notes, read]))
    vector = None if file is None else _values(file, names)
    graph = edges.graph()
    del edges
    _report(options, f"{graph.n_links:,} links left without self-loops and repeated ones")
    damping = DAMPING if options.damping is None else options.damping
    return names, run_method(graph, options.method, vector, damping=damping, tol=options.tol)


def _values(path: str, names: Any) -> FloatArray:
    values, unknown = read_values(path, names)
    if unknown:
        shown = ", ".join(unknown[:SHOWN]) + (", ..." if len(unknown) > SHOWN else "")
        _warn(f"{path}: names that are not in the graph, left out: {len(unknown):,} ({shown})")
    return values


def _report(options: argparse.Namespace, done: str) -> None:
    if not options.quiet:
        say([done], sys.stderr)


def _warn(message: str) -> None:
    say([f"warning: {message}"], sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ranking", description="Link analysis without a crawl."
    )
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
    add = rank.add_argument
    edges = (
        "source, target and perhaps a weight a line (.gz, .bz2 and .xz are read as well), or a "
        "Parquet file or a directory of such; - is standard input"
    )
    add("edges", metavar="EDGES", help=edges)
    add(
        "--method", required=True, choices=METHODS, metavar="METHOD", help="a method of those above"
    )
    seeds = "ppr: where the surfer jumps; a name a line, or name<TAB>value"
    add("--seeds", metavar="FILE", help=seeds)
    add("--relevance", metavar="FILE", help="topic-hits: name<TAB>value a line")
    follow = f"probability to follow a link, from 0 to below 1 (default: {DAMPING})"
    add("--damping", type=float, metavar="D", help=follow)
    error = f"L1 error of the scores (default: {TOL:g})"
    add("--tol", type=float, default=TOL, metavar="T", help=error)
    add("--separator", choices=SEPARATORS, help="of the columns, if it is misread")
    add("--unweighted", action="store_true", help="ignore the column of weights")
    out = ".parquet, .tsv or .tsv with .gz, .bz2 or .xz; - is standard output (TSV)"
    add("--out", required=True, metavar="FILE", help=out)
    add("--top", type=int, metavar="N", help="only the N best")
    add("--quiet", action="store_true", help="print warnings and errors only")
    return parser
