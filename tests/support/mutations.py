"""Mutated texts: what can go wrong while a model writes, as a strategy of hypothesis."""

from collections.abc import Sequence

from hypothesis import strategies as st

# What is put into a text: marks of JSON, and what models write around them.
INSERTED = (
    *"{}[]:,\"\\'\n…\x00\ud800", "```", "```json\n", '"score": ', "null", "NaN", "1e999", "// ",
    "Here it is: ", "<think>", "\\u00", "\\ud83d",
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, text: str, inserted: Sequence[str] = INSERTED) -> str:
    """A text after one to four mutations."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([1, 1, 1, 2, 5, 30])))
        match draw(
            st.sampled_from(["insert", "insert", "remove", "remove", "repeat", "swap", "cut"])
        ):
            case "insert":
                text = text[:start] + draw(st.sampled_from(inserted)) + text[start:]
            case "remove":
                text = text[:start] + text[end:]
            case "repeat":
                text = text[:end] + text[start:]
            case "swap":
                text = text[:start] + text[start:end][::-1] + text[end:]
            case _:
                text = text[:start] if draw(st.booleans()) else text
    return text
