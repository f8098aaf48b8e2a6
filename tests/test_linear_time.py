"""Text of others is searched in time that grows with its length, whatever it repeats.

Each function that is given text of documents or replies meets each shape that has made a search
slow: what was quadratic took more than 10 s for 16,000 characters, and would take 35 s here.
"""

import asyncio
import io
import json
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from graphrag_neo4j.cli.output.answer import print_answer
from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.documents import ReadOptions, read
from graphrag_neo4j.documents.chunking import cut
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.extras.evaluate.claims import count_claims
from graphrag_neo4j.extras.evaluate.tasks.claims import (
    AnswerPart,
    ClaimSteps,
    added_content,
    answer_parts,
)
from graphrag_neo4j.extras.evaluate.tasks.judges import PairJudge
from graphrag_neo4j.index.evidence import claim_rows, mention_rows, stated_rows
from graphrag_neo4j.index.reports.stage import report_row
from graphrag_neo4j.llm.endpoint.bodies import storable_pieces
from graphrag_neo4j.llm.endpoint.reasoning_tags import remove_reasoning, remove_reasoning_streamed
from graphrag_neo4j.llm.replies.lists import read_list
from graphrag_neo4j.llm.tasks.index_backend import LLMIndexBackend
from graphrag_neo4j.llm.tasks.query_backend import LLMQueryBackend
from graphrag_neo4j.model import citations
from graphrag_neo4j.model import types as model
from graphrag_neo4j.model.context import ContextRecord, ContextTable, report_line
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import LLMTask, Reply
from graphrag_neo4j.query.answer import Answer, Citation, Source, nearest_sources
from graphrag_neo4j.query.graph_expansion import names
from graphrag_neo4j.query.query_context import lucene_query
from graphrag_neo4j.query.quotations import misquoted
from graphrag_neo4j.rules import answers
from graphrag_neo4j.rules import ranking as choosing
from graphrag_neo4j.rules.extraction import dated_claims
from graphrag_neo4j.rules.index_backend import ExtractiveIndexBackend
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.text import strings as text
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.sentences import read_passage
from graphrag_neo4j.web.page import TextPool

pytestmark = pytest.mark.slow

CHARACTERS = 30_000
SECONDS = 2.5  # of processor time, after which the growth of the time is looked at
CHUNK = model.ChunkText("c", "Marley was dead, to begin with. " * 60)
RECORD = '("entity"<|>A<|>person<|>'
INDEX = LLMIndexBackend(load_settings(gleanings=0))
QUERY = LLMQueryBackend(load_settings())

# What is repeated, between a beginning and an end.
SHAPES: dict[str, tuple[str, str, str]] = {
    "letters": ("", "a", "!"),
    "capitals": ("", "Ab ", ""),
    "digits": ("$", "1,1", "x"),
    "spaces": ("x [Data: Entities (1)]", " ", "x"),
    "blank lines": ("", " \n", "x"),
    "stops": ("", "...", "x"),
    "abbreviations": ("", "e.g.", ""),
    "marks": ("a", "\u0316\u0301", ""),
    "Chinese clauses": ("", "漢字，", ""),
    "round brackets": ("", "(", ""),
    "square brackets": ("", "[", ""),
    "braces": ("", '{"a":', ""),
    "objects": ('{"points": [', "{},", "{}]}"),
    "quotes in a text": ('{"points": [{"description": "', '" ', ""),
    "words for a value": ('{"points": [{"score": ', "a, ", ""),
    "fields": ('{"points": [{', '"a":1,', ""),
    "comments": ('{"points": [', "/*", ""),
    "closing brackets": (RECORD, ") ", "##"),
    "rows of ##": (RECORD, "##", "x"),
    "kinds": (RECORD, "entity<|>\n", ""),
    "records": ("", f"{RECORD}(x)\n", ""),
    "delimiters in quotes": ('("entity"<|>"a', '<|>""', ""),
    "completions": ("", "<|COMPLETE|>", ""),
    "character references": ("&#", "1", ";"),
    "fences": ("``` x", " ", "x"),
    "rows of fences": ("", "``` ", ""),
    "thoughts": ("<think>", "a ", "</think>x"),
    "citations": ("", "It is so [Data: Entities (1)]. ", ""),
    "open citations": ("", "[Data: Entities (", ""),
    "open wide citations": ("", "【Data：实体（", ""),
    "round citations": ("", "(Data: Entities (1))", ""),
    "headings": ("# x", "#", "x\n"),
    "quotes": ("", '"', "a"),
    "addresses": ("", "a@b.", ""),
    "at signs": ("", "@", ""),
    "tags": ("A", " ", ":"),
    "dates": ("May 5", " ", "x"),
    "adjectives": ("", "big red ", ""),
}


def shape(name: str, length: int = CHARACTERS) -> str:
    before, repeated, after = SHAPES[name]
    return before + repeated * ((length - len(before) - len(after)) // len(repeated)) + after


def drive(task: LLMTask[Any], reply: str) -> object:
    """The result of a step that gets the same reply again and again; None where it gives up."""
    with suppress(ReplyError):
        try:
            next(task)
            while True:
                task.send(Reply(reply))
        except StopIteration as done:
            return done.value
    return None


async def _pieces(whole: str) -> AsyncGenerator[str, None]:
    for start in range(0, len(whole), 24):
        yield whole[start : start + 24]


async def _streamed(whole: str) -> str:
    stream = remove_reasoning_streamed(storable_pieces(_pieces(whole), model.Usage()))
    return "".join([piece async for piece in stream])


def _extracted(reply: str) -> None:
    for whole in (reply, f'("entity"<|>{reply}<|>{reply}<|>{reply})<|COMPLETE|>'):
        found = drive(INDEX.extract(CHUNK), whole)
        if isinstance(found, model.Extraction):
            mention_rows("c", found)
            stated_rows("c", found)


def _claimed(reply: str) -> None:
    whole = f"(A<|>B<|>T<|>TRUE<|>NONE<|>{reply[:99]}<|>{reply}<|>{reply})<|COMPLETE|>"
    for one in (reply, whole):
        drive(INDEX.claims(CHUNK), one)
    claim = model.ClaimRecord(reply, reply, "T", None, None, None, reply, reply)
    claim_rows(CHUNK, [claim], {})


def _thought(reply: str) -> None:
    nothing = ContextTable(float("inf"), len)
    drive(INDEX.summarize([model.DescribedThing("A", ["a", "b"])]), reply)
    drive(INDEX.report("x", ReportMaterial({}, [], [])), reply)
    drive(QUERY.points("Who?", nothing), reply)
    drive(QUERY.prime("Who?", nothing), reply)
    with suppress(ReplyError):
        QUERY.answer("Who?", nothing, ()).check(reply)
    drive(QUERY.chooses_global("Who?"), reply)
    asked = json.dumps({"question": reply})
    drive(QUERY.self_contained(reply, ()), asked)
    drive(QUERY.self_contained("Who?", ()), asked)


def _evaluated(whole: str) -> None:
    settings = load_settings()
    drive(PairJudge(settings).compare("Who?", whole, "Ann.", "diversity"), whole)
    for part in (*answer_parts(whole)[:2], AnswerPart((whole,), whole)):
        drive(ClaimSteps(settings).claims("Who?", part), whole)
    added_content(whole, [whole])
    count_claims([whole, whole[1:], "Ann."])


def _reported(written: str) -> None:
    known: dict[citations.CitationKind, dict[int, str]] = {"Entities": {1: "a"}}
    report_row(
        "c", model.WrittenReport(written, written, [model.FindingText(written, written)]), known
    )
    report_line(written)


def _cited(written: str) -> None:
    citations.cited(written)
    citations.keep_known(written, {"Entities": {1}})
    citations.footnoted(written, {("Entities", 1): 1})
    citations.with_long_refs(written)


def _sourced(written: str) -> None:
    sources = [Source("d", "t", 1, 0, len(CHUNK.text), CHUNK.text)]
    for said in citations.statements(written).values():
        nearest_sources(sources, said, 3)
    nearest_sources(sources, [written], 3)


def _misquoted(written: str) -> None:
    cite = " [Data: Sources (1)]"
    misquoted(f"{written}{cite}\n„{written}“{cite}", {("Sources", 1): [written, CHUNK.text]})


def _found(whole: str) -> None:
    text.find_quote(whole, whole)
    text.find_quote(f"{whole[: len(whole) // 2]}\ue000", whole)


def _quoted(whole: str) -> None:
    record = ContextRecord("Reports", 1, "r", text.flat(whole))
    answers.draft_of_records("", [record])
    choosing.quality(whole)
    choosing.content_words(whole)


def _packed(whole: str) -> None:
    TextPool().exactly(whole)
    TextPool().loosely(whole)


class OnTerminal(io.StringIO):
    """What says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def _printed(whole: str) -> None:
    """As `kg-build query` prints an answer, to a terminal and to a file."""
    answer = Answer(whole, "local", [Citation("Entities", 1, whole, supported=False)])
    for to in (OnTerminal(), io.StringIO()):
        with redirect_stdout(to):
            print_answer(answer, streamed=False)


ALONE: dict[str, Callable[[str], object]] = {
    "citations": _cited,
    "count": tokens.count,
    "find_quote": _found,
    "fold": text.fold,
    "fold_prose": text.fold_prose,
    "looks_like_name": text.looks_like_name,
    "name_key": text.name_key,
    "named": lambda whole: names(whole, [{"id": "1", "name": whole}, {"id": "2", "name": "A"}]),
    "packing": _packed,
    "printing": _printed,
    "query": lucene_query,
    "reports": _reported,
    "sources": _sourced,
    "streamed": lambda whole: asyncio.run(_streamed(whole)),
    "thoughts": remove_reasoning,
    "lists": read_list,
    "misquoted": _misquoted,
    "steps": _thought,
    "extraction": _extracted,
    "claims": _claimed,
    "evaluated": _evaluated,
}


# A chunk has a few thousand characters; a rule is tried on more. Cutting counts the tokens of each
# piece again and again, so it takes long for characters without a word, but twice for twice.
OF_CHUNKS: dict[str, Callable[[str], object]] = {
    "sentences": read_passage,
    "rules of claims": dated_claims,
    "quotations": _quoted,
    "cutting": lambda whole: cut(whole, max_tokens=600, overlap=100),
}


@pytest.mark.parametrize("name", [*ALONE, *OF_CHUNKS])
def test_a_long_reply_or_document_is_searched_in_a_moment(name: str) -> None:
    search = {**ALONE, **OF_CHUNKS}[name]
    length = 10_000 if name == "cutting" else 35_000 if name in OF_CHUNKS else CHARACTERS
    assert not dict(_too_slow(search, length, 2 * SECONDS if name == "cutting" else SECONDS))


@pytest.mark.parametrize("suffix", [".md", ".rst", ".json", ".csv"])
def test_a_file_is_read_in_a_moment(suffix: str, tmp_path: Path) -> None:
    def read_file(whole: str) -> None:
        path = tmp_path / f"one{suffix}"
        path.write_text(whole, "utf-8")
        list(read(path, ReadOptions()))

    assert not dict(_too_slow(read_file, CHARACTERS))


@pytest.mark.parametrize(
    ("suffix", "repeated"),
    [
        (".html", "<h2>a</h2>b"), (".html", "<h2>a<p>b"), (".html", "<h2>"), (".html", "<h2>a<b>"),
        (".html", "<h2><ul><li>"), (".md", "# a\n"), (".rst", "a\n===\n"), (".rst", "===\na\n"),
    ],
)  # fmt: skip
def test_a_file_of_nothing_but_headings_is_read_in_a_moment(
    suffix: str, repeated: str, tmp_path: Path
) -> None:
    def read_file(whole: str) -> None:
        path = tmp_path / f"one{suffix}"
        path.write_text(whole, "utf-8")
        list(read(path, ReadOptions()))

    assert not _slow(read_file, lambda n: repeated * (n // len(repeated)), CHARACTERS)


# What only a list may be made of. A search that takes quadratic time takes minutes for one of them.
OF_LISTS: dict[str, tuple[str, str, str]] = {
    "rows": ("", "| a | b |\n", ""),
    "bars and kinds": ("", '("entity"|a|', ""),
    "claims": ("", "(a|b|T|TRUE|x|y|z|w)\n", ""),
    "escapes": ('{"a": "', '\\"', ""),
    "open objects": ("[", '{"name": "a", ', ""),
    "brackets in brackets": ("", "[", '"a"'),
    "arrays": ("[", '["a"],', "]"),
    "items": ("", "- a (b): c\n", ""),
    "other delimiters": ("", "<|>|\t,;<SEP>||｜", ""),
    "mixed forms": ("", '("entity"<|>a<|>b<|>c)\n("entity"|a|b|c)\n{"name":"a","type":"b"}\n', ""),
}


@pytest.mark.parametrize("claims", [False, True])
@pytest.mark.parametrize("name", OF_LISTS)
def test_a_long_list_of_any_form_is_read_in_a_moment(name: str, claims: bool) -> None:
    before, repeated, after = OF_LISTS[name]
    assert not _slow(
        partial(read_list, claims=claims),
        lambda length: before + repeated * (length // len(repeated)) + after,
        CHARACTERS,
    )


def test_a_name_with_many_statements_is_described_in_a_moment() -> None:
    """Each statement was compared with all others, though few fit into a description."""
    backend = ExtractiveIndexBackend(160, len)
    said = "Ann{0} met Bob{0} in town{0} with friend{0}.\n"

    def describe(text: str) -> str | ReplyError:
        [summary] = result_without_requests(
            backend.summarize([model.DescribedThing("Ann1", [text])])
        )
        return summary

    assert describe(said.format(1)) == said.format(1).strip()
    assert not _slow(describe, lambda n: "".join(map(said.format, range(n))), 10_000)


def _too_slow(
    search: Callable[[str], object], length: int, seconds: float = SECONDS
) -> Iterator[tuple[str, float]]:
    """The shapes that take too long, each with its seconds of processor time."""
    search("Marley was dead. He paid $5 in 1843.")  # what is loaded once
    for name in SHAPES:
        if took := _slow(search, partial(shape, name), length, seconds):
            yield name, took


def _slow(
    search: Callable[[str], object],
    text_of: Callable[[int], str],
    length: int,
    most: float = SECONDS,
) -> float:
    """The processor time of a search, if it is more than `most` and not linear; else 0.

    On a slow machine a linear search may take more, too, but half of it for half of the text: a
    quadratic one takes a quarter.
    """

    def seconds(n: int) -> float:
        whole, tries = text_of(n), []
        for _ in range(2):  # a collection of garbage may come into one
            began = time.process_time()
            search(whole)
            tries.append(time.process_time() - began)
            if tries[-1] <= most:
                break
        return min(tries)

    took = seconds(length)
    return took if took > most and took > 3 * seconds(length // 2) else 0.0
