"""Opens and closes connections by Neo4j's driver, and turns its errors into ours.

Its import takes half a second where pandas is installed, so it comes when a graph is opened.
"""

import re
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import urlsplit

from neo4j import (
    Address,
    AsyncGraphDatabase,
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
    TransientError,
)

from graphrag_neo4j.errors import GraphBusyError, GraphError, GraphStoppedError, InputError
from graphrag_neo4j.graph.connection import Graph, OwnServer, locked_sentence
from graphrag_neo4j.settings.checks import did_you_mean

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
PORT = 7687  # Neo4j's port for drivers
BROWSER_PORTS = (7473, 7474)  # Neo4j's ports for web pages
# Some firewalls and load balancers forget a connection after 4 minutes without use, and drop its
# packets in silence. The driver would wait for an answer for a minute, on each such connection. So
# it takes no connection that is older than this.
CONNECTION_SECONDS = 200
# What Neo4j says of a transaction that has waited for a lock too long.
LOCKED = ("LockAcquisitionTimeout", "DeadlockDetected", "LockClientStopped")
# What is said of a database that Neo4j has given up.
STOPPED = (
    "critical error, and needs to be restarted",
    "No space left on device",
    "Neo.DatabaseError.Transaction.TransactionCommitFailed",
    "Neo.DatabaseError.Transaction.TransactionLogError",
)


def _living(own: OwnServer | None) -> Callable[[Address], list[Address]]:
    """A resolver of addresses for the driver: where a server of ours runs now.

    The driver calls it before each attempt to connect. It raises GraphError if the server has
    ended. Otherwise the driver would try for half a minute to reach it.
    """
    return lambda address: [Address(own.address()) if own else address]


@contextmanager
def lend_driver(
    uri: str, username: str, password: str, own: OwnServer | None = None
) -> Iterator[Driver]:
    """Lends a synchronous driver for a server. Raises the errors of `connect`."""
    with translated(uri, own), _address_checked(uri):
        driver = GraphDatabase.driver(
            uri,
            auth=(username, password),
            resolver=_living(own),
            liveness_check_timeout=1,
            max_connection_lifetime=CONNECTION_SECONDS,
        )
    with translated(uri, own), driver as lent:
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
    with translated(uri, own), _address_checked(uri):
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
        with translated(uri, own), _address_checked(uri):
            server = await driver.get_server_info()
        # A single server needs none, and after a load it would wait for a state that it never had.
        bookmarks = None if own else AsyncGraphDatabase.bookmark_manager()
        version = _version(server.agent)
        yield Graph(driver, uri, auth, database, version, bookmarks=bookmarks, own=own)


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
def translated(address: str, own: OwnServer | None = None) -> Iterator[None]:
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
        return GraphBusyError(locked_sentence(address))
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
