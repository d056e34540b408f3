"""GraphML and GEXF, Gephi's own format: the same rows as XML, by the rules of either schema.

GraphML (http://graphml.graphdrawing.org/specification.html) names keys after the columns; `n.` and
`e.` keep those of nodes and edges apart. Nodes carry their URL once more as `label`, which is where
programs look for what to show. GEXF 1.3 (https://gexf.net/schema.html) numbers them, and has an
attribute of its own for the weight of an edge, which is not repeated among the values.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from frontier.export.columns import WEIGHT, Column, Kind, Value, cleaned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from frontier.export.crawled import CrawledGraph

_GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns \
http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
_GEXF = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" version="1.3">
<meta lastmodifieddate="{date}"><creator>scrapy-linkrank</creator>\
<description>The link graph of a crawl</description></meta>
<graph defaultedgetype="directed" idtype="integer" mode="static">
"""
_LABEL = Column("label", Kind.TEXT)
# White space other than a space is normalised by parsers unless it is written as a reference; the
# rest XML can hold, but a terminal that the document is written to would obey it.
_REFERENCES = (
    *map(ord, "\t\n\r"),
    *(*range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)),
)
_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;"} | {
    number: f"&#{number};" for number in _REFERENCES
}


def graphml_lines(graph: CrawledGraph) -> Iterator[str]:
    """Yield the document in pieces."""
    of_nodes = (_LABEL, *graph.node_columns)
    yield _GRAPHML
    for owner, columns in (("node", of_nodes), ("edge", graph.edge_columns)):
        for name, kind in columns:
            named = f'id="{owner[0]}.{name}" for="{owner}" attr.name="{name}"'
            yield f'<key {named} attr.type="{kind.value}"/>\n'
    yield '<graph edgedefault="directed">\n'
    for number, *values in graph.nodes():
        yield f'<node id="{number}">{_data("n", of_nodes, (values[0], *values))}</node>\n'
    for source, target, *values in graph.edges():
        data = _data("e", graph.edge_columns, values)
        yield f'<edge source="{source}" target="{target}">{data}</edge>\n'
    yield "</graph>\n</graphml>\n"


def _data(prefix: str, columns: tuple[Column, ...], values: Iterable[Value]) -> str:
    return "".join(
        f'<data key="{prefix}.{name}">{escaped(value)}</data>'
        for (name, _), value in zip(columns, values, strict=True)
        if value is not None
    )


def gexf_lines(graph: CrawledGraph) -> Iterator[str]:
    """Yield the document in pieces, in the order of the schema."""
    of_edges = graph.edge_columns[:WEIGHT] + graph.edge_columns[WEIGHT + 1 :]
    yield _GEXF.format(date=datetime.now(timezone.utc).strftime("%Y-%m-%d"))
    for owner, columns in (("node", graph.node_columns), ("edge", of_edges)):
        yield f'<attributes class="{owner}" mode="static">\n'
        for place, (name, kind) in enumerate(columns):
            yield f'<attribute id="{place}" title="{name}" type="{kind.value}"/>\n'
        yield "</attributes>\n"
    yield f'<nodes count="{graph.n_nodes}">\n'
    for number, *values in graph.nodes():
        yield f'<node id="{number}" label="{escaped(values[0])}">{_values(values)}</node>\n'
    yield f'</nodes>\n<edges count="{graph.n_edges}">\n'
    for row, (source, target, *values) in enumerate(graph.edges()):
        ends = f'source="{source}" target="{target}" weight="{values.pop(WEIGHT)}"'
        yield f'<edge id="{row}" {ends}>{_values(values)}</edge>\n'
    yield "</edges>\n</graph>\n</gexf>\n"


def _values(values: Iterable[Value]) -> str:
    found = "".join(
        f'<attvalue for="{number}" value="{escaped(value)}"/>'
        for number, value in enumerate(values)
        if value is not None
    )
    return f"<attvalues>{found}</attvalues>" if found else ""


def escaped(value: Value) -> str:
    """Return a value as it stands in an attribute in double quotes, or between two tags."""
    if isinstance(value, str):
        return cleaned(value).translate(_ESCAPES)
    return str(value).lower() if isinstance(value, bool) else repr(value)
