"""One odd record never ends a run: it is in the graph, or it is left out and counted."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import pages
from graphrag_neo4j.model.types import Document
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import clean_name, entity_ids, pair_id, storable
from tests.conftest import Make
from tests.support.preset_backend import PresetBackend, claim, documents, found, names, put, read
from tests.support.recording_endpoint import Body, prompt_of, recording_endpoint, schema_of
from tests.support.wiping import wipe

CASES = Path(__file__).parents[1] / "data" / "graph"
LONG = "o" * 9000


@contextmanager
def replying(replies: Mapping[str, str]) -> Iterator[str]:
    """An endpoint that answers the extraction of each of these passages with its reply."""

    def reply(body: Body) -> str | None:
        prompt = prompt_of(body)
        reads = '("entity"<|>' in prompt and not schema_of(body) and len(body["messages"]) == 1
        return next((said for text, said in replies.items() if reads and text in prompt), None)

    with recording_endpoint(reply) as (url, _):
        yield url


async def indexed(make: Make, replies: Mapping[str, str]) -> Mapping[str, int]:
    """Indexes the passages, and returns the unusable records of their replies by reason."""
    with replying(replies) as url:
        async with AsyncGraphRAG(make(openai_base_url=url, claims=False, gleanings=0)) as rag:
            result = await rag.index([Document(text, f"memory:{text}") for text in replies])
            assert result.stopped is None
            assert result.status
            assert not [one for one in result.status.failures if one.stage == "extract"]
            return result.status.unusable


def case(*stems: str) -> dict[str, str]:
    """The passages of cases, each with the reply to it."""
    text = {path.name: path.read_text("utf-8") for path in CASES.iterdir()}
    return {text[f"{one}.txt"].strip(): text[f"{one}.reply.txt"] for one in stems}


@pytest.mark.parametrize("field", ["type", "name", "end"])
async def test_a_record_too_long_for_an_index_is_left_out_and_counted(
    graph: Graph, settings: Make, field: str
) -> None:
    [(text, reply)] = case("long_type").items()
    record = {
        "type": f'("entity"<|>Carl<|>{LONG}<|>He met Ada.)',
        "name": f'("entity"<|>{LONG}<|>person<|>He met Ada.)',
        "end": f'("relationship"<|>Ada<|>{LONG}<|>They met.<|>5)',
    }[field]
    start = reply.partition("##")[0]
    counted = await indexed(settings, {text: f"{start}##\n{record}\n<|COMPLETE|>"})
    assert await names(graph) == ["Ada"]
    assert list(counted.values()) == [1]
    assert "of more than 2,000 bytes" in next(iter(counted))


async def test_placeholders_for_a_name_are_no_entities(graph: Graph, settings: Make) -> None:
    counted = await indexed(settings, case("placeholders"))
    assert counted == {"entity without a name": 10}
    assert await names(graph) == []


@pytest.mark.parametrize(
    "unseen", ["\u200b", "\xad", "\u2060", "\u200d", "\x07", "\u202e", "\ufe0f"]
)
async def test_what_can_not_be_seen_makes_no_other_name(
    graph: Graph, settings: Make, unseen: str
) -> None:
    texts = case("invisible_plain", "invisible_zwsp")
    await indexed(
        settings, {text: reply.replace("\u200b", unseen) for text, reply in texts.items()}
    )
    assert await names(graph) == ["Bea Krum", "Nordal Works"]
    rows = await graph.run_plain("MATCH (:Entity)-[stated:STATED]->(:Entity) RETURN stated.id")
    assert len(rows) == 2


async def test_joiners_that_a_script_needs_stay_in_names(graph: Graph, settings: Make) -> None:
    persian = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    await indexed(settings, {"One.": f'("entity"<|>{persian}<|>person<|>A word.)\n<|COMPLETE|>'})
    assert await names(graph) == [persian]


async def test_a_graph_that_holds_names_and_types_too_long_for_an_index_goes_on(
    graph: Graph, alone: Settings
) -> None:
    texts = ("Ada met Carl.", "Marley met Bob.")
    said = {
        texts[0]: found(
            ("Ada", "person", "She met Carl."),
            ("Carl", LONG, "He met Ada."),
            (LONG, "person", "It met Ada."),
            ("Carl", LONG, "They met.", 1),
        )
    }
    claims = {texts[0]: [claim(f"A{LONG}", "Ada")]}
    await put(graph, documents(*texts))
    await read(graph, PresetBackend(said, claims))
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name, e.type AS type")
    assert {row["name"]: row["type"] for row in rows} == {
        "Ada": "person",
        "Carl": "concept",
        LONG: "person",
    }
    async with AsyncGraphRAG(alone) as rag:
        assert await rag.delete("memory:1") == {"memory:1": ["memory:1"]}
        await rag.resolve()
        await rag.resolve(same=("Carl", LONG))
        assert await rag.delete("memory:0") == {"memory:0": ["memory:0"]}
    assert await names(graph) == []


async def test_a_source_too_long_for_an_index_is_refused_by_name_and_the_others_are_read(
    graph: Graph, alone: Settings
) -> None:
    assert await names(graph) == []
    async with AsyncGraphRAG(alone) as rag:
        long = Document("Ada met Carl.", f"note:{LONG}")
        result = await rag.index([Document("Marley met Bob.", "note:1"), long])
        assert not result.complete
        [(source, reason)] = result.unreadable.items()
        assert source.startswith("note:ooo")
        assert len(source) < 100
        assert "source of more than 6,000 bytes" in reason
        assert result.ingested.added == 1
        assert await rag.delete("note:1") == {"note:1": ["note:1"]}


SIGNS = [
    "\x00",
    "\x01",
    "\x1b",
    "\ud800",
    "\udfff",
    "\u202e",
    "\u2066",
    "\u200d",
    "\ufffe",
    "\u0301",
]
WORDS = ["Entity", "Document", "__proto__", "constructor", "null", "NaN", "KgBuild", "id", "1e999"]
ODD = [
    *SIGNS,
    *WORDS,
    "",
    " ",
    "  \t ",
    "-",
    "'",
    "`",
    "$x",
    "\\",
    "{",
    "%",
    "&",
    "ﷺ",
    "ß",
    "名",
    "😀",
]
PIECE = st.sampled_from([*ODD, "Ada", "Carl ", "o", "a b "])
DRAWN = st.tuples(PIECE, PIECE, st.sampled_from([1, 2, 3, 7, 300, 1999, 2001, 8191, 20_000]))
STRENGTHS = ["5", "", "-1", "1e308", "9" * 20, "9" * 400, "inf", "nan", "Entity"]
MANY = 60


@hypothesis.settings(
    max_examples=2,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@hypothesis.given(given=st.lists(DRAWN, min_size=MANY, max_size=MANY))
async def test_each_record_of_any_reply_is_in_the_graph_or_counted(
    graph: Graph, settings: Make, given: list[tuple[str, str, int]]
) -> None:
    await wipe(graph)
    texts = [((one + other) * length)[:length] for one, other, length in given]
    records: list[tuple[str, ...]] = []
    for n, text in enumerate(texts):
        other, more = (texts[n * step % MANY] for step in (7, 11))
        strength = STRENGTHS[n % len(STRENGTHS)]
        records += [("entity", text, other, more), ("relationship", text, other, more, strength)]
    replies = {
        f"Passage {n:03}.": "##\n".join(f"({'<|>'.join(one)})" for one in some)
        for n, some in enumerate(pages(records, 10))
    }
    counted = await indexed(settings, {k: f"{v}\n<|COMPLETE|>" for k, v in replies.items()})
    rows = await graph.run_plain(
        "MATCH (e:Entity) RETURN e.id AS id UNION ALL MATCH ()-[r:RELATED]->() RETURN r.id AS id"
    )
    ids = {row["id"] for row in rows}
    missing = [one for one in records if not is_in(one, ids)]
    assert len(missing) <= sum(counted.values())


def is_in(record: Sequence[str], ids: Collection[str]) -> bool:
    """Whether what a record tells of has one of these ids."""
    ends = [entity_ids(clean_name(storable(one)[0])) for one in record[1:3]]
    if record[0] == "entity":
        return ends[0][0] in ids
    return any(pair_id(one, other) in ids for one in ends[0] for other in ends[1])
