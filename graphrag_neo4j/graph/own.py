"""The embedded server as the connection sees it: whether its process still runs."""

from collections.abc import Callable
from typing import Protocol

from neo4j import Address

__all__ = ["OwnServer", "living"]


class OwnServer(Protocol):
    """A server on this machine whose process and disk can be inspected."""

    def refuse_ended(self) -> None:
        """Raises GraphError if the process of the server has ended."""

    def stopped(self) -> str:
        """A sentence that says why the database may have stopped, and what to do."""


def living(own: OwnServer | None) -> Callable[[Address], list[Address]]:
    """A resolver of addresses for the driver that raises GraphError if the server has ended.

    The driver calls it before each attempt to connect. Without it, the driver would try for half a
    minute to reach a server that has ended, and the client of GDS for ten minutes.
    """

    def resolve(address: Address) -> list[Address]:
        if own:
            own.refuse_ended()
        return [address]

    return resolve
