"""Exports as XML: well-formed whatever a page said, and GEXF as the schema of version 1.3 wants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from frontier.export import export_crawl
from frontier.export.columns import EDGE_COLUMNS, NODE_COLUMNS, Row, cleaned
from frontier.export.documents import escaped, gexf_lines, graphml_lines
from tests.support.exported import odd_crawl

GEXF = "{http://gexf.net/1.3}"


@given(st.text(alphabet=st.characters()))
def test_any_text_survives_a_parser_but_for_what_xml_cannot_say(text: str) -> None:
    document = f'<x y="{escaped(text)}">{escaped(text)}</x>'
    for parsed in (ElementTree.fromstring(document), etree.fromstring(document.encode())):
        assert parsed.get("y") == cleaned(text)
        assert (parsed.text or "") == cleaned(text)


def test_what_xml_cannot_say_is_replaced_one_by_one() -> None:
    assert cleaned("a\x00\x1f\ud800b\uffff\x7f\x85\t\n\U0010ffff") == (
        "a\ufffd\ufffd\ufffdb\ufffd\x7f\x85\t\n\U0010ffff"
    )


class OneOddNode:
    """Stands for a crawl: one node of which every text is odd, and a link."""

    node_columns, edge_columns, n_nodes, n_edges = NODE_COLUMNS, EDGE_COLUMNS, 1, 1

    def __init__(self, text: str) -> None:
        self.text = text

    def nodes(self) -> Iterator[Row]:
        text = self.text
        yield (0, text, text, text, 0, True, None, text, text, None, None, None, 3, text, 7)

    def edges(self) -> Iterator[Row]:
        yield (0, 1, self.text, 0.5, 1e-300, False)


@given(st.text(alphabet=st.characters(), min_size=1))
def test_documents_are_well_formed_whatever_the_texts_say(text: str) -> None:
    for lines in (graphml_lines, gexf_lines):
        document = "".join(lines(OneOddNode(text))).encode()  # type: ignore[arg-type]  # stands for
        root = etree.fromstring(document)
        texts = [one for element in root.iter() for one in (*element.attrib.values(), element.text)]
        assert texts.count(cleaned(text)) >= 5


def one_of(*values: str) -> str:
    return "|".join(values)


WHOLE, REAL = r"\d+", r"-?\d+(\.\d+)?(e[+-]?\d+)?"
ANY = r"(?s).*"
TYPE = one_of(
    *("integer", "long", "double", "float", "boolean", "bigdecimal", "biginteger", "byte"),
    *("char", "short", "string", "anyURI", "list(string|boolean|integer|long|float|double)"),
)
RULES: dict[str, tuple[str, dict[str, str], set[str]]] = {
    # element: its children in order, attributes and their values, those that are required
    "gexf": ("meta? graph", {"version": "1.3"}, {"version"}),
    "meta": ("creator? description?", {"lastmodifieddate": r"\d{4}-\d\d-\d\d"}, set()),
    "creator": ("", {}, set()),
    "description": ("", {}, set()),
    "graph": (
        "attributes* nodes edges",
        {"defaultedgetype": "directed", "idtype": "integer|string", "mode": "static"},
        set(),
    ),
    "attributes": ("attribute*", {"class": "node|edge", "mode": "static"}, {"class"}),
    "attribute": ("", {"id": ANY, "title": ANY, "type": TYPE}, {"id", "title", "type"}),
    "nodes": ("node*", {"count": WHOLE}, set()),
    "node": ("attvalues?", {"id": WHOLE, "label": ANY}, {"id"}),
    "edges": ("edge*", {"count": WHOLE}, set()),
    "edge": (
        "attvalues?",
        {"id": WHOLE, "source": WHOLE, "target": WHOLE, "weight": REAL, "label": ANY},
        {"source", "target"},
    ),
    "attvalues": ("attvalue*", {}, set()),
    "attvalue": ("", {"for": ANY, "value": ANY}, {"for", "value"}),
}
"""The schema as far as a static graph goes (https://gexf.net/schema.html), read by hand."""
VALUES = {"long": WHOLE, "double": REAL, "boolean": "true|false", "string": ANY}


@pytest.fixture
def gexf(tmp_path: Path) -> ElementTree.Element:
    odd_crawl(tmp_path / "job", strategy="relevance-ppr").close()
    (path,) = export_crawl(tmp_path / "job", "gexf", tmp_path / "x.gexf").files
    return ElementTree.parse(path).getroot()


def test_gexf_obeys_the_schema(gexf: ElementTree.Element) -> None:
    assert gexf.tag == f"{GEXF}gexf"
    for element in gexf.iter():
        name = element.tag.removeprefix(GEXF)
        order, attributes, required = RULES[name]
        assert required <= set(element.attrib) <= set(attributes), name
        for key in element.attrib:
            assert re.fullmatch(attributes[key], element.attrib[key]), (name, key)
        children = "".join(f"{child.tag.removeprefix(GEXF)} " for child in element)
        pattern = re.sub(r"(\w+)([?*]?) ?", r"(\1 )\2", order)
        assert re.fullmatch(pattern, children), name


def test_gexf_means_what_it_says(gexf: ElementTree.Element) -> None:
    meta, graph = gexf
    date.fromisoformat(meta.attrib["lastmodifieddate"])
    of_nodes, of_edges, nodes, edges = graph
    assert (of_nodes.attrib["class"], of_edges.attrib["class"]) == ("node", "edge")
    assert int(nodes.attrib["count"]) == len(nodes) == 10
    assert int(edges.attrib["count"]) == len(edges) == 12
    for declared, found in ((of_nodes, nodes), (of_edges, edges)):
        types = {one.attrib["id"]: VALUES[one.attrib["type"]] for one in declared}
        assert len(types) == len(declared)
        ids = [one.attrib["id"] for one in found]
        assert len(set(ids)) == len(ids)
        for value in found.iter(f"{GEXF}attvalue"):
            assert re.fullmatch(types[value.attrib["for"]], value.attrib["value"])
    known = {node.attrib["id"] for node in nodes}
    assert all({edge.attrib["source"], edge.attrib["target"]} <= known for edge in edges)
    assert [a.attrib["title"] for a in of_edges] == ["anchor", "promise", "redirect"]
