"""The result of a check, and helpers that make one from work that may fail."""

from collections.abc import Awaitable
from dataclasses import dataclass

from graphrag_neo4j.errors import GraphRAGError

__all__ = ["Check", "not_made", "tried"]


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check.

    `ok` is None if the check was not possible or not needed, which is not an error. `says` is the
    result in one sentence. `fix` says what to do, if `says` does not; it may
    have several lines.
    """

    name: str
    ok: bool | None
    says: str
    fix: str = ""


async def tried(name: str, work: Awaitable[str], fix: str = "", about: str = "") -> Check:
    """Makes a check from `work`: its result or its error is the sentence, which `about` begins."""
    try:
        return Check(name, True, about + await work)
    except GraphRAGError as error:
        # The messages of Neo4j may have several lines.
        return Check(name, False, about + " ".join(str(error).split()), fix)


def not_made(reason: str, *names: str) -> list[Check]:
    """Returns a result for each check that is impossible because an earlier check failed."""
    return [Check(name, None, f"Not checked, since {reason}.") for name in names]
