"""Thoughts before a reply are left out, whole and streamed, however the pieces fall."""

from collections.abc import AsyncGenerator

import pytest

from graphrag_neo4j.llm.endpoint.reasoning_tags import remove_reasoning, remove_reasoning_streamed

HARMONY = (
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
    "<|channel|>commentary<|message|>Well.<|end|><|start|>assistant<|channel|>final<|message|>"
)
PLAIN = (  # heard as they are said
    "Yes <think>no</think>.",
    "<thin air> is up here.",
    "<",
    "[1] is the first. Then more of it follows, and more and more and more.",
    "It ends its thoughts with `</think>`. Always.",
    "",
)


async def pieces(said: str, size: int) -> AsyncGenerator[str, None]:
    for start in range(0, len(said), size):
        yield said[start : start + size]


@pytest.mark.parametrize("size", [1, 3, 7, 100])
@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("<think>Hm.\nWell.</think>\n\nYes.", "Yes."),
        ("  <think></think>Yes.", "Yes."),
        ("<thinking>Hm.</thinking>Yes.", "Yes."),
        ("[THINK]Hm.[/THINK]Yes.", "Yes."),
        ("Hm, well.\n</think>\n\nYes.", "Yes."),
        ("<think>Hm. It never ends", ""),
        ("<|channel|>analysis<|message|>Hm.<|end|>", ""),
        (f"{HARMONY}Yes.", "Yes."),
        ("<|channel|>final<|message|>Yes.", "Yes."),
        *((text, text) for text in PLAIN),
    ],
)
async def test_whole_and_in_pieces(said: str, heard: str, size: int) -> None:
    kept: list[str] = []
    assert remove_reasoning(said) == heard
    async for piece in remove_reasoning_streamed(pieces(said, size), restart=kept.clear):
        kept += [piece]
    assert "".join(kept).lstrip() == heard


async def test_what_is_known_to_begin_without_a_mark_is_held_back() -> None:
    heard = remove_reasoning_streamed(pieces("Hm, well.</think>Yes.", 3), hidden=True)
    assert "".join([piece async for piece in heard]) == "Yes."
