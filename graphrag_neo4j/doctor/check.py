"""What a check says, and how one is made of work that may fail."""

from collections.abc import Awaitable
from dataclasses import dataclass

from graphrag_neo4j.errors import GraphRAGError

__all__ = ["Check", "not_made", "tried"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was found of one thing, in one sentence.

    `ok`: None where it could not be judged or is not needed, which is nothing wrong. `fix`: what
    to do, as far as `says` does not say so.
    """

    name: str
    ok: bool | None
    says: str
    fix: str = ""


async def tried(name: str, work: Awaitable[str], fix: str = "", about: str = "") -> Check:
    """The check that says what `work` returns, or the error that it raises; first `about`."""
    try:
        return Check(name, True, about + await work)
    except GraphRAGError as error:
        # Neo4j explains itself in several lines.
        return Check(name, False, about + " ".join(str(error).split()), fix)


def not_made(reason: str, *names: str) -> list[Check]:
    """The checks that an earlier one has made impossible."""
    return [Check(name, None, f"Not checked, since {reason}.") for name in names]
