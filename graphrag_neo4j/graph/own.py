"""What is known of a server of our own, and of no other: whether its process lives."""

from collections.abc import Callable
from typing import Protocol

from neo4j import Address

__all__ = ["OwnServer", "living"]


class OwnServer(Protocol):
    """A server on this machine whose process and disk we can look at."""

    def refuse_ended(self) -> None:
        """Raises GraphError if its process has ended."""

    def stopped(self) -> str:
        """Why its database may have stopped, and what to do: one sentence."""


def living(own: OwnServer | None) -> Callable[[Address], list[Address]]:
    """A resolver of addresses for the driver that finds none where our own server has ended.

    The driver asks it before each attempt to connect. It would go on trying for half a minute,
    and the client of GDS for ten minutes, to reach a server that is no more. The resolver raises
    GraphError.
    """

    def resolve(address: Address) -> list[Address]:
        if own:
            own.refuse_ended()
        return [address]

    return resolve
