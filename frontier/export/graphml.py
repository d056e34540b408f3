"""GraphML: http://graphml.graphdrawing.org/specification.html.

Keys are named after the columns; `n.` and `e.` keep those of nodes and edges apart. Nodes carry
their URL once more as `label`, which is where programs look for what to show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.export.columns import Column, Kind, Row
from frontier.export.xml import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from frontier.export.crawled import CrawledGraph

_TYPES = {
    Kind.TEXT: "string",
    Kind.INTEGER: "long",
    Kind.REAL: "double",
    Kind.BOOLEAN: "boolean",
}
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns \
http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
_LABEL = Column("label", Kind.TEXT)


def graphml_lines(graph: CrawledGraph) -> Iterator[str]:
    """Yield the document in pieces."""
    yield _HEAD
    yield from _keys("node", "n", (_LABEL, *graph.node_columns))
    yield from _keys("edge", "e", graph.edge_columns)
    yield '<graph edgedefault="directed">\n'
    for number, *values in graph.nodes():
        data = _data("n", (_LABEL, *graph.node_columns), (values[0], *values))
        yield f'<node id="{number}">{data}</node>\n'
    for source, target, *values in graph.edges():
        data = _data("e", graph.edge_columns, tuple(values))
        yield f'<edge source="{source}" target="{target}">{data}</edge>\n'
    yield "</graph>\n</graphml>\n"


def _keys(owner: str, prefix: str, columns: Iterable[Column]) -> Iterator[str]:
    for name, kind in columns:
        yield (
            f'<key id="{prefix}.{name}" for="{owner}" attr.name="{name}" '
            f'attr.type="{_TYPES[kind]}"/>\n'
        )


def _data(prefix: str, columns: tuple[Column, ...], values: Row) -> str:
    return "".join(
        f'<data key="{prefix}.{name}">{escaped(value)}</data>'
        for (name, _), value in zip(columns, values, strict=True)
        if value is not None
    )
