"""Token counts as o200k_base has them, whatever the model; what repeats is counted once."""

from functools import lru_cache

from graphrag_neo4j.text.tokens import encoding

__all__ = ["count", "cut", "cut_beginning", "words_of"]


@lru_cache(maxsize=10_000)
def count(text: str) -> int:
    """Tokens of a text."""
    return len(encoding("o200k_base").encode_ordinary(text))


def cut(text: str, limit: int) -> str:
    """The longest beginning of a text that ends between characters and within `limit` tokens."""
    if len(text.encode("utf-8", "replace")) <= limit or count(text) <= limit:
        return text
    ids = encoding("o200k_base").encode_ordinary(text)[:limit]
    return encoding("o200k_base").decode(ids).rstrip("\ufffd")


def cut_beginning(text: str, limit: int) -> str:
    """The end of a text within `limit` tokens."""
    if count(text) <= limit:
        return text
    ids = encoding("o200k_base").encode_ordinary(text)[-limit:]
    return encoding("o200k_base").decode(ids).lstrip("\ufffd")


def words_of(tokens: list[int]) -> tuple[str, ...]:
    """The words that token ids stand for, in that one of the two encodings that knows yes and no.

    A request does not say which encoding its ids are of, and the answers wanted are mostly these.
    """
    for name in ("o200k_base", "cl100k_base"):
        words = tuple(encoding(name).decode([token]).strip() for token in tokens)
        if {"yes", "no"} <= {word.casefold() for word in words}:
            return words
    return tuple(encoding("o200k_base").decode([token]).strip() for token in tokens)
