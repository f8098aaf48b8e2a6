"""Vectors and full-text indexes in a real Neo4j: what is embedded, when again, what is refused."""

import logging
from array import array
from collections.abc import Mapping, Sequence

import anyio
import pytest

from graphrag_neo4j.errors import BudgetSpentError, GraphError, InputError, ModelError, ReplyError
from graphrag_neo4j.graph import indexes
from graphrag_neo4j.graph.connection import Graph, PlainRow
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.graph.indexes import (
    INDEXED_KINDS,
    IndexedKind,
    SearchIndexRow,
    await_indexes,
    ensure_fulltext_indexes,
    forget_vectors,
    vector_index,
    vector_search,
)
from graphrag_neo4j.graph.rows import ScoredRow
from graphrag_neo4j.index.communities.stage import find_communities
from graphrag_neo4j.index.communities.tree import Leiden
from graphrag_neo4j.index.describe import embed as embedding
from graphrag_neo4j.index.describe.embed import EmbedLimits, embed
from graphrag_neo4j.index.reports.stage import ReportLimits, write_reports
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model.contracts import Embedder
from graphrag_neo4j.model.events import Event, Listener, Notice, Started, silent
from tests.support.fake_endpoint.words import embed as by_words
from tests.support.preset_backend import (
    PresetBackend,
    describe,
    documents,
    found,
    put,
    read,
    run,
    words,
)
from tests.support.wiping import wipe

ONE, TWO, THREE = "Marley was dead.", "Scrooge was not.", "Bob was the clerk."
SAID = {
    ONE: found(("Marley", "person", "A dead partner."), ("Marley", "Scrooge", "Partners.", 1.0)),
    TWO: found(("Scrooge", "person", "A tight fisted miser.")),
    THREE: found(("Bob", "person", "A clerk.")),
}
TALES = [f"Tale {n}." for n in range(20)]
PROBE = "Neo4j"
# With the dimensions of the other tests the vector indexes stay, and with them Neo4j's plans.
SHARED = 256


class Model:
    """Embeds by words; a text with a word of `wrong` has the vector there, one of `failing` none.

    A call that fails is refused for its text if the model `refuses`; `refused` counts these.
    `heard` are the texts of each call that it answered, but for `probes` that ask how long
    vectors are; after `affordable` of them it raises `ending`, or the money is spent.
    """

    def __init__(
        self,
        dimensions: int = SHARED,
        *,
        failing: Sequence[str] = (),
        refuses: bool = False,
        wrong: Mapping[str, Sequence[float]] | None = None,
        affordable: int | None = None,
        ending: Exception | None = None,
    ) -> None:
        self.dimensions, self.failing, self.wrong = dimensions, failing, wrong or {}
        self.affordable, self.ending = affordable, ending
        self.refuses, self.refused = refuses, 0
        self.heard: list[list[str]] = []
        self.probes = 0

    async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        if texts == [PROBE]:
            self.probes += 1
        elif len(self.heard) == self.affordable:
            raise self.ending or BudgetSpentError("spent")
        if any(word in text for word in self.failing for text in texts):
            self.refused += 1
            raise ReplyError("the endpoint refuses the request", refused=self.refuses)
        if texts != [PROBE]:
            self.heard.append(list(texts))
        wrong = [[v for word, v in self.wrong.items() if word in text] for text in texts]
        usual = [by_words(text, self.dimensions) for text in texts]
        return [[*of[0]] if of else vector for of, vector in zip(wrong, usual, strict=True)]

    @property
    def texts(self) -> set[str]:
        """All texts that it embedded, each once."""
        texts = [text for call in self.heard for text in call]
        assert len(texts) == len(set(texts))
        return set(texts)


async def embedded(
    graph: Graph,
    model: Model,
    listen: Listener = silent,
    *,
    name: str = "by words",
    asked: int | None = None,
    cut: int = 50,
    batch: int = 128,
    batch_tokens: int = 1000,
) -> Model:
    """The model after it was asked for what is marked."""
    limits = EmbedLimits(cut, batch, batch_tokens, words)
    await embed(
        StageContext(graph, PresetBackend(), run, 2, listen), Embedder(name, asked, model), limits
    )
    await await_indexes(graph)
    return model


async def story(graph: Graph, *texts: str) -> None:
    """Documents, read and described."""
    await put(graph, documents(*texts))
    await read(graph, PresetBackend(SAID))
    await describe(graph, PresetBackend(SAID))


async def reported(graph: Graph) -> None:
    """Communities with their reports."""
    await find_communities(graph, Leiden(), silent)
    context = StageContext(graph, PresetBackend(), run, 2, silent)
    await write_reports(context, ReportLimits(500, 0, words))


async def nodes(graph: Graph, label: str) -> list[PlainRow]:
    rows = await graph.run_plain(f"MATCH (x:{label}) RETURN properties(x) AS x ORDER BY x.id")
    return [row["x"] for row in rows]


async def first(graph: Graph, kind: IndexedKind, text: str, dimensions: int = SHARED) -> str:
    """The id of what is nearest to a text."""
    rows = await vector_search(graph, kind, by_words(text, dimensions), 2)
    return str(rows[0]["id"])


async def index_dimensions(graph: Graph) -> list[int]:
    """Those of the indexes that searches use; vectors of names have indexes of their own."""
    rows = await graph.read("graph/search_indexes", SearchIndexRow)
    searched = {vector_index(kind) for kind in INDEXED_KINDS}
    vectors = [row["config"] for row in rows if row["name"] in searched]
    return [int(str(config["vector.dimensions"])) for config in vectors]


async def test_entities_chunks_and_reports_are_found_by_their_own_texts_without_a_warning(
    graph: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    await story(graph, ONE, TWO, THREE)
    await reported(graph)
    with caplog.at_level(logging.INFO, "neo4j.notifications"):
        model = await embedded(graph, Model())
        assert {"Bob\nA clerk.", ONE, TWO, THREE} < model.texts
        for entity in await nodes(graph, "Entity"):
            text = f"{entity['name']}\n{entity['description']}"
            assert await first(graph, "entity", text) == entity["id"]
        for chunk in await nodes(graph, "Chunk"):
            assert await first(graph, "chunk", chunk["text"]) == chunk["id"]
            assert chunk["embedding"] == array("f", by_words(chunk["text"], SHARED)).tolist()
        reports = {one["id"]: one["report"] for one in await nodes(graph, "Community")}
        rows = await vector_search(graph, "community", by_words(min(reports.values()), SHARED), 9)
        assert reports.keys() == {row["id"] for row in rows} != set()
        for kind in INDEXED_KINDS if graph.version >= (2026, 1) else ():
            given = {"vector": by_words(ONE, SHARED), "k": 3}
            by_procedure = {"index": f"kg_{kind}_vector", **given}
            rows = await graph.read(f"vector_search/{kind}", ScoredRow, **given)
            assert rows
            assert rows == await graph.read("vector_search/procedure", ScoredRow, **by_procedure)
    assert caplog.records == []


async def test_an_index_of_chunks_without_their_documents_is_made_again_without_a_model(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    await forget_vectors(graph)
    await put(graph, documents(ONE, TWO))
    with monkeypatch.context() as earlier:
        earlier.setattr(indexes, "FILTERS_SINCE", (graph.version[0] + 1, 0))
        await embedded(graph, Model())
        assert not await indexes.filters_documents(graph)
    assert not await indexes.filters_documents(graph)  # a question before the next run
    assert (await embedded(graph, Model())).heard == []
    new = graph.version >= indexes.FILTERS_SINCE
    assert await indexes.filters_documents(graph) == new
    for chunk in await nodes(graph, "Chunk"):
        assert await first(graph, "chunk", chunk["text"]) == chunk["id"]
        given = {"vector": chunk["embedding"], "documents": [chunk["document"]], "k": 2}
        if new:
            rows = await graph.read("selection/nearest_by_index", ScoredRow, **given)
            assert [row["id"] for row in rows] == [chunk["id"]]
    # An index without documents is also dropped where vectors are forgotten.
    monkeypatch.setattr(indexes, "FILTERS_SINCE", (graph.version[0] + 1, 0))
    await forget_vectors(graph)
    assert await index_dimensions(graph) == []


async def test_a_second_run_asks_nothing_and_a_change_for_itself_alone(graph: Graph) -> None:
    await story(graph, ONE, TWO)
    await reported(graph)
    await embedded(graph, Model())
    heard: list[Event] = []
    graph.lease = "nobody's, so that any write would be refused"
    model = await embedded(graph, Model(), heard.append)
    graph.lease = None
    assert (model.probes, model.heard) == (0, [])
    assert heard == [Started("embed", 0)]
    # Nor do descriptions that are made again with the same words.
    await graph.run_plain("MATCH (e:Entity) SET e.undescribed = true")
    await describe(graph, PresetBackend(SAID))
    assert (await read_status(graph)).pending["embed"] == 2
    model = await embedded(graph, Model())
    assert (model.probes, model.heard) == (0, [])
    assert (await read_status(graph)).pending["embed"] == 0
    # A changed description embeds that alone.
    await put(graph, documents(ONE, "Scrooge was changed."))
    said = PresetBackend({"Scrooge was changed.": found(("Scrooge", "person", "A kind old man."))})
    await read(graph, said)
    await describe(graph, said)
    model = await embedded(graph, Model())
    assert model.texts == {"Scrooge was changed.", "Scrooge\nA kind old man."}
    [scrooge] = [one["id"] for one in await nodes(graph, "Entity") if one["name"] == "Scrooge"]
    assert await first(graph, "entity", "kind old man") == scrooge


async def test_a_text_without_a_usable_vector_fails_alone_and_is_asked_for_again_if_that_may_help(
    graph: Graph,
) -> None:
    """Neo4j would never index a vector that is zero or not finite: that is only counted."""
    await put(graph, documents(*TALES, ONE, TWO, THREE))
    wrong = {
        "Marley": [0.0] * SHARED,
        "Scrooge": [float("inf")] * SHARED,
        "Bob": [1.0] * 128,
    }
    heard: list[Event] = []
    await embedded(graph, Model(wrong=wrong, failing=["Tale 7."]), heard.append)
    assert any(isinstance(event, Notice) and event.warning for event in heard)
    status = await read_status(graph)
    assert sorted((one.what, one.reason) for one in status.vectorless) == [
        ("chunk 0 of memory:20", "the vector is zero"),
        ("chunk 0 of memory:21", "the vector is not finite"),
    ]
    assert sorted((one.what, one.reason) for one in status.failures) == [
        ("chunk 0 of memory:22", "the vector has 128 dimensions, not 256"),
        ("chunk 0 of memory:7", "the endpoint refuses the request"),
    ]
    assert status.pending["embed"] == 2
    assert (await embedded(graph, Model())).texts == {THREE, "Tale 7."}
    status = await read_status(graph)
    assert (status.failures, status.pending["embed"]) == ([], 0)
    lacking = [one["text"] for one in await nodes(graph, "Chunk") if "embedding" not in one]
    assert sorted(lacking) == [ONE, TWO]


async def test_a_text_that_is_refused_is_sent_again_when_it_or_the_model_changes(
    graph: Graph,
) -> None:
    await put(graph, documents(ONE, "Tale 7."))
    for again in (1, 0, 0):
        model = await embedded(graph, Model(failing=["Tale 7."], refuses=True), batch=1)
        assert model.refused == again
        status = await read_status(graph)
        assert [one.reason for one in status.failures] == ["the endpoint refuses the request"]
        assert status.pending["embed"] == 1
    await put(graph, documents(ONE, "Tale 7. It is longer."))
    assert (await embedded(graph, Model())).texts == {"Tale 7. It is longer."}
    assert (await read_status(graph)).pending["embed"] == 0


async def test_what_came_before_the_money_was_spent_is_kept(graph: Graph) -> None:
    await put(graph, documents(*TALES))
    model = Model(failing=["Tale 7."], affordable=4)
    with pytest.raises(BudgetSpentError):
        await embedded(graph, model)
    left = (await read_status(graph)).pending["embed"]
    assert 0 < left < 20
    assert len((await embedded(graph, Model())).texts) == left


async def test_no_batch_has_more_texts_or_tokens_than_it_may_nor_a_text_than_a_model_takes(
    graph: Graph,
) -> None:
    """There are more texts than a page has. An entity without a description has only its name."""
    texts = [f"{n} " + "word " * (n % 9) for n in range(300)]
    await graph.run_plain(
        "UNWIND $texts AS text CREATE (:Entity:KgBuild {id: text, name: text, unembedded: true})",
        texts=[*texts, "First. " * 5 + "Then more than ten words come."],
    )
    model = await embedded(graph, Model(), cut=8, batch=8, batch_tokens=40)
    assert len(model.texts) == 301
    assert "First. First. First. First. First." in model.texts
    assert max(len(call) for call in model.heard) == 8
    sizes = [sum(len(text.split()) for text in call) for call in model.heard]
    assert max(sizes) <= 40
    assert len(model.heard) < 60


async def test_another_model_and_other_dimensions_are_refused_until_all_is_made_anew(
    graph: Graph,
) -> None:
    await story(graph, ONE)
    await embedded(graph, Model())
    await put(graph, documents(ONE, TWO))
    before = await dump(graph)
    shorter = Model(128)
    for model, name, asked, said in (
        (Model(), "other", None, r"by words \(256 dimensions\).* other: .*--again vectors"),
        (
            shorter,
            "by words",
            128,
            "256 dimensions.* KG_EMBEDDING_DIMENSIONS is 128.*--again vectors",
        ),
        (shorter, "by words", None, "256 dimensions, and by words gives 128 .*--again vectors"),
    ):
        with pytest.raises(InputError, match=said):
            await embedded(graph, model, name=name, asked=asked)
        assert model.heard == []
    assert await dump(graph) == before
    await graph.write("embed/forget_entity", after="", limit=1)
    with pytest.raises(InputError):  # as long as some are left
        await embedded(graph, shorter, name="other")
    await forget_vectors(graph)
    assert await index_dimensions(graph) == []
    assert len((await embedded(graph, shorter, name="other")).texts) == 4
    assert await index_dimensions(graph) == [128] * 3
    assert len(await vector_search(graph, "entity", by_words("Marley", 128), 9)) == 2


async def test_a_name_that_something_else_has_is_an_error(graph: Graph) -> None:
    await forget_vectors(graph)
    await graph.run_plain("CREATE INDEX kg_chunk_vector FOR (x:Other) ON (x.name)")
    await put(graph, documents(ONE))
    with pytest.raises(GraphError, match="kg_chunk_vector can't be made: something else"):
        await embedded(graph, Model())
    await graph.run_plain("DROP INDEX kg_chunk_vector")


async def test_a_model_that_gives_no_vectors_at_all_ends_the_stage(graph: Graph) -> None:
    await put(graph, documents(ONE))
    for model in (Model(failing=[PROBE]), Model(wrong={PROBE: [0.0] * SHARED})):
        with pytest.raises(ModelError, match=r"by words gives no vectors .*KG_EMBEDDING_MODEL"):
            await embedded(graph, model)
        assert (await read_status(graph)).pending["embed"] == 1


async def test_a_run_that_ended_anywhere_and_another_are_one(graph: Graph) -> None:
    async def start() -> None:
        await wipe(graph)
        await story(graph, ONE, TWO, THREE)
        await reported(graph)

    await start()
    calls = len((await embedded(graph, Model(), batch=2)).heard)
    whole = await dump(graph)
    assert calls > 3
    for ended in range(calls):
        await start()
        with pytest.raises(RuntimeError):
            await embedded(graph, Model(affordable=ended, ending=RuntimeError()), batch=2)
        await embedded(graph, Model(), batch=2)
        assert await dump(graph) == whole


async def test_words_are_found_as_the_analyser_splits_them(graph: Graph) -> None:
    chinese = "我们昨天在北京大学见面。"
    await put(graph, documents(chinese, ONE))

    async def having(query: str) -> list[str]:
        await await_indexes(graph)
        rows = await graph.run_plain(
            "CALL db.index.fulltext.queryNodes('kg_chunk_text', $words) YIELD node "
            "RETURN node.text AS text",
            words=query,
        )
        return [row["text"] for row in rows]

    await ensure_fulltext_indexes(graph, "standard-no-stop-words")
    assert await having("dead") == [ONE]
    # Single signs: half of a word finds what has it as a part of others.
    assert await having("京昨") == [chinese]
    await ensure_fulltext_indexes(graph, "cjk")
    assert await having("北京") == [chinese]
    assert await having("京昨") == []
    await ensure_fulltext_indexes(graph, "standard-no-stop-words")


async def test_so_many_calls_run_at_the_same_time_as_the_memory_for_their_vectors_allows(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(graph, documents(*(f"Text number {n}." for n in range(12))))
    dimensions, running, most = 300, 0, 0

    async def slow(texts: Sequence[str]) -> list["array[float]"]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await anyio.sleep(0.01)
        running -= 1
        return [array("f", [1.0] * dimensions) for _ in texts]

    monkeypatch.setattr(embedding, "IN_FLIGHT", 3 * embedding.BYTES * dimensions)
    context = StageContext(graph, PresetBackend(), run, 8, silent)
    await embed(context, Embedder("slow", dimensions, slow), EmbedLimits(50, 1, 1000, words))
    assert most == 3
    assert [len(one["embedding"]) for one in await nodes(graph, "Chunk")] == [dimensions] * 12
