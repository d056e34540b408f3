"""GEXF 1.3, Gephi's own format: https://gexf.net/schema.html.

The order of the parts is the schema's: attributes of nodes, attributes of edges, nodes, edges. The
weight of an edge is an attribute of its own in GEXF and not repeated among the values.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from frontier.export.columns import WEIGHT, Column, Kind, Row
from frontier.export.xml import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frontier.export.crawled import CrawledGraph

_TYPES = {
    Kind.TEXT: "string",
    Kind.INTEGER: "long",
    Kind.REAL: "double",
    Kind.BOOLEAN: "boolean",
}
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" version="1.3">
<meta lastmodifieddate="{date}"><creator>scrapy-linkrank</creator>\
<description>The link graph of a crawl</description></meta>
<graph defaultedgetype="directed" idtype="integer" mode="static">
"""


def gexf_lines(graph: CrawledGraph) -> Iterator[str]:
    """Yield the document in pieces."""
    of_edges = graph.edge_columns[:WEIGHT] + graph.edge_columns[WEIGHT + 1 :]
    yield _HEAD.format(date=datetime.now(timezone.utc).strftime("%Y-%m-%d"))
    yield from _attributes("node", graph.node_columns)
    yield from _attributes("edge", of_edges)
    yield f'<nodes count="{graph.n_nodes}">\n'
    for number, *values in graph.nodes():
        yield f'<node id="{number}" label="{escaped(values[0])}">{_values(tuple(values))}</node>\n'
    yield f'</nodes>\n<edges count="{graph.n_edges}">\n'
    for number, (source, target, *values) in enumerate(graph.edges()):
        weight = values.pop(WEIGHT)
        yield (
            f'<edge id="{number}" source="{source}" target="{target}" weight="{weight}">'
            f"{_values(tuple(values))}</edge>\n"
        )
    yield "</edges>\n</graph>\n</gexf>\n"


def _attributes(owner: str, columns: tuple[Column, ...]) -> Iterator[str]:
    yield f'<attributes class="{owner}" mode="static">\n'
    for number, (name, kind) in enumerate(columns):
        yield f'<attribute id="{number}" title="{name}" type="{_TYPES[kind]}"/>\n'
    yield "</attributes>\n"


def _values(values: Row) -> str:
    found = "".join(
        f'<attvalue for="{number}" value="{escaped(value)}"/>'
        for number, value in enumerate(values)
        if value is not None
    )
    return f"<attvalues>{found}</attvalues>" if found else ""
