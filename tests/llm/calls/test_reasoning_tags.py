"""Thoughts before a reply are left out, whole and streamed, however the pieces fall."""

from collections.abc import AsyncGenerator

import pytest

from graphrag_neo4j.llm.calls.reasoning_tags import remove_reasoning, remove_reasoning_streamed


@pytest.mark.parametrize("size", [1, 3, 7, 100])
@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("<think>Hm.\nWell.</think>\n\nYes.", "Yes."),
        ("  <think></think>Yes.", "Yes."),
        ("Yes <think>no</think>.", "Yes <think>no</think>."),
        ("<thin air> is up here.", "<thin air> is up here."),
        ("<", "<"),
        ("", ""),
    ],
)
async def test_whole_and_in_pieces(said: str, heard: str, size: int) -> None:
    async def pieces() -> AsyncGenerator[str, None]:
        for start in range(0, len(said), size):
            yield said[start : start + size]

    assert remove_reasoning(said) == heard
    assert "".join([p async for p in remove_reasoning_streamed(pieces())]).lstrip() == heard
