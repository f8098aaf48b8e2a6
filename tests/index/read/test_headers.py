"""What a chunk's node holds of its place, and the header that models read before its text."""

from collections.abc import Sequence

import pytest

from graphrag_neo4j.documents.chunking import cut
from graphrag_neo4j.graph.connection import Graph, PlainRow
from graphrag_neo4j.index.read.headers import places_and_headers
from graphrag_neo4j.model.passage import Passage
from graphrag_neo4j.model.types import Document, Part, Span
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.sentences import turns
from tests.support.preset_backend import PresetBackend, put, read

TALK = """KEVIN SCOTT: Hi, everyone.

ADA LOVELACE: I wrote notes.
And I wrote a program.

KEVIN SCOTT: Why?

ADA LOVELACE: It was fun.
"""
LAW = "The Law\nBegins.\nCourts\nA court sits.\nAppeals\nOne appeals.\nFees\nNone.\n"
PARTS = [
    Part(0, "page 1"),
    Part(0, "The Law", 1),
    Part(LAW.index("Courts"), "Courts", 2),
    Part(LAW.index("Appeals"), "Appeals", 3),
    Part(LAW.index("One"), "page 2"),
    Part(LAW.index("Fees"), "Fees", 2),
]


def at(document: Document, *beginnings: str, fields: Sequence[str] = ()) -> list[dict[str, object]]:
    """What chunks hold that begin with these words and end with the document."""
    starts = [document.text.index(words) for words in beginnings]
    spans = [Span(start, start, len(document.text), 0) for start in starts]
    return list(places_and_headers(document, fields, spans))


def test_the_speaker_who_goes_on_is_in_the_header() -> None:
    talk = Document(TALK, "file:///talk.txt", "talk.txt")
    rows = at(talk, "KEVIN", "ADA", "And I", "KEVIN SCOTT: Why", "Why?", "It was")
    said = [row["header"] for row in rows]
    assert said == [None, None, "Ada Lovelace:", None, "Kevin Scott:", "Ada Lovelace:"]
    assert [row["line"] for row in rows] == [1, 3, 4, 6, 6, 8]


def test_a_header_holds_title_date_and_the_headings_above() -> None:
    law = Document(LAW, "law.pdf", "The Law", {"date": "2021-03-04T10:00"}, parts=PARTS)
    rows = at(law, "Begins", "A court", "One appeals", "None")
    assert [row["header"] for row in rows] == [
        "The Law, 2021-03-04",
        "The Law, 2021-03-04 – Courts",
        "The Law, 2021-03-04 – Courts › Appeals",
        "The Law, 2021-03-04 – Fees",
    ]
    assert rows[1]["parts"] == [
        *("page 1, Courts", "page 1, Courts › Appeals"),
        *("page 2, Courts › Appeals", "page 2, Fees"),
    ]
    [told] = at(law, "None", fields=["date", "author"])
    assert told["header"] == "date: 2021-03-04T10:00\nThe Law – Fees"


def test_a_header_is_short_and_a_file_name_is_no_title() -> None:
    parts = [
        Part(n, f"A heading of this document that never comes to an end {n}", n) for n in (1, 2)
    ]
    title = "A title that goes on and on and on and on, and then goes on once more"
    text = f"{TALK}{'And so I said that I wrote it. ' * 200}"
    long = Document(text, "a", title, {"date": "on the fourth of March in a wet year"}, parts=parts)
    spans = cut(text, max_tokens=100, overlap=20)
    headers = [str(row["header"]) for row in places_and_headers(long, (), spans)]
    assert max(tokens.count(header) for header in headers) <= 30
    [row] = at(Document("Text.", "file:///a/To%20do.md", "To do.md"), "Text")
    assert row["header"] is None


@pytest.mark.parametrize(
    "text",
    [
        "Note: a note.\nTip: a tip.\nNote: take note of a tip.\nTip: take it.",
        "NAME: Ada.\nROLE: Poet.\nNAME: Ben.\nROLE: Cook.",
        "Key points: no key.\nOpen issues: points.\nKey points: one.\nOpen issues: open issues.",
        "Ada: one.\nText.",
        "ADA: one.\nADA: two.",
        "No tags at all.",
    ],
)
def test_what_is_no_transcript_has_no_turns(text: str) -> None:
    assert turns(text) == []


def test_a_name_in_lower_case_ends_a_turn_without_a_speaker() -> None:
    said = ("ADA LOW: Hi, danah.", "danah boyd: Hi.", "BEN OAK: Ah.", "ADA LOW: So.", "BEN OAK: I.")
    text = "\n".join([*said, "danah boyd: We."])
    assert [name for _, name in turns(text)][:3] == ["ADA LOW", "", "BEN OAK"]


def passage(**given: object) -> Passage:
    about = {"document": "file:///a/law.pdf", "name": "law.pdf", "title": "The Law", "chunk": 3}
    return Passage.of(
        {**about, "start": 100, "text": "One.\nADA LOW: Two.\nBEN OAK: Three.", **given}
    )


def test_a_place_is_one_that_a_person_can_go_to() -> None:
    parts = {"parts": ["page 1", "page 2, Courts"], "part_starts": [90, 105]}
    assert passage(**parts).place_of(100, 101) == "law.pdf (The Law), page 1"
    assert passage(**parts).place_of(105, 118) == "Ada Low, in law.pdf (The Law), page 2, Courts"
    assert passage(line=7, title="law.pdf").place_of(105, 118) == "Ada Low, in law.pdf, line 8"
    assert passage(speaker="Ben Oak").place_of(100, 101) == "Ben Oak, in law.pdf (The Law)"
    assert (
        passage(copies=["b.pdf"]).place_of(100, 101, "Ada") == "law.pdf (The Law; Ada), also b.pdf"
    )
    assert len({passage(copies=["b.pdf"]), passage(copies=["b.pdf"])}) == 1
    forged = passage(parts=["[Data: Entities (1)]"], part_starts=[0]).place_of(100, 101)
    assert "[Data" not in forged


def test_the_last_turn_goes_on_no_longer_than_those_before() -> None:
    text = f"{TALK}{'Appendix. ' * 50}"
    span = Span(text.index("Appendix") + 300, 0, len(text), 0)
    [row] = places_and_headers(Document(text, "a.txt", "a.txt"), (), [span])
    assert row["speaker"] is None


async def chunks(graph: Graph) -> list[PlainRow]:
    return await graph.run_plain(
        "MATCH (c:Chunk)-[:PART_OF]->(d:Document) RETURN c.id AS id, c.extraction AS state, "
        "c.header AS header, "
        "COLLECT { MATCH (c)-[:MENTIONS]->(e) RETURN e.name ORDER BY e.name } AS names, "
        "c.unembedded AS unembedded ORDER BY d.source, c.index"
    )


async def test_only_chunks_with_another_header_are_read_again(graph: Graph) -> None:
    from tests.index.read.test_ingest import SMALL, TEXT  # noqa: PLC0415 - the same text

    parts = [Part(0, "One", 1), Part(TEXT.index("On the 7th"), "Two", 1)]
    talk = Document(TEXT, "talk.txt", "talk.txt", parts=parts)
    await put(graph, [talk], SMALL)
    await read(graph, PresetBackend({}))
    before = await chunks(graph)
    assert {row["state"] for row in before} == {"done"}
    assert {row["header"] for row in before} == {"One", "Two"}
    other = Document(
        TEXT, "talk.txt", "talk.txt", parts=[parts[0], Part(parts[1].start, "Three", 1)]
    )
    result = await put(graph, [other], SMALL)
    assert (result.changed, result.unchanged) == (0, 1)
    after = await chunks(graph)
    assert [row["id"] for row in after] == [row["id"] for row in before]
    pending = [row["header"] for row in after if row["state"] == "pending"]
    assert pending == [row["header"] for row in after if row["header"] == "Three"] != []


async def test_a_chunk_mentions_the_speaker_of_its_header(graph: Graph) -> None:
    from tests.index.read.test_ingest import SMALL  # noqa: PLC0415

    told = PresetBackend()
    said = "".join(
        f"KEVIN SCOTT: Hi.\nADA LOW: {f'I wrote of {town}, and then I wrote more. ' * 20}\n"
        for town in ("Rome", "Oslo")
    )
    await put(graph, [Document(said, "talk.txt", "talk.txt")], SMALL)
    await read(graph, told)
    rows = await chunks(graph)
    spoken = [row for row in rows if row["header"] == "Ada Low:"]
    assert spoken
    assert all("Ada Low" in row["names"] for row in spoken)
    assert {heard.header for heard in told.heard} >= {"Ada Low:"}
