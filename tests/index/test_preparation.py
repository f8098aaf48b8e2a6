"""What is read again by a model, what is refused, and when claims are extracted."""

from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import read_statement
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.mode_change import mark_read_without_model, refuse_to_lose_model
from graphrag_neo4j.index.status import IndexResult
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.preset_backend import PresetBackend, claim, documents, found, names, put, read

pytestmark = pytest.mark.one_release

TEXT = "Microsoft acquired LinkedIn in 2016."
READ = found(("Microsoft", "organization", "It bought LinkedIn."))


async def index(settings: Settings, text: str = TEXT) -> IndexResult:
    async with AsyncGraphRAG(settings) as rag:
        return await rag.index(documents(text))


async def test_a_model_reads_again_what_was_read_without_one_and_nothing_else(
    graph: Graph, alone: Settings
) -> None:
    await index(alone)
    assert await names(graph) == ["LinkedIn", "Microsoft"]
    assert await mark_read_without_model(graph) == 1
    assert await names(graph) == ["LinkedIn", "Microsoft"]
    told = PresetBackend({TEXT: READ}, {TEXT: [claim("Microsoft")]})
    await read(graph, told)
    assert await names(graph) == ["Microsoft"]
    rows = await graph.run_plain("MATCH (c:Claim) RETURN c.description AS said")
    assert [row["said"] for row in rows] == ["It is so."]
    assert await mark_read_without_model(graph) == 0


async def test_what_a_model_has_read_is_not_given_up_by_accident(
    graph: Graph, alone: Settings
) -> None:
    await index(alone)
    await refuse_to_lose_model(graph)
    await put(graph, [*documents(TEXT), *documents("", "Another one.")[1:]])
    await refuse_to_lose_model(graph)
    await read(graph, PresetBackend({"Another one.": READ}))
    with pytest.raises(InputError, match="--again extraction"):
        await refuse_to_lose_model(graph)


@pytest.mark.usefixtures("graph")
async def test_a_graph_stays_as_it_was_made_until_a_model_is_asked_for(
    alone: Settings, settings: Make, endpoint: FakeEndpoint
) -> None:
    """New documents are read as the graph was; a line says what the model would cost."""
    with pytest.raises(InputError, match=r"No model is set .* leave out --with-model"):
        async with AsyncGraphRAG(alone) as rag:
            await rag.index(documents(TEXT), with_model=True)
    with pytest.raises(InputError, match="again must be one of documents, extraction, vectors"):
        await rag.index(documents(TEXT), again=True)  # type: ignore[arg-type]
    heard: list[Event] = []
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(documents(TEXT))
    own = settings(model="gpt-4.1-mini", embedding_model="static")
    async with AsyncGraphRAG(own, heard.append) as rag:
        both = documents(TEXT, TALE)
        kept = await rag.index(both)
        with pytest.raises(InputError, match="--with-model"):
            await rag.index(both, batch=True)
        assert (kept.origin, kept.complete, endpoint.log) == ("extractive", True, [])
        said = [e.text for e in heard if isinstance(e, Notice) and "--with-model" in e.text]
        assert "gpt-4.1-mini read all of it for about $0.0" in said[0]
        read = await rag.index(both, with_model=True)
        assert (read.origin, read.complete) == ("model", True)
        assert endpoint.log
        assert (await rag.index(documents(TEXT, TALE, "Another one."))).origin == "model"
    async with AsyncGraphRAG(alone) as rag:
        with pytest.raises(InputError, match="A model has read this graph"):
            await rag.index(both)


@pytest.mark.usefixtures("graph")
async def test_documents_from_elsewhere_are_said_to_join_a_graph(
    alone: Settings, tmp_path: Path
) -> None:
    heard: list[Event] = []

    async def said(path: Path, text: str = TEXT) -> list[str]:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        heard.clear()
        async with AsyncGraphRAG(alone, heard.append) as rag:
            await rag.index(path if path.is_symlink() else path.parent / "*.txt")
        texts = [event.text for event in heard if isinstance(event, Notice)]
        return [text for text in texts if "another folder" in text]

    assert await said(tmp_path / "tales" / "1.txt") == []
    [told] = await said(tmp_path / "talks" / "2.txt")
    assert told.startswith("This graph already holds a document from another folder; the new")
    assert "NEO4J_DATABASE" in told
    assert await said(tmp_path / "talks" / "3.txt") == []
    (tmp_path / "link.txt").symlink_to(tmp_path / "tales" / "1.txt")
    assert await said(tmp_path / "link.txt") == []
    assert await said(tmp_path / "tales-2" / "1.txt") != []


@pytest.mark.usefixtures("graph")
async def test_a_model_answers_from_the_nearest_reports_of_an_extractive_graph(
    alone: Settings, settings: Make, endpoint: FakeEndpoint
) -> None:
    """A limit of calls reads the nearest reports first, by vectors or, without them, by words."""
    things = ("frogs", "songs", "paintings", "novels", "bridges", "boats", "coffee beans")
    places = ("Lake Garda", "Clara Schumann", "Oslo", "Nora Ness", "Peru", "Omar Oduya", "Malta")
    themes = [f"{thing} of {place}" for thing, place in zip(things, places, strict=True)]
    themes.append("robots of Boston Dynamics")
    told = [f"There are {theme}. The {theme} are new. All know the {theme}." for theme in themes]
    async with AsyncGraphRAG(alone) as rag:
        await rag.index(documents(*told))
    heard: list[Event] = []
    for embedding_model in ("static", "text-embedding-3-small"):
        own = settings(embedding_model=embedding_model, map_context_tokens=500)
        async with AsyncGraphRAG(own, heard.append) as rag:
            endpoint.reset()
            answer = await rag.global_search("Where do robots walk?", max_calls=1)
            assert endpoint.count("json:points") == len(answer.context) == 1
            first = next(iter(answer.context[0].records.values()))
            assert "robots" in first.text
            default = await rag.global_search("Where do robots walk?", context_only=True)
            assert len(default.context) <= own.max_calls
            with pytest.raises(InputError, match="max_calls"):
                await rag.global_search("Where?", dynamic=True, max_calls=1)
    assert any(isinstance(e, Notice) and "nearest to the question" in e.text for e in heard)


TALE = (
    "Ebenezer Scrooge met Jacob Marley in London in 1843. Microsoft acquired LinkedIn in 2016. "
    "Jacob Marley was the partner of Ebenezer Scrooge."
)


async def test_a_model_extracts_claims_only_if_asked_and_they_are_pending_without_the_setting_then(
    graph: Graph, settings: Make, endpoint: FakeEndpoint
) -> None:
    waiting = read_statement("browse/waiting")  # a query of the guide for Neo4j Browser
    result = await index(settings(claims=None), TALE)
    assert result.complete
    assert "claims" not in {call.kind for call in endpoint.log}
    assert result.status
    assert sum(result.status.pending.values()) == 0
    assert result.status.counts["claims"] == 0
    async with AsyncGraphRAG(settings(claims=None, model="extractive")) as rag:
        assert sum((await rag.status()).pending.values()) == 0
    assert await graph.run_plain(waiting) == []
    endpoint.change(garbage=1.0, only=["claims"])
    assert not (await index(settings(claims=True), TALE)).complete
    async with AsyncGraphRAG(settings(claims=None)) as rag:
        status = await rag.status()
    assert status.pending["claims"] == 1
    assert [failure.stage for failure in status.failures] == ["claims"]
    assert [row["what"] for row in await graph.run_plain(waiting)] == ["chunk to read for claims"]
