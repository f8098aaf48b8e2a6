"""Thoughts before a reply are left out, whole and streamed, however the pieces fall."""

from collections.abc import AsyncGenerator

import pytest

from graphrag_neo4j.llm.calls.reasoning_tags import remove_reasoning, remove_reasoning_streamed

HARMONY = (
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
    "<|channel|>commentary<|message|>Well.<|end|><|start|>assistant<|channel|>final<|message|>"
)


@pytest.mark.parametrize("size", [1, 3, 7, 100])
@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("<think>Hm.\nWell.</think>\n\nYes.", "Yes."),
        ("  <think></think>Yes.", "Yes."),
        ("Yes <think>no</think>.", "Yes <think>no</think>."),
        ("<thin air> is up here.", "<thin air> is up here."),
        ("<", "<"),
        ("[1] is the first. Then more of it follows, and more and more and more.", None),
        ("<thinking>Hm.</thinking>Yes.", "Yes."),
        ("[THINK]Hm.[/THINK]Yes.", "Yes."),
        ("Hm, well.\n</think>\n\nYes.", "Yes."),
        ("It ends its thoughts with `</think>`. Always.", None),
        ("<think>Hm. It never ends", ""),
        ("<|channel|>analysis<|message|>Hm.<|end|>", ""),
        (f"{HARMONY}Yes.", "Yes."),
        ("<|channel|>final<|message|>Yes.", "Yes."),
        ("", ""),
    ],
)
async def test_whole_and_in_pieces(said: str, heard: str | None, size: int) -> None:
    """`heard` is None for a text that is heard as it was said."""
    kept: list[str] = []

    async def pieces() -> AsyncGenerator[str, None]:
        for start in range(0, len(said), size):
            yield said[start : start + size]

    wanted = said if heard is None else heard
    assert remove_reasoning(said) == wanted
    async for piece in remove_reasoning_streamed(pieces(), restart=kept.clear):
        kept += [piece]
    assert "".join(kept).lstrip() == wanted


async def test_what_is_known_to_begin_without_a_mark_is_held_back() -> None:
    async def pieces() -> AsyncGenerator[str, None]:
        for piece in ("Hm, ", "well.", "</think>", "Yes", "."):
            yield piece

    heard = [piece async for piece in remove_reasoning_streamed(pieces(), hidden=True)]
    assert "".join(heard) == "Yes."
