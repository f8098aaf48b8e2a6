"""Why a search lost a passage where a model answers, and as the command prints it."""

import re
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.graph.connection import Graph
from tests.conftest import Make, Run
from tests.query.test_why import DOCUMENTS, FROGS, QUESTION, SENTENCE, SHIPS, step
from tests.support.fake_endpoint import FakeEndpoint


async def test_the_budget_is_raised_by_as_much_as_a_model_needs(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    del graph
    async with AsyncGraphRAG(settings(gleanings=0)) as rag:
        assert (await rag.index(DOCUMENTS)).complete
        before = len(endpoint.log)
        whys = [
            await rag.why(QUESTION, f"{n}.txt", f"number is {n},", max_context_tokens=600)
            for n in range(12)
        ]
        assert {call.kind for call in endpoint.log[before:]} <= {"embeddings"}
        assert {why.method for why in whys} == {"local"}
        cut = next((n, why) for n, why in enumerate(whys) if why.lost == "context")
        advice = re.search(r" to ([\d,]+), which", cut[1].steps[-1].advice or "")
        assert advice
        enough = int(advice[1].replace(",", ""))
        raised = await rag.why(
            QUESTION, f"{cut[0]}.txt", f"number is {cut[0]},", max_context_tokens=enough
        )
        assert raised.lost is None


async def test_a_sentence_in_two_passages_and_one_that_was_not_read(
    graph: Graph, settings: Make
) -> None:
    text = " ".join(f"Ada Holm saw frog number {n} at Lake Garda." for n in range(40))
    async with AsyncGraphRAG(settings(chunk_tokens=60, chunk_overlap=0, gleanings=0)) as rag:
        await rag.index([Document(text, "frogs.txt")])
        rows = await graph.run_plain(
            "MATCH (a:Chunk {index: 0})-[:NEXT]->(b) "
            "SET a.extraction = 'failed', a.extraction_error = 'the reply was cut off' "
            "RETURN a.text AS one, b.text AS other"
        )
        one, other = rows[0]["one"], rows[0]["other"]
        why = await rag.why(QUESTION, "frogs.txt", f"{one[-30:]} {other[:30]}", method="basic")
    passed, said = step(why, "read")
    assert "and the next one together have the sentence" in said
    assert not passed
    assert "It is due for extraction again (the reply was cut off)." in said


@pytest.mark.one_release
@pytest.mark.usefixtures("graph", "environment")
def test_the_command_prints_a_line_for_each_step_and_the_advice(
    kg: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KG_MODEL", "extractive")
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")
    (tmp_path / "ships.txt").write_text(SHIPS)
    (tmp_path / "frogs.txt").write_text(FROGS)
    assert kg("index", "ships.txt", "frogs.txt", "--quiet").code == 0
    ran = kg("query", "Who sold the Kestrel?", "--why", "ships.txt", "Otto Rand sold the old ship")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("+ read      Passage ")
    assert ran.out.splitlines()[-1] == "Local search has the passage."
    asked = ("query", QUESTION, "--why", "ships.txt", SENTENCE, "--where", "source=*frogs*")
    lines = kg(*asked).out.splitlines()
    assert lines[1] == "- selection Documents searched: 1."
    assert lines[2].strip().startswith("Leave out --where")
    assert lines[3] == "Local search loses the passage at the step “selection”."
    ran = kg("query", "Who?", "--why", "ship.txt", SENTENCE)
    assert (ran.code, "Did you mean" in ran.err) == (1, True)
