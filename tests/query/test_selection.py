"""Questions on some documents: which are selected, and that nothing of the others is read."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date
from itertools import chain, product
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, InputError, Question
from graphrag_neo4j.graph import indexes
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.query import selected_graph, selection
from graphrag_neo4j.query.answer import Answer
from graphrag_neo4j.query.selection import select
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.settings.options import QueryOptions
from tests.conftest import KEY, Run
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.preset_backend import put
from tests.support.servers import TestServer
from tests.support.wiping import wipe

# Each document has a word that no other has, beside names that several have.
MARKS = ("Quorbin", "Zelthar", "Vondrak", "Mistelo", "Fenwicka", "Drosulan")
TOPICS = (
    "Boston Dynamics builds robots that climb stairs. The robots of Boston Dynamics carry boxes.",
    "Solar panels heat the houses of Oslo. In Oslo the solar panels are made by Nordic Light.",
)
SHARED = """{0} Holm met Clara Schumann at Lake Garda in 18{1}0. Lake Garda froze, said {0} Holm.
Clara Schumann wrote the {0} Songs about frogs at Lake Garda.

{2}

At Lake Garda the frogs of {0} Holm live in a pond. The pond is dry, and the frogs are in danger."""


def told(number: int, mark: str) -> Document:
    text = SHARED.format(mark, number + 3, f"{TOPICS[number // 3]} So says {mark} Holm." * 2)
    metadata: dict[str, str | int] = {"n": number, "author": f"{mark} Writer", "part_of": "talks"}
    return Document(text, f"talks/{mark}.txt", f"The talk of {mark}", {**metadata})


DOCUMENTS = [told(*one) for one in enumerate(MARKS)]
QUESTIONS = ("Which frogs live at Lake Garda?", "What are the main themes?")
SELECTIONS = ([0], [4], [1, 2, 3, 4, 5], [0, 1, 2, 3, 4], [0, 1, 2], [3, 4, 5])
WAYS: Sequence[QueryOptions] = [
    {"method": "global"},
    {"method": "local"},
    {"method": "drift"},
    {"method": "basic"},
    {"method": "text"},
    {"method": "basic", "context_only": True},
]


@pytest.fixture(scope="module", params=["extractive", "model"])
async def talks(
    request: pytest.FixtureRequest, checked_server: TestServer
) -> AsyncIterator[Settings]:
    """The settings with which the talks were indexed: without a model, or with a fake one."""
    given: dict[str, object] = {"gleanings": 0, "claims": True, "max_cluster_size": 6}
    given |= {"chunk_tokens": 60, "chunk_overlap": 10}
    with FakeEndpoint() as endpoint:
        if request.param == "model":
            given |= {"openai_base_url": endpoint.url, "openai_api_key": KEY}
        else:
            given |= {"embedding_model": "static"}
        settings = load_settings(**checked_server.settings, **given)
        async with checked_server.connect() as graph:
            await wipe(graph)
            async with AsyncGraphRAG(settings) as rag:
                await rag.index(DOCUMENTS)
                # One entity has names and descriptions of two documents, and a third is about it.
                await rag.resolve(same=("Clara Schumann", f"{MARKS[1]} Holm"))
                assert (await rag.index(DOCUMENTS)).complete
            yield settings
            await wipe(graph)


def shown(answer: Answer) -> str:
    """All texts that an answer shows or was made from."""
    records = [record for table in answer.context for record in table.records.values()]
    sources = list(chain.from_iterable(citation.sources for citation in answer.citations))
    return "\n".join(
        [
            answer.text,
            *answer.notices,
            *(table.text for table in answer.context),
            *chain.from_iterable(record.pieces for record in records),
            *map(str, answer.citations),
            *(f"{s.document} {s.title} {s.text} {s.metadata}" for s in sources),
        ]
    ).casefold()


@pytest.mark.parametrize("how", WAYS, ids=str)
async def test_nothing_of_other_documents_is_read(talks: Settings, how: QueryOptions) -> None:
    found = 0
    async with AsyncGraphRAG(talks) as rag:
        for question in QUESTIONS:
            for numbers in SELECTIONS:
                asked: QueryOptions = {**how, "where": f"n={'|'.join(map(str, numbers))}"}
                answer = await rag.query(question, **asked)
                text = shown(answer)
                others = [m for n, m in enumerate(MARKS) if n not in numbers]
                assert [mark for mark in others if mark.casefold() in text] == [], asked
                assert all(citation.supported for citation in answer.citations)
                found += bool(answer.citations)
        whole = shown(await rag.query(QUESTIONS[0], **how))
    assert found > len(SELECTIONS) // 2 or how.get("context_only")
    assert sum(mark.casefold() in whole for mark in MARKS) > 1  # without a filter


TOLD_BY = """MATCH (c:Community)<-[:PARENT*0..]-()<-[:IN_COMMUNITY]-(e) WHERE c.ref IN $refs
MATCH (e)<-[:MENTIONS]-()-[:PART_OF]->(d) RETURN DISTINCT d.meta_n AS n ORDER BY n"""


async def test_a_global_answer_is_from_reports_on_the_selection_alone_or_from_its_chunks(
    talks: Settings,
) -> None:
    how: QueryOptions = {"method": "global", "context_only": True}
    async with AsyncGraphRAG(talks) as rag:
        for numbers in (*SELECTIONS, [*range(len(MARKS))]):
            how["where"] = f"n={'|'.join(map(str, numbers))}"
            answer = await rag.query(QUESTIONS[1], **how)
            records = [one for table in answer.context for one in table.records.values()]
            [kind] = {record.kind for record in records}
            assert ("and not from reports" in " ".join(answer.notices)) == (kind == "Sources")
            if kind == "Reports":
                rows = await rag.graph.run_plain(TOLD_BY, refs=[one.ref for one in records])
                assert {row["n"] for row in rows} <= {*numbers}
        assert kind == "Reports"  # of all documents
        how["max_calls"] = 1
        assert len((await rag.query(QUESTIONS[1], **how)).context) == 1


@pytest.mark.parametrize("filters", [True, False])
async def test_an_index_that_is_asked_for_more_finds_what_the_comparison_with_all_finds(
    talks: Settings, monkeypatch: pytest.MonkeyPatch, filters: bool
) -> None:
    how: QueryOptions = {"method": "basic", "context_only": True, "where": "n=2|4"}
    async with AsyncGraphRAG(talks) as rag:
        exactly = (await rag.query(QUESTIONS[0], **how)).context[0].text
        monkeypatch.setattr(selection, "EXACTLY", 0)
        monkeypatch.setattr(selection, "MORE", 2)
        if not filters:
            monkeypatch.setattr(indexes, "FILTERS_SINCE", (rag.graph.version[0] + 1, 0))
        elif rag.graph.version < indexes.FILTERS_SINCE:
            pytest.skip("this server can't filter in a vector index by a list")
        else:
            monkeypatch.delattr(selection, "vector_search")
        by_index = (await rag.query(QUESTIONS[0], **how)).context[0].text
    assert exactly == by_index != ""


async def test_a_report_that_is_not_up_to_date_is_not_read(talks: Settings) -> None:
    async with AsyncGraphRAG(talks) as rag:
        for mark in ("stale = true", "behind = 0.001"):
            await rag.graph.run_plain(f"MATCH (c:Community) SET c.{mark}")
            answer = await rag.global_search(QUESTIONS[1], where="n>=0", context_only=True)
            assert {kind for table in answer.context for kind in table.by_kind()} == {"Sources"}
            await rag.graph.run_plain("MATCH (c:Community) REMOVE c.stale, c.behind")


async def test_sources_have_the_metadata_of_their_documents(talks: Settings) -> None:
    async with AsyncGraphRAG(talks) as rag:
        answer = await rag.local_search(QUESTIONS[0], where="n=1")
        place = next(one for c in answer.citations for one in c.sources)
        assert place.metadata == DOCUMENTS[1].metadata
        assert (await rag.sources(place.chunk))[0].metadata == DOCUMENTS[1].metadata


# Which documents are selected

SOME: Mapping[str, Mapping[str, object]] = {
    "a": {
        "author": "Ada",
        "date": "2024-01-31",
        "pages": 9,
        "draft": True,
        "tags": ["red", "green"],
    },
    "b": {
        "author": "Grace|Ada",
        "date": "2024-02-01T10:00",
        "pages": 10,
        "draft": False,
        "sizes": [1, 20],
    },
    "c": {
        "author": "Grace",
        "date": "2023-12-31",
        "pages": 100.5,
        "folder": "minutes/2023/may",
        "tags": ["blue"],
    },
    "d": {"author": "a.c", "pages": "12", "folder": "minutes"},
    "e": {"author": "abc", "pages": "many", "date": 2022, "draft": "TRUE"},
}
CASES = {
    "author=Ada": "a",
    "author = Ada|Grace": "ac",
    "author!=Ada": "bcde",
    "author=?da": "a",
    "author=a.c": "d",
    "author=a?c": "de",
    "author=*Ada": "ab",
    "folder=minutes/*": "c",
    "folder=minutes*": "cd",
    "folder!=minutes*": "abe",
    "date>=2024-01-01": "ab",
    "date>=2022": "abce",  # a year is a number and a date
    "date<2024": "ce",
    "date<=2024-01-31": "ac",
    "pages>9": "bcd",  # "many" isn't a number
    "pages>=10": "bcd",
    "date=2024": "ab",
    "date=2024-02|2023-12-31": "bc",
    "date<=2024-01": "ac",
    "date>2023": "ab",
    "draft=True": "ae",
    "tags=red": "a",
    "tags!=red": "bcde",
    "tags=r*|blue": "ac",
    "sizes>=10": "b",
    "pages<10": "a",
    "pages=10": "b",
    "pages=100.50": "c",
    "pages=10|12": "bd",
    "draft=true": "ae",
    "draft!=TRUE": "bcd",
    "source=a|e": "ae",
    "title=The *": "abcde",
    "title=The d": "d",
}


@pytest.fixture
async def some_documents(graph: Graph) -> Graph:
    await put(graph, [Document("A text.", key, f"The {key}", SOME[key]) for key in SOME])
    return graph


async def selected(graph: Graph, *where: str) -> str:
    found = await select(graph, where)
    assert found
    rows = await graph.run_plain(
        "MATCH (d:Document) WHERE d.id IN $ids RETURN d.source AS source ORDER BY source",
        ids=found.documents,
    )
    assert found.chunks == len(found.documents) == len(rows)
    return "".join(row["source"] for row in rows)


async def test_conditions_select_documents(some_documents: Graph) -> None:
    assert {where: await selected(some_documents, where) for where in CASES} == CASES
    assert await selected(some_documents, "date>=2024", "draft=false") == "b"
    assert await select(some_documents, []) is None


async def test_what_selects_nothing_is_refused_and_names_what_there_is(
    some_documents: Graph,
) -> None:
    with pytest.raises(InputError, match=r"mean author\? The fields are source, title, author, d"):
        await select(some_documents, "autor!=Ada")
    with pytest.raises(InputError, match=r"^No document has author=Eve and pages>3\. `kg-build"):
        await select(some_documents, ["author=Eve", "pages>3"])
    for text in ("n>=1,000", "date>=2021/04/05", "date>=2021*", "pages>=$3"):
        with pytest.raises(InputError, match=r"neither a number .* nor a date"):
            await select(some_documents, text.replace("n>", "pages>"))
    with pytest.raises(InputError, match=r"title<5 .* title holds texts \(such as 'The.* number"):
        await select(some_documents, "title<5")
    with pytest.raises(InputError, match=r"numbers .* and texts .* 2024-01-01 is a date"):
        await select(some_documents, "pages<2024-01-01")
    for text in ("Ada", "=Ada", "author=", "author~Ada", "author!==Ada", " "):
        with pytest.raises(InputError, match="condition"):
            await select(some_documents, text)


@pytest.mark.parametrize(("option", "value"), [("level", 0), ("level", 1), ("dynamic", True)])
def test_an_option_for_all_reports_is_refused(option: str, value: object) -> None:
    assert Question("Who?", where="author=Ada").where == "author=Ada"
    with pytest.raises(InputError, match=f"The option {option} is for reports on all documents"):
        Question("Who?", where=["author=Ada"], **{option: value})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="where must be a text"):
        Question("Who?", where=5)  # type: ignore[arg-type]


async def test_a_later_part_of_a_long_text_has_the_metadata_of_its_first(graph: Graph) -> None:
    parts = [
        Document("First.", "log.txt", "Log", {"author": "Ada"}),
        Document("Second.", "log.txt#part-2", "Log, part 2", {"part": 2}),
        Document("Row.", "rows.csv#part-2", "Row", {"part": 3}),
    ]
    await put(graph, parts)
    for where in ("author=Ada", "source=log.txt", "title=Log"):
        assert await selected(graph, where) == "log.txtlog.txt#part-2"
    assert await selected(graph, "part=3") == "rows.csv#part-2"


@pytest.mark.usefixtures("graph", "environment", "no_index_of_a_model")
def test_the_command_line_filters_and_lists_the_fields(kg: Run, tmp_path: Path) -> None:
    table = tmp_path / "talks.csv"
    table.write_text(
        "text,author,date\n"
        + "".join(
            f"{mark} Holm met Clara Schumann at Lake Garda.,{author},{date(2024, 1, n + 1)}\n"
            for n, (mark, author) in enumerate(zip(MARKS, "AABBCC", strict=True))
        )
    )
    assert kg("index", table).code == 0
    asked = ("query", "Who met Clara Schumann?", "--method", "basic", "--json")
    answer = kg(*asked, "--where", "author=A|B", "--where", "date>=2024-01-02").json
    sources = [source for one in answer["citations"] for source in one["sources"]]
    assert {source["metadata"]["date"] for source in sources} <= {
        "2024-01-02",
        "2024-01-03",
        "2024-01-04",
    }
    assert sources
    wrong = kg(*asked, "--where", "Ada")
    assert (wrong.code, "'Ada' isn't a condition" in wrong.err) == (2, True)
    assert "Did you mean author?" in kg(*asked, "--where", "autor=A").err
    fields = {one["field"]: one for one in kg("status", "--metadata", "--json").json["metadata"]}
    assert fields["author"]["values"][0] == {"value": "A", "documents": 2}
    assert (fields["date"]["documents"], fields["date"]["kinds"]) == (6, ["text"])
    assert len(fields["date"]["values"]) == 5
    assert re.search(r"author +text +6 +A \(2\); B \(2\)", kg("status", "--metadata").out)
    assert kg("status", "--json").json["metadata"] == []


@pytest.fixture
def no_index_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KG_MODEL", "extractive")
    monkeypatch.setenv("KG_EMBEDDING_MODEL", "static")


async def test_a_context_shows_the_date_of_a_document_that_has_one(
    graph: Graph,  # noqa: ARG001 - it is empty
    alone: Settings,
) -> None:
    met = Document("Ada Lovelace met Charles Babbage.", "a.txt", metadata={"date": "1833-06-05"})
    wrote = Document("Ada Lovelace wrote to Mary Somerville.", "b.txt")
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([met, wrote])
        for how, where in product((WAYS[1], WAYS[2], WAYS[4], WAYS[5]), ((), "source=*.txt")):
            asked: QueryOptions = {**how, "where": where, "context_only": True}
            answer = await rag.query("Who met Ada Lovelace?", **asked)
            text = "\n".join(table.text for table in answer.context)
            assert "| (1833-06-05) Ada Lovelace met Charles Babbage." in text, how
            assert "| Ada Lovelace wrote" in text, how


def test_descriptions_of_a_selection_are_in_the_order_of_their_dates() -> None:
    said: list[selected_graph.DatedRow] = [
        {"date": "2022-03-04", "descriptions": ["She left.", "She sold it."]},
        {"date": "2021", "descriptions": ["She joined.", "She left."]},
        {"date": "", "descriptions": ["She sings."]},
    ]
    told = selected_graph.described(said, dated=True)
    lines = ["She sings.", "(2021) She joined.", "(2022-03-04) She left.", "She sold it."]
    assert told.splitlines() == lines
    assert "(" not in selected_graph.described(said, dated=False)
    assert selected_graph.described(said[:1], dated=True) == "She left.\nShe sold it."
