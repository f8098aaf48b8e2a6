"""Connections, transactions and errors: the one place that imports the driver.

Statements are named by their file, `cypher/<name>.cypher`; whatever varies is a parameter.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from typing import Any, LiteralString, TypeVar, overload

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
    Driver,
    GraphDatabase,
    NotificationDisabledClassification,
    NotificationMinimumSeverity,
)
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DatabaseError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
)

from graphrag_neo4j.errors import GraphBusyError, GraphError, GraphStoppedError, InputError
from graphrag_neo4j.graph.address import BROWSER_PORTS, check_address
from graphrag_neo4j.graph.own import OwnServer, living
from graphrag_neo4j.graph.rows import IdRow
from graphrag_neo4j.resources import read_statement

__all__ = ["Graph", "Row", "Transaction", "connect"]

Row = dict[str, Any]
T = TypeVar("T")
R = TypeVar("R")  # a TypedDict of the columns that a statement returns
# What is said of a database that Neo4j has given up.
STOPPED = (
    "critical error, and needs to be restarted",
    "No space left on device",
    "Neo.DatabaseError.Transaction.TransactionCommitFailed",
    "Neo.DatabaseError.Transaction.TransactionLogError",
)


class Transaction:
    """A transaction that runs statements by name."""

    def __init__(self, inner: AsyncManagedTransaction) -> None:
        self._inner = inner

    @overload
    async def run(self, name: str, row: type[R], /, **parameters: object) -> list[R]: ...

    @overload
    async def run(self, name: str, /, **parameters: object) -> list[Row]: ...

    async def run(self, name: str, _row: object = None, /, **parameters: object) -> list[Any]:
        """The rows that the statement `name` gives.

        The second argument is the TypedDict of these rows, for the type checker alone; a test
        compares its keys with the columns that Neo4j gives.
        """
        result = await self._inner.run(read_statement(name), parameters)
        return await result.data()


class Graph:
    """A database in Neo4j; `version`: of its server, as (2026, 1).

    While `lease` names a build, each writing transaction first makes sure that this build still
    holds the lease, so a run that was suspended cannot write beside its successor.
    """

    def __init__(
        self,
        driver: AsyncDriver,
        address: str,
        auth: tuple[str, str],
        database: str | None,
        version: tuple[int, int],
        *,
        own: OwnServer | None = None,
    ) -> None:
        self.address = address
        self.database = database
        self.version = version
        self.lease: str | None = None
        self._driver = driver
        self._auth = auth
        self._own = own

    async def refuse_stopped(self) -> None:
        """Raises GraphStoppedError if the database works no more; it may still be connected to."""
        await self.run_plain("RETURN 1")

    @overload
    async def read(self, name: str, row: type[R], /, **parameters: object) -> list[R]: ...

    @overload
    async def read(self, name: str, /, **parameters: object) -> list[Row]: ...

    async def read(self, name: str, _row: object = None, /, **parameters: object) -> list[Any]:
        """The rows of a reading statement, typed as in `Transaction.run`."""
        with self._translated():
            async with self._session(READ_ACCESS) as session:
                return await session.execute_read(_run, name, parameters)

    @overload
    async def write(self, name: str, row: type[R], /, **parameters: object) -> list[R]: ...

    @overload
    async def write(self, name: str, /, **parameters: object) -> list[Row]: ...

    async def write(self, name: str, _row: object = None, /, **parameters: object) -> list[Any]:
        """The rows of a writing statement, in a transaction of its own; typed as in `run`."""
        return await self.transact(lambda tx: tx.run(name, **parameters))

    async def transact(
        self, work: Callable[[Transaction], Awaitable[T]], *, fenced: bool = True
    ) -> T:
        """What `work` returns, all its statements in one transaction; it may be called again.

        Under a lease such transactions come one after the other, but for one without the fence.
        """

        async def behind_fence(inner: AsyncManagedTransaction) -> T:
            tx = Transaction(inner)
            if fenced and self.lease and not await tx.run("build/fence", IdRow, build=self.lease):
                raise GraphBusyError("Another run has taken over this graph; this one stops.")
            return await work(tx)

        with self._translated():
            async with self._session(WRITE_ACCESS) as session:
                return await session.execute_write(behind_fence)

    async def run_plain(self, statement: LiteralString, **parameters: object) -> list[Row]:
        """The rows of a statement of our own making (schema), in an auto-commit transaction."""
        with self._translated():
            async with self._session(WRITE_ACCESS) as session:
                return await (await session.run(statement, parameters)).data()

    @contextmanager
    def lend_driver(self) -> Iterator[Driver]:
        """A synchronous driver, for a client that takes no other; for use in a thread."""
        driver = GraphDatabase.driver(self.address, auth=self._auth, resolver=living(self._own))
        with self._translated(), driver as lent:
            yield lent

    def _translated(self) -> AbstractContextManager[None]:
        return _translated(self.address, self._own)

    def _session(self, access: str) -> AsyncSession:
        return self._driver.session(database=self.database, default_access_mode=access)


@asynccontextmanager
async def connect(
    uri: str,
    username: str,
    password: str,
    database: str | None = None,
    own: OwnServer | None = None,
) -> AsyncIterator[Graph]:
    """A graph on a server that answers.

    `own`: the server, where it is one on this machine that we have started.
    Raises InputError for an address that is none, GraphError where the server does not answer
    or refuses the user.
    """
    auth = (username, password)
    with _translated(uri, own), _address_checked(uri):
        driver = AsyncGraphDatabase.driver(
            uri,
            auth=auth,
            resolver=living(own),
            # A label that nothing carries yet is no news in an empty graph; nor are two nodes
            # found by their keys, which Neo4j calls a cartesian product.
            notifications_min_severity=NotificationMinimumSeverity.WARNING,
            notifications_disabled_classifications=[
                NotificationDisabledClassification.UNRECOGNIZED,
                NotificationDisabledClassification.SCHEMA,
            ],
        )
    async with driver:
        with _translated(uri, own), _address_checked(uri):
            server = await driver.get_server_info()
        yield Graph(driver, uri, auth, database, _version(server.agent), own=own)


def _version(agent: str) -> tuple[int, int]:
    """Year and month, or major and minor, of what a server calls itself: Neo4j/2026.01.4.

    >>> _version("Neo4j/5.27-aura")
    (5, 27)
    """
    found = re.search(r"(\d+)\.(\d+)", agent)
    return (int(found[1]), int(found[2])) if found else (0, 0)


async def _run(
    inner: AsyncManagedTransaction, name: str, parameters: dict[str, object]
) -> list[Row]:
    return await Transaction(inner).run(name, **parameters)


@contextmanager
def _address_checked(uri: str) -> Iterator[None]:
    """An address that the driver can't use, as a sentence; a password in it is not repeated."""
    check_address(uri)
    try:
        yield
    except (ConfigurationError, ValueError) as error:
        raise InputError(f"NEO4J_URI={uri} is no address of a Neo4j: {error}.") from None


@contextmanager
def _translated(address: str, own: OwnServer | None = None) -> Iterator[None]:
    """The driver's errors as ours, each a sentence that says what to do."""
    try:
        yield
    except AuthError:
        raise GraphError(
            f"Neo4j at {address} refuses the user name or the password: "
            "set NEO4J_USERNAME and NEO4J_PASSWORD."
        ) from None
    except (ServiceUnavailable, OSError) as error:
        if own:
            own.refuse_ended()
        raise GraphError(_silence_sentence(address)) from error
    except ClientError as error:
        raise GraphError(_client_sentence(address, error)) from error
    except (Neo4jError, DriverError) as error:
        if own and isinstance(error, DriverError):
            own.refuse_ended()
        if isinstance(error, DatabaseError) and any(said in str(error) for said in STOPPED):
            raise GraphStoppedError(own.stopped() if own else _stopped(address)) from error
        raise GraphError(f"Neo4j at {address} failed: {error}.") from error


def _silence_sentence(address: str) -> str:
    if any(address.rstrip("/").endswith(f":{port}") for port in BROWSER_PORTS):
        return (
            f"Neo4j at {address} does not answer: this is the port of its web pages; the one for "
            "the driver is mostly 7687. Correct NEO4J_URI."
        )
    return f"Neo4j at {address} does not answer: start it, or set NEO4J_URI to one that runs."


def _stopped(address: str) -> str:
    return (
        f"Neo4j at {address} has stopped this database after an error, most often because its disk "
        "is full: see its log, make room, start that Neo4j again, and run the same command; what "
        "was saved is not lost."
    )


def _client_sentence(address: str, error: ClientError) -> str:
    code = error.code or ""
    if code.endswith("DatabaseNotFound"):
        return f"Neo4j at {address} has no such database: set NEO4J_DATABASE to one that it has."
    return f"Neo4j at {address} refused a statement ({code}): {error.message}"
