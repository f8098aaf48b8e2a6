"""When a server is ready: its Bolt answers a query under the home's password.

Apart from the rest, since the driver brings pandas where that is installed: half a second.
"""

import time

from neo4j import Driver, GraphDatabase
from neo4j.exceptions import (
    AuthError,
    DatabaseError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from graphrag_neo4j.embedded.config import LOOPBACK, listens
from graphrag_neo4j.embedded.home import Home
from graphrag_neo4j.embedded.process import find
from graphrag_neo4j.errors import EmbeddedError, GraphStoppedError

__all__ = ["wait_until_ready"]

READY_SECONDS = 180
LAST_LINES = 15


def wait_until_ready(home: Home, pid: int, bolt_port: int) -> None:
    """Return once Neo4j answers a query. Raises EmbeddedError if it ends, or takes too long."""
    uri, auth = f"bolt://{LOOPBACK}:{bolt_port}", ("neo4j", home.password())
    deadline = time.monotonic() + READY_SECONDS
    with GraphDatabase.driver(uri, auth=auth, max_transaction_retry_time=0) as driver:
        while not (listens(bolt_port) and _answers(driver, home)):
            if find(home, pid) is None:
                raise EmbeddedError(f"Neo4j could not start. It said:\n{_last_words(home)}")
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"Neo4j (process {pid}) has not answered within {READY_SECONDS} seconds: run"
                    f" the same command to go on waiting, or see {home.log_path}."
                )
            time.sleep(0.1)


def _answers(driver: Driver, home: Home) -> bool:
    try:
        driver.execute_query("RETURN 1")
    except AuthError as error:
        raise EmbeddedError(
            f"Neo4j refuses the password in {home.password_path}: put the one there that it has."
        ) from error
    except DatabaseError as error:
        raise GraphStoppedError(
            f"Neo4j has started in {home.path} and has stopped its database after an error"
            f" ({error.message}): see {home.log_path}; the same command starts it again."
        ) from error
    except (ServiceUnavailable, SessionExpired, TransientError):
        return False
    return True


def _last_words(home: Home) -> str:
    lines = home.console_path.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(lines[-LAST_LINES:])
