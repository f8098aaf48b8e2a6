"""Cutting documents into chunks: nothing lost, nothing too long, borders that heal."""

from itertools import pairwise

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_neo4j import tokens
from graphrag_neo4j.chunking import cut
from graphrag_neo4j.model import Span

ENCODING = "o200k_base"
WORDS = st.sampled_from(
    [
        "Ann",
        "said:",
        "I’m",
        "well.",
        "Why?",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "\t",
        "\f",
        "<|endoftext|>",
        "。",
        "！",
        "你好",
        "知识图谱",
        "สวัสดีครับ",
        "नमस्ते",
        "한국어",
        "각",
        "é",
        "👩‍👩‍👧‍👦",
        "🇨🇭",
        "👍🏽",
        "\u0301",
        "\u200d",
        "Z͑ͫ̓ͪ̂ͫ̽",
        "x" * 50,
        "-",
        "...",
        "…",
        "(a)",
        "12,345.6",
    ]
)
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=80).map("".join)
BUDGETS = st.tuples(st.integers(1, 60), st.integers(0, 30)).map(
    lambda b: (b[0], min(b[1], b[0] // 2))
)


def chunks(text: str, max_tokens: int = 600, overlap: int = 100) -> list[Span]:
    return cut(text, max_tokens=max_tokens, overlap=overlap, encoding=ENCODING)


def borders_of_graphemes(text: str) -> set[int]:
    return {0, *(match.end() for match in regex.finditer(r"\X", text))}


@settings(deadline=None)
@given(TEXTS, BUDGETS)
def test_no_character_is_lost_and_none_is_new_twice(text: str, budget: tuple[int, int]) -> None:
    spans = chunks(text, *budget)
    assert "".join(text[span.fresh : span.end] for span in spans) == (text if text.strip() else "")


@settings(deadline=None)
@given(TEXTS, BUDGETS)
def test_a_chunk_is_within_its_budget_or_one_grapheme(text: str, budget: tuple[int, int]) -> None:
    for span in chunks(text, *budget):
        chunk = text[span.start : span.end]
        assert span.n_tokens == tokens.count(chunk, ENCODING)
        assert span.n_tokens <= budget[0] or regex.fullmatch(r"\X", chunk)


@settings(deadline=None)
@given(TEXTS, BUDGETS)
def test_no_border_stands_within_a_grapheme(text: str, budget: tuple[int, int]) -> None:
    allowed = borders_of_graphemes(text)
    for span in chunks(text, *budget):
        assert {span.start, span.fresh, span.end} <= allowed


@settings(deadline=None)
@given(TEXTS, BUDGETS)
def test_the_overlap_is_the_end_of_the_chunk_before(text: str, budget: tuple[int, int]) -> None:
    spans = chunks(text, *budget)
    for before, span in pairwise(spans):
        assert before.fresh <= span.start <= span.fresh == before.end < span.end
        assert tokens.count(text[span.start : span.fresh], ENCODING) <= budget[1]
