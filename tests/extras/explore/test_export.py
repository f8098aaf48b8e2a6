"""Exports of a graph: as GraphML, and as CSV for the import of Neo4j."""

import csv
import os
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from graphrag_neo4j import InputError
from graphrag_neo4j.extras.explore import export
from graphrag_neo4j.extras.explore.export import GRAPHML
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import UNIQUE_NODES
from tests.conftest import Run
from tests.support.carol import indexed_carol
from tests.support.servers import TestServer

posix_only = pytest.mark.skipif(os.name != "posix", reason="links, devices and locks of POSIX")
# An export that is killed when its folder has a file.
KILLED = """
import os, signal, sys
from pathlib import Path
from graphrag_neo4j.extras.explore.export import _whole_folder
with _whole_folder(Path(sys.argv[1])) as folder:
    (folder / "Entity.csv").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""
NAMES = [
    'the "Ghost", of\r\nChristmas',
    "<b>R&D</b> ]]> &amp;",
    "=HYPERLINK(1)",
    "Ωμέγα 世界 שלום 🎄",
    "a\x00b\x1b\ufffec",
    " ",
]
TWO = """UNWIND range(0, size($names) - 1) AS i
CREATE (a:Entity:KgBuild {id: 'x' + i, ref: -i, name: $names[i], aliases: [$names[i], 'z']})
CREATE (a)-[:RELATED {id: 'r' + i, ref: -i, weight: 1.5, reversed: i = 0, description: $names[i],
                      predicate: 'is'}]->(a)"""


@pytest.fixture(scope="module")
async def book(checked_server: TestServer) -> AsyncIterator[Graph]:
    """The graph of a few pages, with entities that have odd names."""
    async with indexed_carol(checked_server) as indexed:
        await indexed.graph.run_plain(TWO, names=NAMES)
        yield indexed.graph


async def counts(graph: Graph, statement: str) -> dict[str, int]:
    rows = await graph.run_plain(statement)
    return {row["name"]: row["n"] for row in rows}


def data(element: ET.Element) -> dict[str, str]:
    return {one.attrib["key"].partition("_")[2]: one.text or "" for one in element}


async def test_graphml_holds_each_entity_and_relationship(book: Graph, tmp_path: Path) -> None:
    await export(book, tmp_path / "graph.graphml")
    root = ET.parse(tmp_path / "graph.graphml").getroot()  # noqa: S314 - our own
    nodes, edges = (root.findall(f".//{{{GRAPHML}}}{kind}") for kind in ("node", "edge"))
    [row] = await book.run_plain(
        "RETURN COUNT { (:Entity) } AS nodes, COUNT { ()-[:RELATED]->() } AS edges"
    )
    assert (len(nodes), len(edges)) == (row["nodes"], row["edges"])
    keys = {key.attrib["id"] for key in root.findall(f"{{{GRAPHML}}}key")}
    assert keys >= {one.attrib["key"] for node in (*nodes, *edges) for one in node}
    by_id = {node.attrib["id"]: data(node) for node in nodes}
    assert {end for edge in edges for end in (edge.attrib["source"], edge.attrib["target"])} <= (
        by_id.keys()
    )
    shown = [by_id[f"x{i}"]["name"] for i in range(len(NAMES))]
    assert shown == [*NAMES[:4], "abc", " "]
    titles = await counts(book, "MATCH (c:Community {level: 0}) RETURN c.title AS name, 1 AS n")
    assert {held["community"] for held in by_id.values() if "community" in held} == titles.keys()
    assert any(held.get("community_1") for held in by_id.values())
    said = "MATCH ()-[r:RELATED]->() RETURN coalesce(r.predicate, '') AS name, count(*) AS n"
    assert {data(edge).get("predicate", "") for edge in edges} == (await counts(book, said)).keys()
    assert all(float(data(edge)["weight"]) > 0 for edge in edges)


async def test_graphml_has_the_direction_of_most_statements(book: Graph, tmp_path: Path) -> None:
    await export(book, tmp_path / "graph.graphml")
    root = ET.parse(tmp_path / "graph.graphml").getroot()  # noqa: S314 - our own
    edges = {one.attrib["id"]: one.attrib for one in root.iter(f"{{{GRAPHML}}}edge")}
    rows = await book.run_plain(
        "MATCH (a)-[r:RELATED]->(b) WHERE r.reversed AND a <> b "
        "RETURN r.id AS id, b.id AS source, a.id AS target"
    )
    assert rows
    assert [edges[row["id"]] for row in rows] == rows


def read_csv(file: Iterator[str]) -> tuple[list[str], list[list[str]]]:
    head, *rows = csv.reader(file)
    return head, rows


async def test_csv_holds_all_nodes_and_relationships(book: Graph, tmp_path: Path) -> None:
    await export(book, tmp_path / "tables")
    tables = {}
    for path in (tmp_path / "tables").iterdir():
        with path.open(encoding="utf-8", newline="") as file:
            tables[path.stem] = read_csv(file)
    own = [*UNIQUE_NODES]
    nodes = f"MATCH (n:KgBuild) UNWIND labels(n) AS name WITH name WHERE name IN {own} "
    expected = await counts(book, f"{nodes} RETURN name, count(*) AS n")
    kinds = await counts(book, "MATCH ()-[r]->() RETURN type(r) AS name, count(*) AS n")
    assert {name: len(rows) for name, (_, rows) in tables.items()} == expected | kinds
    ids = [row[0] for name in expected for row in tables[name][1]]
    assert len(set(ids)) == len(ids)
    ends = {end for name in kinds for row in tables[name][1] for end in row[:2]}
    assert ends <= set(ids)
    assert tables["RELATED"][0][:3] == [":START_ID", ":END_ID", ":TYPE"]
    head, rows = tables["Entity"]
    assert head[:2] == [":ID", ":LABEL"]
    assert {"name:string", "degree:long", "aliases:string[]"} <= set(head)
    assert not [name for name in head if "embedding:" in name]
    named = {row[0]: row for row in rows}
    for i, name in enumerate(NAMES):
        row = named[f"Entity:x{i}"]
        assert row[1] == "Entity;KgBuild"
        assert row[head.index("name:string")] == name
        assert row[head.index("aliases:string[]")] == f"{name.replace(';', ',')};z"


async def test_an_archive_holds_the_same_tables(book: Graph, tmp_path: Path) -> None:
    await export(book, tmp_path / "tables")
    await export(book, tmp_path / "tables.zip")
    with zipfile.ZipFile(tmp_path / "tables.zip") as packed:
        sizes = {one.filename: one.file_size for one in packed.infolist()}
    files = {path.name: path.stat().st_size for path in (tmp_path / "tables").iterdir()}
    assert sizes == files
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tables", "tables.zip"]


@pytest.mark.parametrize("name", ["graph.graphml", "tables.zip", "tables"])
async def test_an_export_that_fails_leaves_nothing(
    name: str, book: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> AsyncIterator[object]:
        if name:
            raise OSError("No space left on device")
        yield {}

    monkeypatch.setattr(book, "stream", broken)
    with pytest.raises(InputError, match="No space left on device"):
        await export(book, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@posix_only
@pytest.mark.parametrize("name", ["graph.graphml", "graph.zip"])
async def test_an_export_is_written_through_a_link(name: str, book: Graph, tmp_path: Path) -> None:
    for target in (tmp_path / "target", Path("/dev/null")):
        link = tmp_path / name
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        await export(book, link)
        assert link.readlink() == target
    assert (tmp_path / "target").stat().st_size
    link.unlink()
    link.symlink_to("/dev/full")
    with pytest.raises(InputError, match=r"can't be written .*No space left on device"):
        await export(book, link)
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "target"]


@posix_only
@pytest.mark.parametrize("name", ["tables.zip", "tables"])
async def test_the_next_export_removes_what_a_killed_one_has_left(
    name: str, book: Graph, tmp_path: Path
) -> None:
    path = tmp_path / name
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)  # noqa: ASYNC221, S603
    [left] = tmp_path.iterdir()
    await export(book, path)
    assert not left.exists()
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.usefixtures("graph", "environment")
def test_an_existing_file_is_not_replaced_unless_one_says_so(kg: Run, tmp_path: Path) -> None:
    for name in ("thesis.graphml", "thesis.zip"):
        (tmp_path / name).write_text("years of work")
        ran = kg("export", tmp_path / name)
        assert (ran.code, "add --yes to replace it" in ran.err) == (1, True), ran.err
        assert "has no entities yet" in kg("export", tmp_path / name, "--yes").err
        assert (tmp_path / name).read_text() == "years of work"


@pytest.mark.usefixtures("graph", "environment")
def test_an_empty_graph_and_an_unknown_kind_are_refused(kg: Run, tmp_path: Path) -> None:
    for name, says in (
        ("graph.graphml", "has no entities yet. Run `kg-build index"),
        ("graph.xlsx", "must end in .graphml or .zip"),
        (".", "exists already"),
        ("missing/graph.graphml", "does not exist"),
    ):
        ran = kg("export", tmp_path / name)
        assert (ran.code, says in ran.err) == (1, True), ran.err
    assert list(tmp_path.iterdir()) == []
