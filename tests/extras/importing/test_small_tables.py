"""Small indexes of microsoft/graphrag, made up: what is merged, missing, foreign or interrupted."""

import sys
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]  # it comes without types
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from graphrag_neo4j import AsyncGraphRAG, GraphRAG, InputError
from graphrag_neo4j.extras.importing import Counted
from graphrag_neo4j.extras.importing.tables import rows_of_parquet
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities.stage import CommunitiesDueRow
from graphrag_neo4j.index.status import Again, IndexResult
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import entity_id, pair_id
from tests.conftest import Make
from tests.support.graphrag_tables import (
    CAROL,
    SMALL,
    TEXT,
    Row,
    Write,
    brought,
    column,
    everything,
    interrupted,
    pairs_of,
    write_small,
)
from tests.support.wiping import wipe

pytestmark = pytest.mark.one_release


@pytest.fixture
def index(tmp_path: Path) -> Write:
    """Writes the small index into a folder of the test's, with other tables or without some."""
    return partial(write_small, tmp_path / "output")


async def test_rows_that_are_one_thing_are_merged_and_citations_follow(
    graph: Graph, alone: Settings, index: Write
) -> None:
    imported = await brought(alone, index())
    assert imported.tables["entities"] == Counted(5, 3, 1, 0, 1)
    assert imported.tables["relationships"] == Counted(4, 2, 1, 1, 1)
    assert imported.tables["communities"] == Counted(4, 2, 1, 1, 1)
    assert imported.tables["community_reports"] == Counted(4, 2, 1, 0, 1)
    assert imported.tables["covariates"] == Counted(0, 0, 0, 0, 0)
    assert imported.invented == 3
    entities = dict(await pairs_of(graph, "MATCH (e:Entity) RETURN e.name AS a, e.ref AS b"))
    assert entities.pop("ENGINE") > 4
    assert entities == {"ADA": 0, "CHARLES": 1, "LONDON": 3}
    pairs = await graph.run_plain(
        "MATCH ()-[r:RELATED]->() "
        "RETURN r.ref AS ref, r.weight AS weight, r.strength AS strength ORDER BY ref"
    )
    assert [tuple(row.values()) for row in pairs] == [(0, 3, 17 / 3), (2, 1, 8.0)]
    reports = await graph.run_plain(
        "MATCH (c:Community) "
        "OPTIONAL MATCH (c)-[:PARENT]->(p) "
        "RETURN c.ref AS ref, c.level AS level, c.summary AS summary, p.ref AS parent ORDER BY ref"
    )
    assert [tuple(row.values()) for row in reports] == [
        (0, 0, "Of Ada [Data: Entities (0); Reports (0)].", None),
        (2, 1, "Two [Data: Sources (1)].", 0),
        (4, 0, None, None),
    ]
    findings = await graph.run_plain(
        "MATCH (f:Finding) RETURN f.explanation AS x, f.relationships AS r"
    )
    ada = pair_id(entity_id("ADA"), entity_id("CHARLES"))
    assert findings == [{"x": "So [Data: Relationships (0)].", "r": [ada]}]


async def test_units_name_their_document_as_another_version_does(
    graph: Graph, alone: Settings, index: Write
) -> None:
    units = [
        {"id": row["id"], "human_readable_id": row["human_readable_id"],
         "text": f"\ufffd{row['text']}\ufffd", "document_id": "d"}
        for row in SMALL["text_units"]
    ]  # fmt: skip
    assert (await brought(alone, index(text_units=units))).rebuilt == 0
    places = "MATCH (c:Chunk)-[:PART_OF]->(:Document {source: 'ada.txt'}) RETURN c.start AS x"
    assert sorted(await column(graph, places)) == [0, 27]


OTHER = {"id": "d", "title": "ada.txt", "text": "Something else."}


@pytest.mark.parametrize("documents", [[OTHER], [{"id": "d", "title": "ada.txt"}], None])
async def test_a_document_without_the_text_of_its_units_has_their_text(
    graph: Graph, alone: Settings, index: Write, documents: list[Row] | None
) -> None:
    imported = await brought(alone, index(documents=documents))
    assert imported.rebuilt == 1
    assert imported.tables["text_units"].implied == (documents is None)
    chunks = await graph.run_plain("MATCH (c:Chunk) RETURN c {.*} AS c ORDER BY c.index")
    assert [row["c"]["text"] for row in chunks] == [row["text"] for row in SMALL["text_units"]]
    assert [row["c"]["start"] for row in chunks] == [0, 52]
    source = await column(graph, "MATCH (d:Document) RETURN d.source AS x")
    assert source == ["graphrag:d" if documents is None else "ada.txt"]


async def test_rows_that_look_alike_are_told_apart(
    graph: Graph, alone: Settings, index: Write
) -> None:
    """An id of a text unit is a hash of its text alone, and a number may come twice."""
    documents = [
        {"id": id_, "title": "ada", "text": TEXT, "metadata": {"year": year}}
        for id_, year in (("d", 1833), ("x", 1834))
    ]
    twice = [
        {"id": "u0", "human_readable_id": 0, "text": TEXT, "document_ids": [id_]}
        for id_ in ("d", "x")
    ]
    imported = await brought(alone, index(documents=documents, text_units=twice))
    assert imported.tables["text_units"] == Counted(2, 2, 0, 0, 0)
    rows = await pairs_of(
        graph, "MATCH (d:Document) RETURN d.source AS a, d.meta_year AS b ORDER BY a"
    )
    assert rows == [("ada#d", 1833), ("ada#x", 1834)]
    ada = "MATCH (:Entity {ref: 0})<-[:MENTIONS]-(c) RETURN c.ref AS x ORDER BY x"
    refs = await column(graph, ada)
    assert refs[0] == 0
    assert len(set(refs)) == 2


async def test_an_interrupted_import_is_finished_by_the_same_command(
    graph: Graph, alone: Settings, index: Write
) -> None:
    folder = index()
    undisturbed = await brought(alone, folder), await everything(graph)
    for stage in ("extraction", "refs", "reports"):
        await wipe(graph)
        await interrupted(alone, folder, stage)
        assert (await brought(alone, folder), await everything(graph)) == undisturbed


@pytest.mark.usefixtures("graph")
async def test_nothing_else_is_done_to_a_graph_before_its_import_is_complete(
    alone: Settings, index: Write, tmp_path: Path
) -> None:
    await interrupted(alone, index(), "merge")
    with pytest.raises(InputError, match="holds something that another import has begun"):
        await brought(alone)
    async with AsyncGraphRAG(alone) as rag:
        for other in (rag.index(tmp_path), rag.delete("ada.txt")):
            with pytest.raises(InputError, match="An import into this graph was interrupted"):
                await other


async def test_a_foreign_table_is_named_in_one_sentence(
    graph: Graph, alone: Settings, index: Write
) -> None:
    heavy = [{**SMALL["relationships"][0], "weight": "heavy"}]
    absent = "human_readable_id, title, description, text_unit_ids"
    tables: dict[str, dict[str, list[Row] | None]] = {
        r"output has no entities\.parquet: name the folder": {"entities": None},
        rf"has no column {absent}": {"entities": [{"id": "e0", "name": "ADA"}]},
        r"relationships\.parquet .* else than a number in its column weight": {
            "relationships": heavy
        },
    }
    for said, others in tables.items():
        with pytest.raises(InputError, match=said):
            await brought(alone, index(**others))
    assert await column(graph, "MATCH (n) RETURN n AS x") == []


def test_without_a_reader_of_parquet_it_says_what_to_install(
    alone: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with GraphRAG(alone) as rag, pytest.raises(InputError, match=r"pip install .*\[parquet\]"):
        rag.import_graphrag(CAROL)


def test_a_table_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "entities.parquet"
    text = pa.array(["x" * 1_000_000] * 5).dictionary_encode()
    pq.write_table(pa.table({"title": text}), path, compression="zstd")
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match="unpacks to more than 2 MB: set KG_MAX_FILE_MB"):
        rows_of_parquet(path, ["title"], [], 2)
    assert len(rows_of_parquet(path, ["title"], [], 6)) == 5


async def test_a_build_leaves_the_names_the_tree_and_the_reports_of_an_import_alone(
    graph: Graph, alone: Settings, settings: Make, tmp_path: Path
) -> None:
    heard: list[Event] = []
    async with AsyncGraphRAG(alone, heard.append) as rag:
        await rag.import_graphrag(write_small(tmp_path / "output"))
        [notice] = [event.text for event in heard if isinstance(event, Notice)]
        assert "kg-build resolve" in notice
        assert await rag.name_decisions() == []
    before = await reports(graph)
    for given in ({}, {"max_cluster_size": 2}):
        built = await built_on(settings(**given), tmp_path)
        assert built.complete
        assert await reports(graph) == before
    assert await column(graph, "MATCH (c:Community) WHERE c.stale RETURN c AS x") == []


async def test_communities_again_finds_communities_and_writes_reports_anew(
    graph: Graph, alone: Settings, settings: Make, tmp_path: Path
) -> None:
    """Also the report of a community that stays: London is one of its own."""
    communities = [
        {"community": 0, "level": 0, "parent": -1, "entity_ids": ["e0", "e1"]},
        {"community": 1, "level": 0, "parent": -1, "entity_ids": ["e3"]},
    ]
    told = [{"community": n, "title": f"Told {n}", "summary": "Told."} for n in (0, 1)]
    tables = write_small(tmp_path / "output", communities=communities, community_reports=told)
    await brought(alone, tables)
    assert (await built_on(settings(), tmp_path, again=["communities"])).complete
    assert (await graph.read("communities/due", CommunitiesDueRow))[0]["made_with"] != "import"
    titles = await pairs_of(graph, "MATCH (c:Community) RETURN c.ref AS a, c.title AS b")
    assert 1 in dict(titles)
    assert not {"Told 0", "Told 1"} & set(dict(titles).values())
    assert await reports(graph) == []


async def test_rows_with_texts_too_long_for_an_index_and_huge_weights_are_imported(
    graph: Graph, alone: Settings, index: Write
) -> None:
    long = "o" * 9000
    entity = {"id": "e5", "human_readable_id": 5, "description": "It is.", "text_unit_ids": ["u0"]}
    tie = {"human_readable_id": 4, "source": "ADA", "target": long, "description": "So.",
           "weight": 1.7e308, "text_unit_ids": ["u0"]}  # fmt: skip
    tables = index(
        documents=[{**SMALL["documents"][0], "title": long}],
        entities=[*SMALL["entities"], {**entity, "title": long, "type": long}],
        relationships=[*SMALL["relationships"], tie, {**tie, "human_readable_id": 5}],
    )
    imported = await brought(alone, tables)
    assert imported.tables["documents"].made == 1
    [source] = await column(graph, "MATCH (d:Document) RETURN d.source AS x")
    assert source.startswith("graphrag:")
    assert len(source) < 100
    assert await column(graph, "MATCH (e:Entity {ref: 5}) RETURN e.name AS x") == [long]
    async with AsyncGraphRAG(alone) as rag:
        assert await rag.delete(source)
    assert await column(graph, "MATCH (e:Entity) RETURN e.name AS x") == []


async def built_on(
    settings: Settings, folder: Path, *, again: Collection[Again] = ()
) -> IndexResult:
    """A build of the files in a folder that are not tables."""
    (folder / "input").mkdir(exist_ok=True)
    async with AsyncGraphRAG(settings) as rag:
        return await rag.index(folder / "input", again=again)


async def reports(graph: Graph) -> list[tuple[Any, Any]]:
    query = "MATCH (c:Community {origin: 'import'}) RETURN c.id AS a, c.report AS b ORDER BY a"
    return await pairs_of(graph, query)
