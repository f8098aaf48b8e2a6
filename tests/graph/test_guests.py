"""Nodes and relationships of the user stay as they are, whatever names they share with ours."""

import re
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, LiteralString

import pytest

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.files import read_statement
from graphrag_neo4j.graph.connection import Graph, PlainRow
from graphrag_neo4j.graph.schema import ensure_schema
from graphrag_neo4j.index.status import Again
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings import Settings
from tests.conftest import Make, Run
from tests.graph.test_statements import CYPHER_25_SINCE, STATEMENTS
from tests.support.wiping import emptied

LABELS = (
    *("Document", "Chunk", "Entity", "Claim", "Community", "Finding", "Spelling"),
    *("Build", "Batch", "BatchRequest", "Counter", "State"),
)
TYPES = (
    *("PART_OF", "NEXT", "MENTIONS", "STATED", "RELATED", "FROM", "SUBJECT", "OBJECT"),
    *("IN_COMMUNITY", "PARENT", "HAS_FINDING", "CITES", "COMPARED"),
)
# Statements whose counts come from Neo4j's own counters, which do not know whose a node is, and
# queries that people run; and the doctor's indexes, which are rolled back.
UNMARKED = re.compile(r"browse/.*|status/counts|search/(state|number_of_documents)|doctor/.*_index")
# All that a statement of ours looks for, on one node; a second node of each label has no id.
EVERYTHING = """{
  id: 'v1', name: 'Scrooge', text: 'Scrooge', report: 'Scrooge', title: 'Scrooge', key: 'scrooge',
  first_word: 'scrooge', last_word: 'scrooge', initials: 's', source: 'note:1', type: 'person',
  stale: true, unresolved: true, uncompared: true, undescribed: true, unembedded: true,
  unlabelled: true, labels_due: true,
  behind: 1.0, origin: 'import', level: 0, size: 5, report_with: '0', description: 'Scrooge',
  description_with: '0', extraction: 'pending', extraction_with: '0', claims: 'pending',
  claims_with: '0', batch: 'b', content_hash: 'x', former_members: ['x'], entity: 'x',
  extraction_error: 'x', report_error: 'x', description_error: 'x', embedding_error: 'x'
}"""
FOREIGN = "\n".join(
    f"CREATE (a{i}:{label} {EVERYTHING}), (b{i}:{label} {{stale: true, ref: -1}})\n"
    + "\n".join(f"CREATE (a{i})-[:{kind} {{id: '{label}', stale: true}}]->(b{i})" for kind in TYPES)
    for i, label in enumerate(LABELS)
)
TIE = "{stale: true, undescribed: true, weight: 9, names: ['x'], types: ['x'], descriptions: ['x']}"
# Nodes that are tied to ours in both directions. Without texts: what searches find by words depends
# on all nodes of a label.
TIED = "\n".join(
    f"""CREATE (:{label} {{id: 'their {label}', level: 0, size: 9, stale: true, rating: 9.0,
      undescribed: true, unembedded: true, unresolved: true, degree: 99, index: 0, start: 0,
      origin: 'model', meta_part: 1, extraction: 'done', claims: 'done', behind: 1.0}})"""
    for label in LABELS
)
TIES = "MATCH (ours:KgBuild), (theirs) WHERE NOT theirs:KgBuild\n" + "\n".join(
    f"CREATE (ours)-[:{kind} {TIE}]->(theirs), (theirs)-[:{kind} {TIE}]->(ours)" for kind in TYPES
)
MARKS = """MATCH (x:KgBuild) WHERE x:Entity OR x:Community OR x:Chunk
SET x.stale = true, x.undescribed = true, x.unembedded = true, x.unresolved = true, x.behind = 0.5,
    x.uncompared = true
WITH count(*) AS n MATCH ()-[pair:RELATED]->() SET pair.stale = true, pair.undescribed = true"""
# Statements about a whole database, about another one, and those whose counts Neo4j keeps itself.
OF_ALL = re.compile(
    r"(browse|doctor|graph|vector_search)/.*|import/(labels|names|nodes|types|unique)|"
    r"label/foreign|status/(counts|reports)|search/(state|number_of_documents)|"
    r"selection/nearest_by_index"
)
WRITING = re.compile(r"\b(SET|MERGE|CREATE|DELETE|REMOVE|TERMINATE)\b")
NODE = re.compile(rf"\(\w*:(?:{'|'.join(LABELS)})\b[^()]*\)")
OWN = re.compile(r"KgBuild|\{\s*id: ")


async def ids_of(graph: Graph, pattern: LiteralString) -> list[str]:
    rows = await graph.run_plain(f"MATCH {pattern} RETURN x.id AS id ORDER BY id")
    return [row["id"] for row in rows]


async def asked(graph: Graph) -> Callable[[str, str], object]:
    """Gives for each parameter of a statement a value with which it finds much in this graph."""
    documents, chunks, entities, communities = [
        await ids_of(graph, f"(x:{label}:KgBuild)")
        for label in ("Document", "Chunk", "Entity", "Community")
    ]
    pairs = await ids_of(graph, "()-[x:RELATED]->()")
    sources = [f"note:{n}" for n in range(41, 47)]
    kinds = ("Entities", "Relationships", "Claims", "Reports", "Sources")
    citations = [
        {"kind": kind, "ref": ref, "said": [""], "text": ""} for kind in kinds for ref in range(60)
    ]
    [row] = await graph.run_plain("MATCH (c:Chunk:KgBuild) RETURN c.embedding AS v LIMIT 1")
    usual: dict[str, object] = {
        "ids": [*documents, *chunks, *entities, *communities, *pairs],
        "id": entities[0], "build": "none", "documents": documents, "chunks": chunks,
        "entities": entities, "pairs": pairs, "inside": communities, "sources": sources,
        "files": sources, "keys": ["bobcratchit", "london"], "blocks": ["form london"],
        "rows": [{"chunk": c, "entity": e, "spelling": e, "forms": [""]}
                 for c in chunks for e in entities],
        "citations": citations, "conditions": [], "vector": row["v"], "words": "Bob Cratchit",
        "date": r"\d+-.*", "number": r"\d+",
        "predicates": ["knows"],
        "quotations": [{"number": 1, "text": "Bob", "citations": citations}],
        "phrases": [{"id": 1, "number": 1, "words": "Bob Cratchit"}],
        "labels": [*LABELS], "types": [*TYPES], "others": ["place"],
        "after": "", "last": "~", "beyond": "~",
        "extractive": "", "extraction": "", "imported": "", "with_claims": True, "state": "done",
        "prefix": "", "level": 0, "ref": 1, "refs": [*range(60)], "void_after": 1000,
    }  # fmt: skip
    special: dict[tuple[str, str], object] = {
        ("extract/count_otherwise", "claims"): "",
        ("extract/pending_claims", "after"): -1, ("extract/pending_extraction", "after"): -1,
        ("search/all_chunks", "after"): -1, ("ingest/elsewhere", "places"): ["none"],
        ("lookup/names_like", "words"): [{"word": "bob", "fuzzy": "bob~"}],
        ("resolve/word_block", "words"): ["bob", "cratchit"], ("status/metadata", "documents"): 50,
        ("search/words_nowhere", "words"): ["bob", "nowhere"], ("sample/other", "sample"): "sample",
        ("search/of_type", "types"): ["person", "place", "concept"],
        ("search/computed", "types"): ["person", "place", "concept"],
        ("search/computed", "property"): "name", ("search/computed", "holder"): "entity",
        ("search/computed", "kind"): "text", ("search/properties", "question"): "bob cratchit",
        ("search/computed", "ids"): None, ("search/computed", "summed"): False,
        ("search/paths", "one"): 1, ("search/paths", "other"): 2,
        ("search/within_documents", "documents"): sources, ("selection/kinds", "key"): "meta_date",
    }  # fmt: skip
    return lambda name, parameter: special.get((name, parameter), usual.get(parameter, 50))


def in_order(value: object) -> object:
    """A value whose lists are in one order."""
    if isinstance(value, list):
        return sorted(map(in_order, value), key=repr)
    return {k: in_order(v) for k, v in value.items()} if isinstance(value, dict) else value


async def read_all(graph: Graph, of: Callable[[str, str], object]) -> dict[str, object]:
    """The rows of all statements that only read."""
    rows: dict[str, object] = {}
    for name in STATEMENTS:
        statement = read_statement(name)
        body = re.sub(r"//.*", "", statement)
        if not (OF_ALL.fullmatch(name) or WRITING.search(body)):
            given = {one: of(name, one) for one in re.findall(r"\$(\w+)", body)}
            plain: Any = statement
            rows[name] = in_order(await graph.run_plain(plain, **given))
    return rows


async def foreign(graph: Graph) -> list[PlainRow]:
    """All that is not ours."""
    nodes = await graph.run_plain(
        "MATCH (n) WHERE NOT n:KgBuild RETURN labels(n) AS labels, properties(n) AS held "
        "ORDER BY elementId(n)"
    )
    return nodes + await graph.run_plain(
        "MATCH (a)-[r]->(b) WHERE NOT a:KgBuild OR NOT b:KgBuild "
        "RETURN type(r) AS type, properties(r) AS held ORDER BY elementId(r)"
    )


def tale(number: int, more: str = "") -> Document:
    text = (
        f"Ebenezer Scrooge met Jacob Marley in London in 18{number}. Bob Cratchit was the clerk of "
        f"Ebenezer Scrooge.{more} Tiny Tim lived in Camden Town with Bob Cratchit."
    )
    return Document(text, source=f"note:{number}")


async def live(rag: AsyncGraphRAG, *, again: Collection[Again] = ()) -> None:
    """A life of a graph: built, changed, asked, decided about, made anew and emptied."""
    await rag.index([tale(41), tale(42), tale(43)], again=again)
    await rag.index([tale(41, " Fred was his nephew."), tale(44)], again="vectors")
    await rag.resolve(same=("Bob Cratchit", "Jacob Marley"))
    await rag.resolve(split="Ebenezer Scrooge", documents="note:41", label="young")
    await rag.index([tale(45)], again="communities")
    for decision in await rag.name_decisions():
        if decision.origin == "person":
            await rag.resolve(undo=decision.ref)
    await rag.resolve()
    assert (await rag.index([tale(46)], fresh=True)).complete
    assert (await rag.query("Who was the clerk?", method="local")).text
    assert (await rag.query("What is it about?", method="global")).text
    assert await rag.communities(level=0)
    await rag.delete("note:41", "note:42", "note:43", "note:44", "note:45")
    assert (await rag.index([tale(46)])).complete


@pytest.mark.slow
async def test_what_a_user_adds_stays_through_the_life_of_a_graph(
    graph: Graph, settings: Make, alone: Settings
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([tale(40)])
        await graph.run_plain(FOREIGN)
        await graph.run_plain(
            "MATCH (entity:Entity:KgBuild {name: 'London'}) "  # no decision is about it
            "CREATE (:Note {text: 'mine'})-[:ABOUT]->(entity)"
        )
        before = await foreign(graph)
        await live(rag)
        assert not [one for one in (await rag.status()).failures if one.what == "v1"]
    assert await foreign(graph) == before
    async with AsyncGraphRAG(settings()) as rag:
        await live(rag, again=["extraction"])
        await rag.delete("note:40", "note:46")
        assert (await rag.status()).counts["entities"] == 2  # the user's own
    ours = [row for row in before if row.get("type") != "ABOUT"]
    assert [row for row in await foreign(graph) if row.get("type") != "ABOUT"] == ours


@pytest.mark.slow
async def test_nodes_of_others_that_are_tied_to_ours_change_nothing_that_is_read(
    graph: Graph, alone: Settings
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([tale(41), tale(42), tale(43)])
        await rag.resolve(same=("Bob Cratchit", "Jacob Marley"))
        await graph.run_plain(MARKS)
        await graph.read("graph/await_refresh")  # the words of the names that were joined
        of = await asked(graph)
        before = await read_all(graph, of)
        await graph.run_plain(TIED)
        await graph.run_plain(TIES)
        after = await read_all(graph, of)
        assert [name for name, rows in before.items() if rows != after[name]] == []
        assert (await rag.index([tale(41), tale(44)])).complete
        await rag.delete("note:41", "note:42", "note:43", "note:44")
    assert await graph.run_plain("MATCH (x:Entity:KgBuild) RETURN x") == []


VECTOR = "OPTIONS {indexConfig: {`vector.dimensions`: 8, `vector.similarity_function`: 'cosine'}}"
UNIQUE = "CREATE CONSTRAINT theirs FOR (x:{}) REQUIRE x.{} IS UNIQUE"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (f"CREATE VECTOR INDEX theirs FOR (x:Chunk) ON (x.embedding) {VECTOR}", "kg_chunk_vector"),
        (
            "CREATE FULLTEXT INDEX theirs FOR (x:Chunk) ON EACH [x.text, x.legible, x.header]",
            "kg_chunk_text",
        ),
        ("CREATE INDEX theirs FOR (x:Document) ON (x.id)", "kg_document_id"),
        ("CREATE INDEX theirs FOR (x:Chunk) ON (x.text)", ""),
        ("CREATE TEXT INDEX theirs FOR (x:Entity) ON (x.description)", ""),
        (UNIQUE.format("Entity", "name"), ""),
        (UNIQUE.format("Document", "source"), "kg_document_source"),
    ],
)
async def test_an_index_of_others_in_our_way_is_named_before_anything_is_written(
    graph: Graph, alone: Settings, theirs: LiteralString, ours: LiteralString
) -> None:
    what = "constraint" if "CONSTRAINT" in theirs else "index"
    async with in_place_of_ours(graph, theirs, ours) as drop:
        async with AsyncGraphRAG(alone) as rag:
            with pytest.raises(GraphError, match=rf"The {what} theirs on .*`{drop}`"):
                await rag.index([tale(41)])
        assert await graph.run_plain("MATCH (x) RETURN x") == []
        assert not ours or await graph.run_plain(SHOWN, name=ours) == []


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (UNIQUE.format("Document", "id"), "kg_document_id"),
        (UNIQUE.format("Document", "fileName"), ""),
        ("CREATE INDEX theirs FOR (x:Document) ON (x.source)", "kg_document_source"),
        ("CREATE INDEX theirs FOR (x:Entity) ON (x.name)", ""),
    ],
)
async def test_an_index_of_others_that_serves_or_does_not_matter_stays(
    graph: Graph, alone: Settings, theirs: LiteralString, ours: LiteralString
) -> None:
    async with in_place_of_ours(graph, theirs, ours):
        async with AsyncGraphRAG(alone) as rag:
            assert (await rag.index([tale(41)])).complete
        assert len(await graph.run_plain(SHOWN, name="theirs")) == 1


SHOWN: LiteralString = "SHOW INDEXES YIELD name WHERE name = $name"


@asynccontextmanager
async def in_place_of_ours(
    graph: Graph, theirs: LiteralString, ours: LiteralString
) -> AsyncGenerator[str]:
    """Makes what others have made, without ours of a name; lends the statement that drops it."""
    drop: LiteralString = f"DROP {'CONSTRAINT' if 'CONSTRAINT' in theirs else 'INDEX'} theirs"
    if ours:
        await graph.run_plain(f"DROP CONSTRAINT {ours} IF EXISTS")
        await graph.run_plain(f"DROP INDEX {ours} IF EXISTS")
    await graph.run_plain(theirs)
    try:
        yield drop
    finally:
        await graph.run_plain(drop)
        await ensure_schema(graph)


@pytest.mark.slow
async def test_a_graph_is_the_same_in_a_database_whose_language_is_cypher_25(
    graph: Graph, settings: Make
) -> None:
    if graph.version < CYPHER_25_SINCE:
        pytest.skip("this server knows Cypher 5 only")
    name, graphs = graph.database or "neo4j", []
    # The server's own setting of the language is for new databases only.
    change: LiteralString = "ALTER DATABASE $name SET DEFAULT LANGUAGE CYPHER "
    try:
        for language in ("25", "5"):
            await graph.run_plain(change + language, name=name)
            rows = await graph.run_plain("SHOW DATABASE $name YIELD defaultLanguage", name=name)
            assert rows == [{"defaultLanguage": f"CYPHER {language}"}]
            async with AsyncGraphRAG(settings()) as rag:
                await live(rag)
                for method in ("basic", "drift", "text"):
                    assert (await rag.query("Who was the clerk?", method=method)).text
            graphs.append(await emptied(graph))
    finally:
        await graph.run_plain(change + "5", name=name)
    assert graphs[0] == graphs[1]


@pytest.mark.usefixtures("environment")
async def test_a_database_with_other_data_is_refused_untouched(
    graph: Graph, kg: Run, tmp_path: Path
) -> None:
    (tmp_path / "tale.txt").write_text("Scrooge met Marley.", encoding="utf-8")
    await graph.run_plain(FOREIGN)
    before = await foreign(graph)
    ran = kg("index", tmp_path / "tale.txt")
    assert (ran.code, "NEO4J_DATABASE" in ran.err) == (1, True)
    assert "documents" in kg("query", "Who?").err  # there are none, as no node is ours
    assert kg("status").code == 0
    assert await foreign(graph) == before
    assert await graph.run_plain("MATCH (n:KgBuild) RETURN n") == []


async def test_one_thing_under_one_of_our_names_is_enough(graph: Graph) -> None:
    for data in (*(f"(:{name})" for name in LABELS), *(f"()-[:{kind}]->()" for kind in TYPES)):
        await graph.run_plain(f"CREATE {data}")
        with pytest.raises(GraphError, match="other data"):
            await ensure_schema(graph)
        await graph.run_plain("MATCH (n) DETACH DELETE n")


def unmarked(statement: str) -> list[str]:
    """Patterns that find nodes neither by the hash of their content nor by our own label."""
    body = re.sub(r"//.*", "", statement)
    if "SEARCH" in body and "node:KgBuild" in body:  # this clause comes before any condition
        return []
    return [node for node in NODE.findall(body) if not OWN.search(node)]


@pytest.mark.parametrize("name", [name for name in STATEMENTS if not UNMARKED.fullmatch(name)])
def test_a_statement_finds_nodes_by_a_hash_or_by_our_own_label(name: str) -> None:
    assert unmarked(read_statement(name)) == []
