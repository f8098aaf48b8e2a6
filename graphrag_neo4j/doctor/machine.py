"""Checks this machine: the version of Python, and the data of the tokenizer."""

import anyio.to_thread

from graphrag_neo4j import tokens
from graphrag_neo4j.doctor.check import Check, tried

__all__ = ["check_python", "check_tokenizer"]

OLDEST = (3, 11)


def check_python(version: tuple[int, int]) -> Check:
    """Checks whether this version (major, minor) of Python is new enough."""
    says = f"Python {version[0]}.{version[1]}."
    if version >= OLDEST:
        return Check("Python", True, says)
    return Check("Python", False, says, "Use Python 3.11 or newer.")


async def check_tokenizer(encoding: str) -> Check:
    """Checks whether the data of this encoding are available, so that tokens can be counted."""

    async def load() -> str:
        await anyio.to_thread.run_sync(tokens.encoding, encoding)
        return f"The data of the encoding {encoding} are available."

    return await tried("Tokenizer", load())
