"""Connections, transactions and errors. No other module uses the driver directly.

The name of a statement is that of its file, `cypher/<name>.cypher`; all values are parameters.
"""

import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from typing import Any, LiteralString, Protocol, TypeVar
from urllib.parse import urlsplit

import anyio
from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    Address,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
    Driver,
    GraphDatabase,
    NotificationDisabledClassification,
    NotificationMinimumSeverity,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DatabaseError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    TransientError,
)

from graphrag_neo4j.errors import GraphBusyError, GraphError, GraphStoppedError, InputError
from graphrag_neo4j.files import read_statement
from graphrag_neo4j.graph.rows import IdRow
from graphrag_neo4j.settings.checks import did_you_mean

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
SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
PORT = 7687  # Neo4j's port for drivers
BROWSER_PORTS = (7473, 7474)  # Neo4j's ports for web pages
LOCK_SECONDS = 20  # the longest wait for a lock of another process
# Some firewalls and load balancers forget a connection after 4 minutes without use, and drop its
# packets in silence. The driver would wait for an answer for a minute, on each such connection. So
# it takes no connection that is older than this.
CONNECTION_SECONDS = 200
TAKEN_OVER = "Another run has taken over this graph; this one stops."
# What Neo4j says of a transaction that has waited for a lock too long.
LOCKED = ("LockAcquisitionTimeout", "DeadlockDetected", "LockClientStopped")
# What is said of a database that Neo4j has given up.
STOPPED = (
    "critical error, and needs to be restarted",
    "No space left on device",
    "Neo.DatabaseError.Transaction.TransactionCommitFailed",
    "Neo.DatabaseError.Transaction.TransactionLogError",
)


class OwnServer(Protocol):
    """A server on this machine whose process and disk can be inspected."""

    def address(self) -> tuple[str, int]:
        """Its host and port, which a restart may change. Raises GraphError if it has ended."""

    def stopped(self) -> str:
        """A sentence that says why the database may have stopped, and what to do."""


class Transaction:
    """A transaction that runs statements by name."""

    def __init__(self, inner: AsyncManagedTransaction) -> None:
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


class Graph:
    """A database in Neo4j. `version` is that of its server, for example (2026, 1).

    A call sees what earlier calls have written, also where a follower of a cluster answers it.

    While `lease` names a build, each writing transaction first checks that this build still holds
    the lease. So a run that was suspended can't write at the same time as its successor. Its
    transactions carry the build's name, so that the successor can end them.
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
        self._writing = anyio.Lock()
        # A single server needs none, and after a load it would wait for a state that it never had.
        self._bookmarks = None if own else AsyncGraphDatabase.bookmark_manager()

    async def refuse_stopped(self) -> None:
        """Raises GraphStoppedError if the database has stopped although its server answers."""
        await self.run_plain("RETURN 1")

    async def read(self, name: str, row: type[R] | None = None, /, **parameters: object) -> list[R]:
        """Runs a reading statement; returns its rows as `Transaction.run` does."""
        with self._translated():
            async with self._session(READ_ACCESS) as session:
                return await session.execute_read(
                    lambda inner: Transaction(inner).run(name, row, **parameters)
                )

    async def read_bulk(self, name: str, row: type[R], /, **parameters: object) -> list[R]:
        """Runs a reading statement that returns very many rows; they come in any order.

        The driver takes eight times as long for a row as for a map in a list. So the rows travel as
        lists of maps. `row` is the TypedDict of the rows.
        """
        columns = ", ".join(f"{column}: {column}" for column in row.__annotations__)
        statement = BULK.format(statement=read_statement(name), columns=columns, size=BULK_SIZE)

        async def read(tx: AsyncManagedTransaction) -> list[R]:
            result = await tx.run(statement, parameters)
            return [one async for record in result for one in record[0]]

        with self._translated():
            async with self._session(READ_ACCESS) as session:
                return await session.execute_read(read)

    async def stream(self, name: str, row: type[R], /, **parameters: object) -> AsyncIterator[R]:
        """Runs a reading statement, and gives its rows one by one: few are in memory at a time."""
        with self._translated():
            async with self._session(READ_ACCESS) as session:
                result = await session.run(read_statement(name), parameters)
                async for record in result:
                    yield row(**dict(record))

    async def write(
        self, name: str, row: type[R] | None = None, /, **parameters: object
    ) -> list[R]:
        """Runs a writing statement in its own transaction; returns as `run` does."""
        return await self.transact(lambda tx: tx.run(name, row, **parameters))

    async def transact(
        self, work: Callable[[Transaction], Awaitable[T]], *, fenced: bool = True
    ) -> T:
        """Runs all statements of `work` in one transaction and returns its result.

        The driver may call `work` again after a transient error. Under a lease these transactions
        run one after the other; with `fenced` False a transaction does not wait for the others.
        `work` may have a limit by the driver's `unit_of_work(timeout=…)`. Raises GraphBusyError if
        it waits for a lock too long.
        """

        @unit_of_work(
            {"kg_build": self.lease} if self.lease else None, getattr(work, "timeout", None)
        )
        async def behind_fence(inner: AsyncManagedTransaction) -> T:
            tx = Transaction(inner)
            if fenced and self.lease and not await tx.run("build/fence", IdRow, build=self.lease):
                raise GraphBusyError(TAKEN_OVER)
            return await work(tx)

        # They wait for one another here, so only for other processes on locks that have a limit.
        async with self._writing if fenced and self.lease else anyio.Lock():
            with self._translated():
                async with self._session(WRITE_ACCESS) as session:
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
        raise GraphBusyError(_locked(self.address))

    async def run_plain(self, statement: LiteralString, **parameters: object) -> list[PlainRow]:
        """Runs a statement that is made in Python, auto-committed; returns its rows."""
        with self._translated():
            async with self._session(WRITE_ACCESS) as session:
                return await (await session.run(statement, parameters)).data()

    @contextmanager
    def lend_driver(self) -> Iterator[Driver]:
        """Lends a synchronous driver, to be used in a thread: the GDS client accepts no other."""
        with lend_driver(self.address, *self._auth, own=self._own) as lent:
            yield lent

    def _translated(self) -> AbstractContextManager[None]:
        return _translated(self.address, self._own)

    def _session(self, access: str) -> AsyncSession:
        return self._driver.session(
            database=self.database, default_access_mode=access, bookmark_manager=self._bookmarks
        )


def _living(own: OwnServer | None) -> Callable[[Address], list[Address]]:
    """A resolver of addresses for the driver: where a server of ours runs now.

    The driver calls it before each attempt to connect. It raises GraphError if the server has
    ended. Otherwise the driver would try for half a minute to reach it, and the client of GDS for
    ten minutes.
    """
    return lambda address: [Address(own.address()) if own else address]


@contextmanager
def lend_driver(
    uri: str, username: str, password: str, own: OwnServer | None = None
) -> Iterator[Driver]:
    """Lends a synchronous driver for a server. Raises the errors of `connect`."""
    with _translated(uri, own), _address_checked(uri):
        driver = GraphDatabase.driver(
            uri,
            auth=(username, password),
            resolver=_living(own),
            liveness_check_timeout=1,
            max_connection_lifetime=CONNECTION_SECONDS,
        )
    with _translated(uri, own), driver as lent:
        yield lent


@asynccontextmanager
async def connect(
    uri: str,
    username: str,
    password: str,
    database: str | None = None,
    own: OwnServer | None = None,
) -> AsyncIterator[Graph]:
    """Connects to a graph, and checks that its server answers.

    `own` is the embedded server, if this is its address. Raises InputError for an invalid address,
    GraphError where the server does not answer or refuses the login.
    """
    if (database or "").lower() == "system":
        raise InputError(
            "NEO4J_DATABASE=system names the database in which Neo4j keeps its users and databases,"
            " and it can't hold a graph: set it to another one, or leave it out for the default."
        )
    auth = (username, password)
    with _translated(uri, own), _address_checked(uri):
        driver = AsyncGraphDatabase.driver(
            uri,
            auth=auth,
            resolver=_living(own),
            liveness_check_timeout=1,  # the server may have been restarted meanwhile
            max_connection_lifetime=CONNECTION_SECONDS,
            # In an empty graph, a label without nodes is normal; so are two nodes that are found by
            # their keys, about which Neo4j warns as a cartesian product.
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
    """The version in the name of a server (Neo4j/2026.01.4): year and month, or major and minor.

    >>> _version("Neo4j/5.27-aura")
    (5, 27)
    """
    found = re.search(r"(\d+)\.(\d+)", agent)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def check_address(uri: str) -> None:
    """Raises InputError for an address that the driver can't use; it says which one to set.

    The message does not repeat a user name or a password.
    """
    scheme, separator, _ = uri.partition("://")
    if "@" in uri:
        raise InputError(
            "NEO4J_URI must not hold a user name or a password: "
            "set NEO4J_USERNAME and NEO4J_PASSWORD."
        )
    try:
        parts = urlsplit(uri)
        host = parts.hostname if parts.port != 0 and not re.search(r"\s", uri) else None
    except ValueError:
        host = None
    if not separator:
        flaw = f"has no scheme: set NEO4J_URI=neo4j://{uri}."
    elif scheme in {"http", "https"}:
        place = re.sub(r":\d+$", "", parts.netloc) if host else "localhost"
        flaw = (
            "is an address for web browsers, and the driver needs another one: set "
            f"NEO4J_URI=neo4j{'+s' * (scheme == 'https')}://{place}:{PORT}."
        )
    elif scheme not in SCHEMES:
        flaw = f"has an unknown scheme: begin it with one of {', '.join(SCHEMES)} and ://."
        flaw += did_you_mean(scheme, SCHEMES)
    elif not host:
        flaw = (
            f"has an invalid host or port: set, for example, NEO4J_URI={scheme}://localhost:{PORT}."
        )
    elif path := parts.path.strip("/") or parts.fragment:
        flaw = (
            f"goes on after the port: set NEO4J_URI={scheme}://{parts.netloc}, and "
            f"NEO4J_DATABASE={path} if that names the database."
        )
    else:
        return
    raise InputError(f"NEO4J_URI={uri} {flaw}")


@contextmanager
def _address_checked(uri: str) -> Iterator[None]:
    """Raises InputError for an address that the driver can't use, without its password."""
    check_address(uri)
    try:
        yield
    except (ConfigurationError, ValueError) as error:
        raise InputError(f"NEO4J_URI={uri} is not an address of a Neo4j: {error}.") from None


@contextmanager
def _translated(address: str, own: OwnServer | None = None) -> Iterator[None]:
    """Raises the driver's errors as ours, each with a sentence that says what to do."""
    try:
        yield
    except AuthError:
        way = "run the same command again" if own else "set NEO4J_USERNAME and NEO4J_PASSWORD"
        raise GraphError(
            f"Neo4j at {address} refuses the user name or the password: {way}."
        ) from None
    except (ServiceUnavailable, OSError) as error:
        if own:
            own.address()
        raise GraphError(_no_answer(address, error)) from error
    except (ClientError, TransientError) as error:
        raise _refused(address, error) from error
    except (Neo4jError, DriverError) as error:
        if own and isinstance(error, DriverError):
            own.address()
        if isinstance(error, DatabaseError) and any(part in str(error) for part in STOPPED):
            raise GraphStoppedError(
                own.stopped()
                if own
                else f"Neo4j at {address} has stopped this database after an error, most often "
                "because its disk is full: see its log, make room, start that Neo4j again, and run "
                "the same command; the saved data is not lost."
            ) from error
        raise GraphError(f"Neo4j at {address} failed: {error}.") from error


def _refused(address: str, error: Neo4jError) -> GraphError:
    code = error.code or ""
    if code.endswith(LOCKED):
        return GraphBusyError(_locked(address))
    said = f"refused a statement ({code}): {error.message}"
    if code.endswith("DatabaseNotFound"):
        said = "has no such database: set NEO4J_DATABASE to one that it has."
    elif code.endswith("AuthenticationRateLimit"):
        said = (
            "refuses every login for some seconds, after several wrong ones: check NEO4J_USERNAME "
            "and NEO4J_PASSWORD, and run the same command again in a minute."
        )
    elif code.endswith("ConstraintValidationFailed"):
        said = (
            "holds a node that this program did not make, with the number of a node of the "
            f"graph: change or remove that one. {error.message}"
        )
    return GraphError(f"Neo4j at {address} {said}")


def _locked(address: str) -> str:
    return (
        f"Another transaction in Neo4j at {address} holds a lock that is needed here: wait for it, "
        "or end it (SHOW TRANSACTIONS, TERMINATE TRANSACTION), and run the same command again."
    )


def _no_answer(address: str, error: BaseException) -> str:
    for flaw in _reasons(error):
        if isinstance(flaw, ssl.SSLCertVerificationError):
            return (
                f"The certificate of Neo4j at {address} is not trusted ({flaw.verify_message}): "
                "give it one that this machine trusts, or accept any certificate, also a "
                f"self-signed one, with NEO4J_URI={address.replace('+s://', '+ssc://')}, which "
                "encrypts but does not check which server answers."
            )
    if any(address.rstrip("/").endswith(f":{port}") for port in BROWSER_PORTS):
        return (
            f"Neo4j at {address} does not answer: this is the port of its web pages; the port for "
            f"drivers is usually {PORT}. Correct NEO4J_URI."
        )
    return f"Neo4j at {address} does not answer: start it, or set NEO4J_URI to one that runs."


def _reasons(error: BaseException | None) -> Iterator[BaseException]:
    """An error with all that led to it. Several servers of a cluster may have been tried."""
    if error:
        yield error
        for one in getattr(error, "exceptions", ()):
            yield from _reasons(one)
        yield from _reasons(error.__cause__ or error.__context__)
