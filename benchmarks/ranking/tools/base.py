"""What a tool is asked, and how it answers.

A tool builds its own graph from the arrays of links, then ranks. How far it may stop from the
truth differs from tool to tool, so each names its settings from loose to tight; the loosest one
whose true error is small enough counts, which favours the peers: ours always runs with the
tolerance it promises to keep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.ranking.problems import Array, Problem


class CannotError(Exception):
    """The tool cannot do this; says why."""


class Tool:
    """A library, or a few lines on top of one."""

    refuses: ClassVar[Mapping[str, str]] = {}
    """Task -> why the tool cannot do it."""
    most_links: ClassVar[int | None] = None
    """Beyond so many links the graph does not fit in the memory allowed."""
    warm: ClassVar[bool] = False
    """Whether it can start from earlier scores."""
    builds_late: ClassVar[bool] = False
    """Whether the first `rank` of a graph builds what later ones reuse."""

    def settings(self, problem: Problem) -> Sequence[Any]:
        """Stopping rules from loose to tight; JSON values."""
        raise NotImplementedError

    def prepare(self, problem: Problem) -> None:
        """Whatever is there before the clock starts."""

    def build(self, problem: Problem) -> Any:
        """Make the tool's graph of the links."""
        raise NotImplementedError

    def rank(self, graph: Any, problem: Problem, setting: Any) -> Array:
        """Scores (n,): of a surfer, or the authorities; any scale."""
        raise NotImplementedError


def tolerances(loosest: float, steps: int = 12) -> list[float]:
    """Settings a factor of about 3 apart: 1e-5, 3e-6, 1e-6 ..."""
    return [loosest * 10 ** -(i // 2) * (0.3 if i % 2 else 1) for i in range(steps)]
