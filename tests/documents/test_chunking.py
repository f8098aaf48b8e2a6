"""Cutting documents into chunks: nothing lost, nothing too long, borders that heal."""

import os
import tracemalloc
from collections import Counter
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.documents.chunking import cut
from graphrag_neo4j.model.types import Span
from graphrag_neo4j.text import tokens

WORDS = st.sampled_from(
    [
        "Ann", "said:", "I’m", "well.", "Why?", "<|endoftext|>", "。", "！", "你好", "知识图谱",
        "สวัสดีครับ", "नमस्ते", "한국어", "각", "é", "👩‍👩‍👧‍👦", "🇨🇭", "👍🏽",
        "Z͑ͫ̓ͪ̂ͫ̽", "-", "...", "…", "(a)", "12,345.6", "\n", "\n\n", "\r\n", "\r", " ", "  ", "\t",
        "\f", "\u0301", "\u200d", "x" * 50,
    ]
)  # fmt: skip
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=80).map("".join)
BUDGETS = st.tuples(st.integers(1, 60), st.integers(0, 30)).map(
    lambda b: (b[0], min(b[1], b[0] // 2))
)


def chunks(text: str, max_tokens: int = 600, overlap: int = 100) -> list[Span]:
    return cut(text, max_tokens=max_tokens, overlap=overlap)


@given(TEXTS, BUDGETS)
def test_chunks_hold_all_text_within_their_budget_and_overlap_by_their_ends(
    text: str, budget: tuple[int, int]
) -> None:
    spans = chunks(text, *budget)
    assert "".join(text[span.fresh : span.end] for span in spans) == (text if text.strip() else "")
    if text.strip() and tokens.count(text) <= budget[0]:
        assert [(span.start, span.end) for span in spans] == [(0, len(text))]
    borders = {0, *(match.end() for match in regex.finditer(r"\X", text))}  # between graphemes
    for span in spans:
        chunk = text[span.start : span.end]
        assert span.n_tokens == tokens.count(chunk)
        assert span.n_tokens <= budget[0] or regex.fullmatch(r"\X", chunk)
        assert {span.start, span.fresh, span.end} <= borders
    for before, span in pairwise(spans):
        assert before.fresh <= span.start <= span.fresh == before.end < span.end
        assert tokens.count(text[span.start : span.fresh]) <= budget[1]


def transcripts() -> list[Path]:
    """The sample, and the folder that KG_TEST_PODCAST names."""
    folders = [Path(str(files("graphrag_neo4j") / "data" / "sample"))]
    if more := os.environ.get("KG_TEST_PODCAST"):
        folders.append(Path(more))
    return sorted(path for folder in folders for path in folder.glob("*.txt"))


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem[:30])
def test_one_edited_sentence_changes_at_most_three_chunks(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    before = texts_of(text)
    sentences = [match.span() for match in regex.finditer(r"[^.!?\n]+[.!?]\s", text)]
    for share in (0.1, 0.5, 0.8):
        start, end = sentences[int(len(sentences) * share)]
        for new in ("This sentence was edited. ", "", text[start:end] + "This one is new. "):
            after = texts_of(text[:start] + new + text[end:])
            assert (after - before).total() <= 3
            assert (before - after).total() <= 3


@pytest.mark.parametrize(
    "text",
    [
        "The same line comes again and again, whatever you do.\n" * 500,
        "".join(f"10:{n % 60:02d} GET /page/{n} took {n % 7} ms, status 200\n" for n in range(500)),
        "x" * 20_000,
        "just words without any end " * 700,
    ],
    ids=["one line", "a log", "one letter", "no sentence"],
)
def test_text_that_repeats_itself_fills_its_chunks(text: str) -> None:
    spans = chunks(text)
    assert len(spans) < 8 + 3 * tokens.count(text) / 600


def texts_of(text: str) -> Counter[str]:
    return Counter(text[span.start : span.end] for span in chunks(text))


def test_a_long_text_takes_little_more_memory_than_itself() -> None:
    text = "".join(f"The {i}th sentence stands alone here. And so on,\n\n" for i in range(2_500))
    cut(text[:1000], max_tokens=600, overlap=100)  # what is loaded once
    tracemalloc.start()
    cut(text, max_tokens=600, overlap=100)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * len(text)
