"""A real index of microsoft/graphrag becomes a graph of ours."""

from collections.abc import AsyncIterator

import pytest

from graphrag_neo4j import InputError
from graphrag_neo4j.extras.importing import Counted, ImportSummary
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.reports.inputs import ReportEdgeRow
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model.citations import cited
from graphrag_neo4j.query.answer import ResolvedRow
from graphrag_neo4j.query.graph_expansion import RelationshipRow
from graphrag_neo4j.query.lookup import read_entity
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import entity_id, pair_id
from graphrag_neo4j.web.map import read_map
from tests.support.graphrag_tables import brought, carol, everything, pairs_of
from tests.support.preset_backend import relationships
from tests.support.wiping import wipe


@pytest.fixture(scope="module")
async def imported(connected: Graph, alone: Settings) -> AsyncIterator[ImportSummary]:
    """The tables of the Carol are imported once, for the tests that only read."""
    await wipe(connected)
    yield await brought(alone)
    await wipe(connected)


@pytest.fixture
def book(connected: Graph, imported: ImportSummary) -> Graph:  # noqa: ARG001 - it is imported
    return connected


async def test_the_closing_table_tells_what_became_of_every_row(
    book: Graph, imported: ImportSummary
) -> None:
    assert imported.tables == {
        "documents": Counted(1, 1, 0, 0, 0),
        "text_units": Counted(42, 42, 0, 0, 0),
        "entities": Counted(529, 529, 0, 0, 0),
        "relationships": Counted(978, 935, 43, 32, 0),
        "covariates": Counted(406, 381, 0, 43, 25),
        "communities": Counted(122, 122, 0, 82, 0),
        "community_reports": Counted(122, 122, 0, 0, 0),
    }
    assert (imported.invented, imported.rebuilt, imported.replaced) == (9, 0, 0)
    status = await read_status(book)
    assert status.counts | {"mentions": 0} == {
        "documents": 1, "chunks": 42, "entities": 529 + 32 + 43, "relationships": 935,
        "claims": 381, "mentions": 0, "statements": 1101, "communities": 122 + 82,
    }  # fmt: skip
    work = {name: n for name, n in status.pending.items() if n and name != "embed"}
    assert work == {"reports": 82}
    assert status.unusable["claim without a subject or a description"] == 25


async def test_refs_are_the_numbers_of_the_rows(book: Graph) -> None:
    entities = dict(await pairs_of(book, "MATCH (e:Entity) RETURN e.ref AS a, e.id AS b"))
    for row in carol("entities"):
        assert entities[row["human_readable_id"]] == entity_id(row["title"])
    implied = entities.keys() - {row["human_readable_id"] for row in carol("entities")}
    assert min(implied) > 528
    pairs: dict[str, int] = {}
    for row in carol("relationships"):
        id_ = pair_id(entity_id(row["source"]), entity_id(row["target"]))
        pairs[id_] = min(pairs.get(id_, 10**9), row["human_readable_id"])
    assert pairs == dict(
        await pairs_of(book, "MATCH ()-[r:RELATED]->() RETURN r.id AS a, r.ref AS b")
    )
    claims = dict(await pairs_of(book, "MATCH (c:Claim) RETURN c.ref AS a, c.description AS b"))
    assert claims == {
        row["human_readable_id"]: row["description"]
        for row in carol("covariates")
        if row["description"]
    }
    communities = dict(await pairs_of(book, "MATCH (c:Community) RETURN c.ref AS a, c.size AS b"))
    for row in carol("communities"):
        assert communities[row["community"]] == row["size"]


async def test_chunks_are_the_text_units_where_they_stand(book: Graph) -> None:
    text = carol("documents")[0]["text"].removeprefix("\ufeff")
    chunks = await book.run_plain("MATCH (c:Chunk) RETURN c {.*} AS c ORDER BY c.index")
    for row, unit in zip((row["c"] for row in chunks), carol("text_units"), strict=True):
        assert text[row["start"] : row["end"]] == row["text"]
        _, _, body = unit["text"].partition("\n")  # before it stands the title
        assert row["text"] == body.removeprefix("\ufeff")
        assert row["ref"] == row["index"] == unit["human_readable_id"]
        assert 1000 < row["n_tokens"] <= 1300 or row["index"] == 41


async def test_a_citation_in_a_report_leads_to_what_it_names(book: Graph) -> None:
    titles = {row["human_readable_id"]: row["title"] for row in carol("entities")}
    seen = 0
    for row in await book.run_plain(
        "MATCH (f:Finding) RETURN f.explanation AS text, f.relationships AS pairs, "
        "[(f)-[:CITES]->(e:Entity) | e.name] AS names"
    ):
        refs = cited(row["text"])
        assert {titles[ref] for kind, ref in refs if kind == "Entities"} <= set(row["names"])
        assert len(row["pairs"] or ()) >= sum(kind == "Relationships" for kind, _ in refs)
        seen += len(refs)
    assert seen > 2500


async def test_every_entity_is_in_the_deepest_community_that_names_it(book: Graph) -> None:
    deepest: dict[str, int] = {}
    for row in sorted(carol("communities"), key=lambda row: row["level"]):
        deepest |= dict.fromkeys(row["entity_ids"], row["community"])
    numbers = {row["id"]: row["human_readable_id"] for row in carol("entities")}
    leaves = await book.run_plain(
        "MATCH (e:Entity)-[:IN_COMMUNITY]->(c:Community) "
        "RETURN e.ref AS entity, c.ref AS leaf, c.level AS level, c.origin AS origin, "
        "COUNT { (e)<-[:MENTIONS]-() } > 0 AS mentioned, COUNT { (e)-[:RELATED]-() } AS degree"
    )
    assert len(leaves) == 604
    of_tables = {row["entity"]: row["leaf"] for row in leaves if row["leaf"] < 122}
    assert of_tables == {numbers[id_]: community for id_, community in deepest.items()}
    apart = [row for row in leaves if row["leaf"] >= 122]
    assert all(row["level"] == 0 and row["origin"] is None for row in apart)
    parents = await pairs_of(
        book, "MATCH (c:Community)-[:PARENT]->(p:Community) RETURN c.ref AS a, p.ref AS b"
    )
    assert dict(parents) == {
        row["community"]: row["parent"] for row in carol("communities") if row["parent"] >= 0
    }


async def test_reports_answers_and_the_map_show_the_same_direction(book: Graph) -> None:
    directed = {(row["source"], row["target"]) for row in await relationships(book)}
    ids = [row["id"] for row in await book.run_plain("MATCH (c:Community) RETURN c.id AS id")]
    edges = await book.read("reports/edges", ReportEdgeRow, ids=ids)
    names = dict(await pairs_of(book, "MATCH (e:Entity) RETURN e.id AS a, e.name AS b"))
    assert {(row["source_name"], row["target_name"]) for row in edges} <= directed
    assert all(names[row["source"]] == row["source_name"] for row in edges)
    pairs = [
        id_ for id_, _ in await pairs_of(book, "MATCH ()-[r:RELATED]->() RETURN r.id AS a, 0 AS b")
    ]
    for row in await book.read("search/relationships", RelationshipRow, ids=pairs):
        assert (row["source"], row["target"]) in directed
    citations = [{"kind": "Relationships", "ref": row["ref"], "said": []} for row in edges]
    given = {"citations": citations, "places": 1, "documents": None}
    places = await book.read("search/resolve", ResolvedRow, **given)
    assert {row["title"] for row in places} <= {f"{one} – {other}" for one, other in directed}
    for name in sorted(names.values())[:40]:
        one = await read_entity(book, name)
        assert len(one.related) == one.degree
        for other, _, way in one.related:
            assert ((name, other) if way == "to" else (other, name)) in directed
    page = await read_map(book)
    named = {row[0]: row[1] for row in page.entities}
    assert {(named[row[1]], named[row[2]]) for row in page.relationships} == directed


async def test_only_an_empty_graph_takes_an_import(book: Graph, alone: Settings) -> None:
    before = await everything(book)
    with pytest.raises(InputError, match=r"needs an empty graph.*kg-build neo4j wipe"):
        await brought(alone)
    assert await everything(book) == before
