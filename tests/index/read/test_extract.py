"""What chunks say as evidence in a real Neo4j: written whole, replaced whole, removed whole."""

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.index.read.documents import delete_documents, document_id
from graphrag_neo4j.index.read.extract import mark_to_reread
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model.types import ClaimRecord, Document
from graphrag_neo4j.query.answer import resolve_citations
from tests.support.preset_backend import PresetBackend, claim, documents, found, names, put, read

ONE, TWO, THREE = "Marley was dead.", "Scrooge was not.", "Bob was the clerk."
SENTENCE = "the firm that once belonged to the late Jacob Marley of London"


async def refs(graph: Graph) -> dict[str, list[int]]:
    """The refs of everything that has one, by its kind."""
    rows = await graph.run_plain(
        "MATCH (n) WHERE n.ref IS NOT NULL RETURN labels(n)[0] AS kind, n.ref AS ref"
        " UNION ALL MATCH ()-[r]->() WHERE r.ref IS NOT NULL RETURN type(r) AS kind, r.ref AS ref"
    )
    return {
        one["kind"]: sorted(row["ref"] for row in rows if row["kind"] == one["kind"])
        for one in rows
    }


async def test_a_subject_that_is_no_name_becomes_no_entity(graph: Graph) -> None:
    await put(graph, documents(ONE))
    told = PresetBackend(
        {ONE: found(("Marley", "person", "He is dead."))},
        {
            ONE: [
                claim("Marley", "the two of them never spoke of it again, did they?", "1"),
                claim(SENTENCE + " and to nobody else", "Scrooge and Marley", "2"),
            ]
        },
    )
    await read(graph, told)
    assert await names(graph) == ["Marley", "Scrooge and Marley"]
    rows = await graph.run_plain(
        "MATCH (c:Claim)-[:FROM]->(:Chunk) RETURN [(c)-[:SUBJECT]->(s) | s.name] AS subject, "
        "[(c)-[:OBJECT]->(o) | o.name] AS object, c.subject_text AS text, c.object_text AS other "
        "ORDER BY c.description"
    )
    assert [tuple(row.values()) for row in rows] == [
        (["Marley"], [], None, "the two of them never spoke of it again, did they?"),
        ([], ["Scrooge and Marley"], SENTENCE + " and to nobody else", None),
    ]


async def test_claims_are_read_with_the_entities_of_their_chunk(graph: Graph) -> None:
    await put(graph, documents(ONE, TWO, THREE))
    first = {
        ONE: found(
            ("Jacob Marley", "person", "He is dead."),
            ("Marley", "firm", "It lives on."),
            ("Jacob Marley", "Scrooge", "Partners.", 8.0),
        ),
        TWO: found(("Скрудж", "скряга", "Он жив.")),
    }
    told = PresetBackend(first, {THREE: [claim("Bob")]})
    await read(graph, told)
    shown = {chunk.text: chunk.entities for chunk in told.asked}
    assert shown == {
        ONE: ("Jacob Marley | person", "Marley | firm", "Scrooge"),
        TWO: ("Скрудж | скряга",),
        THREE: (),
    }
    assert all(chunk.entities == () for chunk in told.heard)
    anew = PresetBackend(first, {THREE: [claim("Bob")]}, version="2")
    await mark_to_reread(graph, anew, claims=True)
    await read(graph, anew)  # "Bob" is known from the claim of before alone
    assert {chunk.text: chunk.entities for chunk in anew.asked} == shown


async def test_the_title_of_a_cited_claim_tells_all_that_is_known_of_it(graph: Graph) -> None:
    def dated(since: str | None, until: str | None, *, of: str | None = "Scrooge") -> ClaimRecord:
        return ClaimRecord("Marley", of, "TOD", "SUSPECTED", since, until, f"{since}.", ONE)

    await put(graph, documents(ONE))
    said = [dated("1836", "1836"), dated("1836-12", None, of=None), dated(None, "1843-12-24")]
    await read(graph, PresetBackend({}, {ONE: said}))
    refs = await graph.run_plain("MATCH (c:Claim) RETURN c.ref AS ref")
    text = " ".join(f"So [Data: Claims ({row['ref']})]." for row in refs)
    cited = await resolve_citations(graph, text, ())
    assert {one.title for one in cited} == {
        "Marley – Scrooge, TOD, SUSPECTED, 1836: 1836.",
        "Marley, TOD, SUSPECTED, from 1836-12: 1836-12.",
        "Marley – Scrooge, TOD, SUSPECTED, until 1843-12-24: None.",
    }


async def test_what_was_read_anew_is_as_if_it_had_been_read_so_at_first(graph: Graph) -> None:
    said = [claim(SENTENCE, SENTENCE + " and Bob")]
    last = {ONE: found((SENTENCE, "organization", "A firm."))}
    await put(graph, documents(ONE, TWO))
    await read(graph, PresetBackend(last, {ONE: said}, version="2"))
    expected = await dump(graph)
    await delete_documents(graph, [document_id("memory:0"), document_id("memory:1")])
    await put(graph, documents(ONE, TWO))
    first = {
        ONE: found((SENTENCE + " and Bob", "x", "y"), ("Scrooge", "Marley", "Partners.", 4.0)),
        TWO: found(("Scrooge", "person", "A miser.")),
    }
    await read(graph, PresetBackend(first, {ONE: said}, version="1"))
    anew = PresetBackend(last, {ONE: said}, version="2")
    await mark_to_reread(graph, anew, claims=True)
    await read(graph, anew)
    assert await dump(graph) == expected


async def test_refs_are_unique_per_kind_and_never_given_again(graph: Graph) -> None:
    said = found(("Marley", "Scrooge", "Partners.", 8.0), ("Marley", "Bob", "Strangers.", 1.0))
    told = PresetBackend({ONE: said, TWO: said}, {ONE: [claim("Marley"), claim("Bob")]})
    await put(graph, documents(ONE, TWO))
    await read(graph, told)
    before = await refs(graph)
    assert before == {"Chunk": [1, 2], "Entity": [1, 2, 3], "Claim": [1, 2], "RELATED": [1, 2]}
    await delete_documents(graph, [document_id("memory:0"), document_id("memory:1")])
    await put(graph, documents(ONE, TWO))
    await read(graph, told)
    after = await refs(graph)
    assert {kind: len(set(given)) for kind, given in after.items()} == {
        kind: len(given) for kind, given in before.items()
    }
    assert all(min(after[kind]) > max(before[kind]) for kind in before)


async def test_a_failed_chunk_keeps_its_old_evidence_and_is_tried_by_the_next_run(
    graph: Graph,
) -> None:
    tales = [Document(ONE, "file:///marley.txt"), Document(TWO, "file:///scrooge.txt")]
    await put(graph, tales)
    said = {ONE: found(("Marley", "person", "Dead."), ("Marley", "Bob", "Strangers.", 1.0))}
    await read(graph, PresetBackend(said, {ONE: [claim("Marley")]}))
    before = {key for key in await dump(graph) if not key.startswith("Chunk:")}
    anew = PresetBackend({ONE: "the call failed: 500"}, {TWO: "the reply is empty"}, version="2")
    await mark_to_reread(graph, anew, claims=True)
    await read(graph, anew)
    assert len(anew.heard) == 2  # each once
    assert {key for key in await dump(graph) if not key.startswith("Chunk:")} == before
    status = await read_status(graph)
    assert [(one.stage, one.what, one.reason) for one in status.failures] == [
        ("extract", "chunk 0 of file:///marley.txt", "the call failed: 500"),
        ("claims", "chunk 0 of file:///scrooge.txt", "the reply is empty"),
    ]
    assert (status.pending["extract"], status.pending["claims"]) == (1, 2)
    await read(graph, PresetBackend(said, {ONE: [claim("Marley")]}, version="2"))
    status = await read_status(graph)
    assert status.failures == []
    assert (status.pending["extract"], status.pending["claims"]) == (0, 0)


async def test_unusable_records_and_lists_cut_off_are_counted(graph: Graph) -> None:
    await put(graph, documents(ONE, TWO, THREE))
    told = PresetBackend(
        {
            ONE: found(unusable=["relationship with itself", "entity without a name"], cut=True),
            TWO: found(unusable=["relationship with itself"]),
        }
    )
    await read(graph, told)
    status = await read_status(graph)
    assert status.cut == ["entities of chunk 0 of memory:0"]
    assert status.unusable == {"relationship with itself": 2, "entity without a name": 1}


async def test_what_is_read_in_one_chunk_is_stored_under_that_chunk(graph: Graph) -> None:
    texts = [f"Tale {n}." for n in range(100)]
    await put(graph, documents(*texts))
    await read(graph, PresetBackend({text: found((text, "tale", f"Of {text}")) for text in texts}))
    rows = await graph.run_plain(
        "MATCH (c:Chunk)-[m:MENTIONS]->(e:Entity)"
        " RETURN c.text AS text, e.name AS name, m.descriptions AS said"
    )
    assert len(rows) == 100
    assert all(row["text"] == row["name"] and row["said"] == [f"Of {row['text']}"] for row in rows)
