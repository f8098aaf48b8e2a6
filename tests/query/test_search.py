"""Answers from a real graph of A Christmas Carol: what they are made from, and what they cite."""

from collections.abc import AsyncIterator
from typing import Unpack

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, GraphRAG, InputError
from graphrag_neo4j.model.citations import LONG_REF
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.query.answer import METHODS, Answer, Method
from graphrag_neo4j.query.answer_text import NOTHING, TRY_LOCAL
from graphrag_neo4j.query.global_ import default_level
from graphrag_neo4j.query.query_context import known_refs
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.settings.options import QueryOptions
from tests.conftest import Make
from tests.support.carol import Indexed, indexed_carol
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.servers import TestServer

QUESTION = "What does Scrooge think of Christmas and of Marley?"


class Carol(Indexed):
    """The indexed book, which can be asked."""

    async def ask(self, question: str = QUESTION, **how: Unpack[QueryOptions]) -> Answer:
        self.endpoint.reset()
        async with AsyncGraphRAG(self.settings) as rag:
            return await rag.query(question, **how)

    @property
    def asked(self) -> list[str]:
        """The kinds of the chat calls since the last question."""
        return [call.kind for call in self.endpoint.log if not call.inputs]


@pytest.fixture(scope="module")
async def carol(checked_server: TestServer) -> AsyncIterator[Carol]:
    async with indexed_carol(checked_server, characters=60_000) as one:
        yield Carol(one.text, one.settings, one.endpoint, one.graph)


@pytest.mark.parametrize("method", METHODS)
async def test_citations_of_each_method_lead_to_the_text(carol: Carol, method: Method) -> None:
    answer = await carol.ask(method=method)
    assert answer.found
    assert answer.method == method
    assert answer.citations
    assert [(c.kind, c.ref) for c in answer.citations] == list(answer.cited)
    for citation in answer.citations:
        assert citation.supported
        assert citation.title
        for source in citation.sources:
            assert source.document == "carol"
            assert carol.text[source.start : source.end] == source.text
    assert any(citation.sources for citation in answer.citations)


@pytest.mark.parametrize("method", METHODS)
async def test_the_context_alone_asks_no_chat_model(carol: Carol, method: Method) -> None:
    table = await carol.ask(method=method, context_only=True)
    assert carol.asked == []
    assert table.text == ""
    assert table.context
    assert all(one.tokens <= one.budget for one in table.context)
    if method not in {"drift", "global"}:
        answer = await carol.ask(method=method)
        assert [one.text for one in answer.context] == [one.text for one in table.context]


@pytest.mark.parametrize("budget", [1500, 3000, 12_000])
async def test_a_local_context_keeps_budget_and_form(carol: Carol, budget: int) -> None:
    how: QueryOptions = {"method": "local", "context_only": True, "max_context_tokens": budget}
    [table], [again] = [(await carol.ask(**how)).context for _ in range(2)]
    assert table.text == again.text
    assert table.tokens <= table.budget == budget
    assert list(table.by_kind())[-1] == "Sources"
    kinds = ["Reports", "Entities", "Relationships", "Claims", "Sources"]
    assert [k for k in kinds if f"# {k}\n" in table.text] == list(table.by_kind())
    if budget == 12_000:
        assert "Scrooge" in table.by_kind()["Entities"][0].text


async def test_questions_that_can_not_be_asked_are_refused(carol: Carol) -> None:
    with pytest.raises(InputError, match="20,001 characters; at most 20,000"):
        await carol.ask("word " * 4_000 + "x")
    with pytest.raises(InputError, match=r"no level 77\b.* 0 .*to"):
        await carol.ask(method="global", level=77)
    with pytest.raises(InputError, match="no setting top_k_elephants"):
        await carol.ask(top_k_elephants=3)  # type: ignore[call-arg]


def refs_of(answer: Answer) -> list[int]:
    return [r.ref for table in answer.context for r in table.records.values()]


async def test_the_cover_of_a_level_holds_each_entity_once(carol: Carol) -> None:
    entities = (await carol.graph.run_plain("MATCH (e:Entity) RETURN count(e) AS n"))[0]["n"]
    deepest = (await carol.graph.run_plain("MATCH (c:Community) RETURN max(c.level) AS n"))[0]["n"]
    assert deepest >= 1
    for level in range(deepest + 1):
        answer = await carol.ask(method="global", level=level, context_only=True)
        refs = refs_of(answer)
        assert len(refs) == len(set(refs))
        rows = await carol.graph.run_plain(
            "MATCH (c:Community) WHERE c.ref IN $refs "
            "MATCH (c)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(e:Entity) RETURN e.id AS id",
            refs=refs,
        )
        assert len(rows) == len({row["id"] for row in rows}) == entities


async def test_the_nearest_reports_are_read_within_a_budget_of_calls_and_a_level_as_a_whole(
    carol: Carol,
) -> None:
    how: QueryOptions = {"method": "global", "context_only": True, "map_context_tokens": 500}
    how["max_calls"] = 2
    rows = await carol.graph.run_plain(
        "MATCH (c:Community {level: 0, origin: 'elements'}) RETURN c.ref AS ref, c.title AS title "
        "ORDER BY c.id LIMIT 3"
    )
    whole = await carol.ask(method="global", level=0, context_only=True, map_context_tokens=500)
    for row in rows:
        nearest = await carol.ask(f"What is said of {row['title']}?", **how)
        assert len(nearest.context) == 2
        assert row["ref"] in refs_of(nearest)
    async with AsyncGraphRAG(carol.settings) as rag:
        reports = await rag.communities(level=0)
    assert set(refs_of(whole)) == {one.ref for one in reports}
    assert len(whole.context) > 2


def test_by_default_the_level_has_reports_for_three_times_the_calls_at_most() -> None:
    settings = load_settings(max_calls=2, map_context_tokens=1000)
    levels = {0: 9_000, 1: 6_000, 2: 6_001}
    assert default_level(levels, None, settings) == 1
    assert default_level(levels, 3, settings) == 2
    assert default_level(levels, 1, settings) == 0


async def test_a_report_in_a_context_cites_no_other_report(carol: Carol) -> None:
    """A citation of a report that the context does not hold would be false."""
    rows = await carol.graph.run_plain(
        "MATCH (c:Community {level: 0}) WITH c ORDER BY c.id LIMIT 1 "
        "SET c.report = c.report + $more, c.before = c.report RETURN c.ref AS ref, c.id AS id",
        more="\n\nMore [Data: Reports (98765); Entities (1)]. Or [Data: Reports (98765)].",
    )
    try:
        answer = await carol.ask(method="global", level=0, context_only=True)
    finally:
        await carol.graph.run_plain(
            "MATCH (c:Community {id: $id}) SET c.report = c.before REMOVE c.before",
            id=rows[0]["id"],
        )
    [record] = [
        one
        for table in answer.context
        for one in table.records.values()
        if one.ref == rows[0]["ref"]
    ]
    itself = f"[Data: Reports ({record.ref})]"
    told = f"More [Data: Reports ({record.ref}); Entities (1)]. Or {itself}."
    assert record.text.endswith(told)
    assert record.pieces[-1] == told
    known = known_refs(answer.context)
    assert ("Reports", record.ref) in known
    assert ("Entities", 1) in known
    assert ("Reports", 98765) not in known


async def test_each_chunk_is_mapped_exactly_once_by_text_search(carol: Carol) -> None:
    answer = await carol.ask(method="text", map_context_tokens=2000)
    ids = [id_ for table in answer.context for _, id_ in table.records]
    rows = await carol.graph.run_plain("MATCH (c:Chunk) RETURN c.id AS id")
    assert sorted(ids) == sorted(row["id"] for row in rows)
    assert carol.asked.count("json:points") == len(answer.context)


@pytest.mark.parametrize(
    "question", ['What is "AI? (and why', "AND OR", "a ???", "name:* ~ \\ /x/"]
)
@pytest.mark.parametrize("method", ["local", "basic", "drift"])
async def test_no_question_is_a_query(carol: Carol, question: str, method: Method) -> None:
    await carol.ask(question, method=method, context_only=True)


async def test_a_citation_of_what_was_not_shown_is_marked(carol: Carol) -> None:
    answer = await carol.ask("Invent what Scrooge did.", method="local")
    invented = [c for c in answer.citations if not c.supported]
    told = [(c.kind, c.ref, c.title, c.sources) for c in invented]
    assert told == [("Claims", LONG_REF, None, [])]
    assert "invented by the model" in str(invented[0])


async def test_a_follow_up_of_drift_brings_sources_and_calls_bound_it(
    carol: Carol,
) -> None:
    async with AsyncGraphRAG(carol.settings) as rag:
        answer = await rag.drift_search(QUESTION, drift_calls=3)
        near = await rag.basic_search(QUESTION, context_only=True)
    primer, *others = answer.context
    assert 1 <= len(others) <= 3
    assert "Sources" not in primer.by_kind()
    assert any("Sources" in table.by_kind() for table in others)
    assert list(near.context[0].by_kind()) == ["Sources"]
    assert near.passages == [one.text for one in near.context[0].by_kind()["Sources"]]
    assert not set(answer.passages) & {one.text for one in primer.records.values()}
    assert len((await carol.ask(method="drift", drift_calls=1)).context) == 2


async def test_the_method_is_chosen_and_said(carol: Carol) -> None:
    said: list[Event] = []
    async with AsyncGraphRAG(carol.settings, said.append) as rag:
        answer = await rag.query("What are the main themes of the whole?", context_only=True)
    assert answer.method == "global"
    assert Notice("Answering by global search.") in said
    async with AsyncGraphRAG(carol.settings) as rag:
        assert (await rag.query("Who is Fred?", context_only=True)).method == "local"


async def test_a_stream_is_the_answer_in_pieces(carol: Carol) -> None:
    async with AsyncGraphRAG(carol.settings) as rag:
        stream = rag.stream(QUESTION, method="local")
        with pytest.raises(InputError, match="read the stream to its end"):
            _ = stream.answer
        pieces = [piece async for piece in stream]
        plain = await rag.query(QUESTION, method="local")
    assert len(pieces) > 1
    assert "".join(pieces) == stream.answer.text == plain.text
    assert stream.answer.citations == plain.citations


async def test_without_a_model_words_lead_and_sentences_are_quoted(carol: Carol) -> None:
    alone = carol.settings.changed(openai_api_key=None, openai_base_url=None)
    said: list[Event] = []
    async with AsyncGraphRAG(alone, said.append) as rag:
        table = await rag.local_search("Who was Marley?", context_only=True)
        answers = [await rag.query("Who was Marley?", method=method) for method in METHODS]
    assert "arley" in table.context[0].by_kind()["Entities"][0].text
    assert any("full-text search instead of vector search" in str(event) for event in said)
    for answer in answers:
        assert answer.origin == "extractive"
        assert answer.citations
        assert all(citation.supported for citation in answer.citations)
    local = answers[METHODS.index("local")]
    assert "arley" in local.text


@pytest.mark.parametrize("question", ["Who is he?", "xyzzy plugh"])
@pytest.mark.parametrize("method", METHODS)
async def test_words_that_are_nowhere_have_no_answer(
    carol: Carol, question: str, method: Method
) -> None:
    alone = carol.settings.changed(openai_api_key=None, openai_base_url=None)
    async with AsyncGraphRAG(alone) as rag:
        answer = await rag.query(question, method=method)
    if method == "global":  # nor with one, which then writes nothing
        asked = await carol.ask("Zyzzyva quokka xylophone?", method=method)
        assert (asked.text, asked.found) == (NOTHING, False)
        assert "answer" not in carol.asked
    assert (answer.text, answer.found, answer.citations) == (NOTHING, False, [])
    assert (TRY_LOCAL in answer.notices) == (method != "local")


async def test_communities_reports_and_entities_can_be_looked_up(carol: Carol) -> None:
    async with AsyncGraphRAG(carol.settings) as rag:
        found = await rag.communities(level=0)
        report = await rag.report(found[0].ref)
        entity = await rag.entity("  ebenezer  SCROOGE ")
        with pytest.raises(InputError, match="no longer in the graph"):
            await rag.report(LONG_REF)
        with pytest.raises(InputError, match="no entity 'Nobody'"):
            await rag.entity("Nobody")
    assert found[0].size == max(community.size for community in found)
    assert len(found.to_pandas()) == len(found)
    assert str(found[0].title) in found._repr_markdown_()
    assert len(report.entities) == found[0].size
    assert report._repr_markdown_().startswith(f"# {report.title}")
    assert entity.related
    assert repr(entity).startswith(f"<Entity {entity.ref} ")


@pytest.mark.usefixtures("graph")
def test_an_empty_graph_and_a_half_built_index_say_what_is_missing(
    settings: Make, endpoint: FakeEndpoint
) -> None:
    endpoint.change(garbage=1.0, only=["extraction"])
    with GraphRAG(settings()) as rag:
        with pytest.raises(InputError, match=r"no documents yet\. Run `kg-build index PATHS`"):
            rag.query("Anything?")
        rag.index([Document("Marley was dead.", "memory:0")])
        with pytest.raises(InputError, match="no reports of communities yet"):
            rag.global_search("Anything?")
