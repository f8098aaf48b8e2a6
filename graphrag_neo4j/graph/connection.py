"""A graph in Neo4j and its transactions; the module `driver` opens it.

The name of a statement is that of its file, `cypher/<name>.cypher`; all values are parameters.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, LiteralString, Protocol, TypeVar

import anyio

from graphrag_neo4j.errors import GraphBusyError
from graphrag_neo4j.files import read_statement
from graphrag_neo4j.graph.rows import IdRow

if TYPE_CHECKING:
    from neo4j import AsyncDriver, AsyncManagedTransaction, AsyncSession, Driver
    from neo4j.api import AsyncBookmarkManager

Row = dict[str, object]
"""A row of a list that a statement gets as a parameter."""
PlainRow = dict[str, Any]
"""A row that `Graph.run_plain` returns: its columns depend on the statement."""
T = TypeVar("T")
R = TypeVar("R")  # a TypedDict or a dataclass of the columns that a statement returns
# Returns the rows of a statement as maps in lists.
BULK = """CALL () {{
{statement}
}}
WITH collect({{{columns}}}) AS rows
UNWIND range(0, size(rows) - 1, {size}) AS first
RETURN rows[first..first + {size}] AS rows"""
BULK_SIZE = 1000  # rows in a list
LOCK_SECONDS = 20  # the longest wait for a lock of another process
TAKEN_OVER = "Another run has taken over this graph; this one stops."
READ, WRITE = "READ", "WRITE"  # the driver's words for the access of a session


class OwnServer(Protocol):
    """A server on this machine whose process and disk can be inspected."""

    def address(self) -> tuple[str, int]:
        """Its host and port, which a restart may change. Raises GraphError if it has ended."""

    def stopped(self) -> str:
        """A sentence that says why the database may have stopped, and what to do."""


class Transaction:
    """A transaction that runs statements by name."""

    def __init__(self, inner: "AsyncManagedTransaction") -> None:
        self._inner = inner

    async def run(self, name: str, row: type[R] | None = None, /, **parameters: object) -> list[R]:
        """Runs the statement `name`; returns its rows if the type of these rows is given.

        This type is a TypedDict or a dataclass; a test compares its fields with the columns that
        Neo4j returns. Without a type nothing is returned, so that no row is untyped.
        """
        result = await self._inner.run(read_statement(name), parameters)
        if row is None:
            await result.consume()
            return []
        return [row(**dict(record)) async for record in result]

    async def run_bulk(self, name: str, row: type[R], /, **parameters: object) -> list[R]:
        """Runs a reading statement that returns many rows; they come in any order.

        The driver takes eight times as long for a row as for a map in a list. So the rows travel as
        lists of maps. `row` is the TypedDict of the rows.
        """
        columns = ", ".join(f"{column}: {column}" for column in row.__annotations__)
        statement = BULK.format(statement=read_statement(name), columns=columns, size=BULK_SIZE)
        result = await self._inner.run(statement, parameters)
        return [one async for record in result for one in record[0]]


class Graph:
    """A database in Neo4j. `version` is that of its server, for example (2026, 1).

    A call sees what earlier calls have written, also where a follower of a cluster answers it.

    While `lease` names a build, each writing transaction first checks that this build still holds
    the lease. So a run that was suspended can't write at the same time as its successor. Its
    transactions carry the build's name, so that the successor can end them.
    """

    def __init__(
        self,
        driver: "AsyncDriver",
        address: str,
        auth: tuple[str, str],
        database: str | None,
        version: tuple[int, int],
        *,
        bookmarks: "AsyncBookmarkManager | None" = None,
        own: OwnServer | None = None,
    ) -> None:
        self.address = address
        self.database = database
        self.version = version
        self.lease: str | None = None
        self._driver = driver
        self._auth = auth
        self._own = own
        self._writing = anyio.Lock()
        self._bookmarks = bookmarks

    async def refuse_stopped(self) -> None:
        """Raises GraphStoppedError if the database has stopped although its server answers."""
        await self.run_plain("RETURN 1")

    async def read(self, name: str, row: type[R] | None = None, /, **parameters: object) -> list[R]:
        """Runs a reading statement; returns its rows as `Transaction.run` does."""
        with self._translated():
            async with self._session(READ) as session:
                return await session.execute_read(
                    lambda inner: Transaction(inner).run(name, row, **parameters)
                )

    async def read_bulk(self, name: str, row: type[R], /, **parameters: object) -> list[R]:
        """Runs a reading statement as `Transaction.run_bulk` does."""
        with self._translated():
            async with self._session(READ) as session:
                return await session.execute_read(
                    lambda inner: Transaction(inner).run_bulk(name, row, **parameters)
                )

    async def stream(self, name: str, row: type[R], /, **parameters: object) -> AsyncIterator[R]:
        """Runs a reading statement, and gives its rows one by one: few are in memory at a time."""
        with self._translated():
            async with self._session(READ) as session:
                result = await session.run(read_statement(name), parameters)
                async for record in result:
                    yield row(**dict(record))

    async def write(
        self, name: str, row: type[R] | None = None, /, **parameters: object
    ) -> list[R]:
        """Runs a writing statement in its own transaction; returns as `run` does."""
        return await self.transact(lambda tx: tx.run(name, row, **parameters))

    async def transact(
        self,
        work: Callable[[Transaction], Awaitable[T]],
        *,
        fenced: bool = True,
        seconds: float | None = None,
    ) -> T:
        """Runs all statements of `work` in one transaction and returns its result.

        The driver may call `work` again after a transient error. Under a lease these transactions
        run one after the other; with `fenced` False a transaction does not wait for the others.
        Neo4j ends a transaction after so many `seconds`. Raises GraphBusyError if it waits for a
        lock too long.
        """
        from neo4j import unit_of_work  # noqa: PLC0415 - with the driver, when a graph is open

        @unit_of_work({"kg_build": self.lease} if self.lease else None, seconds)
        async def behind_fence(inner: "AsyncManagedTransaction") -> T:
            tx = Transaction(inner)
            if fenced and self.lease and not await tx.run("build/fence", IdRow, build=self.lease):
                raise GraphBusyError(TAKEN_OVER)
            return await work(tx)

        # They wait for one another here, so only for other processes on locks that have a limit.
        async with self._writing if fenced and self.lease else anyio.Lock():
            with self._translated():
                async with self._session(WRITE) as session:
                    return await session.execute_write(behind_fence)

    async def change_schema(self, statement: LiteralString, **parameters: object) -> None:
        """Makes or drops an index or a constraint. Raises GraphBusyError if its label stays locked.

        A read by an index of the label also locks it. No limit of Neo4j for the time of a
        transaction ends this wait. What is cancelled here is ended by Neo4j.
        """
        for _ in range(3):
            with suppress(GraphBusyError), anyio.move_on_after(LOCK_SECONDS):
                await self.run_plain(statement, **parameters)
                return
        raise GraphBusyError(locked_sentence(self.address))

    async def run_plain(self, statement: LiteralString, **parameters: object) -> list[PlainRow]:
        """Runs a statement that is made in Python, auto-committed; returns its rows."""
        with self._translated():
            async with self._session(WRITE) as session:
                return await (await session.run(statement, parameters)).data()

    @contextmanager
    def lend_driver(self) -> Iterator["Driver"]:
        """Lends a synchronous driver, to be used in a thread."""
        from graphrag_neo4j.graph.driver import lend_driver  # noqa: PLC0415 - as above

        with lend_driver(self.address, *self._auth, own=self._own) as lent:
            yield lent

    def _translated(self) -> AbstractContextManager[None]:
        from graphrag_neo4j.graph.driver import translated  # noqa: PLC0415 - as above

        return translated(self.address, self._own)

    def _session(self, access: str) -> "AsyncSession":
        return self._driver.session(
            database=self.database, default_access_mode=access, bookmark_manager=self._bookmarks
        )


def locked_sentence(address: str) -> str:
    """What is said of a lock that another transaction holds for too long."""
    return (
        f"Another transaction in Neo4j at {address} holds a lock that is needed here: wait for it, "
        "or end it (SHOW TRANSACTIONS, TERMINATE TRANSACTION), and run the same command again."
    )
