"""`python -m ranking rank`: an edge list in, a table of scores out.

Everything that can be refused before the links are read is refused then. Memory is handed on:
the links as they were read are gone when the graph is ranked.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext

from ranking.arrays import FloatArray
from ranking.errors import LinkRankError
from ranking.graph.link_graph import LinkGraph
from ranking.offline.edges import EdgeList, read_edges
from ranking.offline.errors import OfflineInputError
from ranking.offline.files import PARQUET, input_format
from ranking.offline.layout import SEPARATORS
from ranking.offline.methods import DAMPING, METHODS, TOL, columns_of, not_converged, run_method
from ranking.offline.names import Names
from ranking.offline.options import check_options, make_parser, vector_file
from ranking.offline.output import TSV, output_format, silence
from ranking.offline.progress import reading_bar
from ranking.offline.scores import write_scores
from ranking.offline.table import ScoreTable
from ranking.offline.values import read_values
from ranking.printing import say
from ranking.result import Ranking

DONE, REFUSED, NOT_CONVERGED = 0, 2, 3
INTERRUPTED = 130  # what a shell reports for a process that Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options = make_parser().parse_args(arguments)
    try:
        check_options(options)
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
    edges = _read(options, clock)
    names = edges.names
    _check_names(names, options.out)
    vector, start = _vector(options, edges), _start(options, edges)
    names.drop_index()
    graph = _graph(edges, clock)
    del edges
    tol = TOL if options.tol is None else options.tol
    ranking = _ranked(options, graph, vector, start, tol)
    del graph
    clock.say(f"{options.method}: {ranking.iterations} iterations, residual {ranking.residual:.2g}")
    table = ScoreTable(names, columns_of(ranking))
    write_scores(options.out, table, top=options.top, precedence=options.precedence)
    clock.say(f"{min(options.top or len(names), len(names)):,} scores written to {options.out}")
    if ranking.converged:
        return DONE
    _warn(not_converged(options.method, ranking, tol))
    return NOT_CONVERGED


def _ranked(
    options: argparse.Namespace,
    graph: LinkGraph,
    vector: FloatArray | None,
    start: FloatArray | None,
    tol: float,
) -> Ranking:
    needs = METHODS[options.method].needs
    return run_method(
        graph,
        options.method,
        restart=vector if needs == "restart" else None,
        relevance=vector if needs == "relevance" else None,
        damping=DAMPING if options.damping is None else options.damping,
        tol=tol,
        start=start,
    )


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
    kind = options.format or input_format(options.edges)
    unit = " rows" if kind == PARQUET else "B"
    with nullcontext() if options.quiet else reading_bar("reading", unit) as progress:
        edges = read_edges(
            options.edges,
            kind=kind,
            separator=SEPARATORS.get(options.separator),
            weighted=not options.unweighted,
            named=options.names,
            progress=progress,
        )
    clock.say("".join(f"{note}; " for note in edges.notes) + _summary(edges))
    return edges


def _summary(edges: EdgeList) -> str:
    weighted = "" if edges.weights is None else "weighted "
    return f"{edges.n_links:,} {weighted}links between {edges.n:,} names read"


def _check_names(names: Names, out: str) -> None:
    """Refuse names that the output cannot hold before they are ranked."""
    if output_format(out) == TSV and any(names.holds(character) for character in "\t\n\r"):
        raise OfflineInputError(
            "a name holds a tab or a line end, which TSV cannot; write .parquet instead"
        )


def _vector(options: argparse.Namespace, edges: EdgeList) -> FloatArray | None:
    path = vector_file(options)
    return None if path is None else _values(path, edges, None)


def _start(options: argparse.Namespace, edges: EdgeList) -> FloatArray | None:
    if options.start is None:
        return None
    # HITS is started by its hubs.
    return _values(options.start, edges, "hub" if "hits" in options.method else "score")


def _values(path: str, edges: EdgeList, column: str | None) -> FloatArray:
    found = read_values(path, edges.names, edges.separator, column=column)
    if found.unknown:
        shown = ", ".join(found.examples) + (", ..." if found.unknown > len(found.examples) else "")
        _warn(f"{path}: names that are not in the graph, left out: {found.unknown:,} ({shown})")
    return found.values


def _graph(edges: EdgeList, clock: _Clock) -> LinkGraph:
    graph = edges.graph()
    clock.say(f"{graph.n_links:,} links left without self-loops and repeated ones")
    return graph


def _warn(message: str) -> None:
    say([f"warning: {message}"], sys.stderr)
