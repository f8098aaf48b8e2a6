"""The sentence encoder is chosen by the language of the documents, and that is said."""

import sys
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.describe.language import SEVERAL, main_language
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.vectors.encoder import ENCODERS, MULTILINGUAL
from graphrag_neo4j.vectors.static import STATIC_VECTORS

ENGLISH = "Ada Lovelace wrote the first program. It was for the engine of Charles Babbage."
GERMAN = "Die Lokomotive wurde von Emil Rathenau in Berlin gebaut, und sie fährt noch immer."
CZECH = "Lokomotiva byla postavena v Praze a jezdí dodnes. Kdo ji řídil, to už nikdo neví."
THAI = "นายกรัฐมนตรีเดินทางไปเชียงใหม่ เมื่อวันจันทร์"
CHINESE = "张伟在北京大学学习人工智能。他的老师是李明。"
pytestmark = pytest.mark.slow


def test_the_main_language_is_that_of_nearly_all_texts() -> None:
    assert main_language([ENGLISH] * 9 + [GERMAN]) == "en"
    assert main_language([ENGLISH, GERMAN]) == SEVERAL
    assert main_language([CHINESE]) == "zh"


async def indexed(settings: Settings, *texts: str) -> list[str]:
    """Indexes one document of each text. Returns the notices."""
    said: list[Event] = []
    async with AsyncGraphRAG(settings, said.append) as rag:
        await rag.index([Document(text, f"d{n}") for n, text in enumerate(texts)])
    return [event.text for event in said if isinstance(event, Notice)]


async def made_with(graph: Graph) -> object:
    rows = await graph.run_plain("MATCH (s:State) RETURN s.embedding_model AS model")
    return rows[0]["model"]


async def test_chunks_of_english_text_are_embedded_by_the_encoder_and_found(
    graph: Graph, alone: Settings
) -> None:
    settings = alone.changed(embedding_model="text-embedding-3-small")  # the default
    said = await indexed(settings, ENGLISH)
    name = ENCODERS["en"].name
    assert any(f"sentence encoder {name}" in line for line in said)
    assert await made_with(graph) == name
    rows = await graph.run_plain(
        "MATCH (x:Chunk|Entity|Community) WHERE x.embedding IS NOT NULL "
        "RETURN DISTINCT labels(x)[0] AS label, size(x.embedding) AS n"
    )
    assert {row["label"]: row["n"] for row in rows} == {
        "Chunk": 384, "Entity": 256, "Community": 256
    }  # fmt: skip
    async with AsyncGraphRAG(settings) as rag:
        for method in ("basic", "local"):
            answer = await rag.query("Who was a pioneer of software?", method=method)
            assert ENGLISH.split(".", maxsplit=1)[0] in str(answer.context[0].records)
    assert not any("encoder" in line for line in await indexed(settings, ENGLISH))


async def test_a_language_without_an_encoder_gets_static_vectors_and_that_is_said_once(
    graph: Graph, alone: Settings
) -> None:
    settings = alone.changed(embedding_model="local")
    said = await indexed(settings, CZECH)
    assert any("no sentence encoder for documents in this language (cs)" in line for line in said)
    assert await made_with(graph) == STATIC_VECTORS
    assert not any("encoder" in line for line in await indexed(settings, CZECH))


@pytest.mark.usefixtures("graph")
async def test_a_language_whose_names_are_not_found_is_told(alone: Settings) -> None:
    said = await indexed(alone, THAI)
    assert "Without a model, names in Thai are not found." in said


async def test_german_and_documents_in_several_languages_share_an_encoder(
    graph: Graph, alone: Settings
) -> None:
    settings = alone.changed(embedding_model="local")
    said = await indexed(settings, GERMAN)
    assert any(f"sentence encoder {MULTILINGUAL.name}" in line for line in said)
    assert not any("again" in line for line in await indexed(settings, GERMAN, ENGLISH))
    assert await made_with(graph) == MULTILINGUAL.name
    async with AsyncGraphRAG(settings) as rag:
        answer = await rag.query("Welcher Zug ist heute noch in Betrieb?", method="basic")
        [first, *_] = answer.context[0].records.values()
        assert "Lokomotive" in first.text


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is of Linux")
async def test_an_encoder_that_can_not_be_had_is_named_and_the_default_goes_on(
    graph: Graph, alone: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    offline = alone.changed(
        embedding_model="text-embedding-3-small", maven_url="http://127.0.0.1:1/maven2"
    )
    said = await indexed(offline, CHINESE)
    assert any("can't be reached" in line and "static word vectors" in line for line in said)
    assert await made_with(graph) == STATIC_VECTORS
    with pytest.raises(InputError, match="KG_EMBEDDING_MODEL=static"):
        await indexed(offline.changed(embedding_model="local"), CHINESE)
