"""Waits until a server is ready: it answers a query over Bolt with the home's password.

This is a module of its own because the driver imports pandas where it is installed, which takes
half a second.
"""

import re
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
from graphrag_neo4j.embedded.telling import SILENT, Telling
from graphrag_neo4j.errors import EmbeddedError, GraphStoppedError
from graphrag_neo4j.text import shortened

__all__ = ["wait_until_ready"]

READY_SECONDS = 180
LAST_LINES = 15
LAST_CHARACTERS = 2000  # at the end of the log, in which the last line is found
WIDTH = 60  # characters of a line of the log, so that it fits one line of a terminal


def wait_until_ready(home: Home, pid: int, bolt_port: int, telling: Telling = SILENT) -> None:
    """Waits until Neo4j answers a query. Raises EmbeddedError if it ends or takes too long."""
    uri, auth = f"bolt://{LOOPBACK}:{bolt_port}", ("neo4j", home.password())
    deadline = time.monotonic() + READY_SECONDS
    with (
        telling.waiting("Neo4j is starting") as waiting,
        GraphDatabase.driver(uri, auth=auth, max_transaction_retry_time=0) as driver,
    ):
        while not (listens(bolt_port) and _answers(driver, home)):
            if find(home, pid) is None:
                raise EmbeddedError(f"Neo4j could not start. It said:\n{_last_words(home)}")
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"Neo4j (process {pid}) has not answered within {READY_SECONDS} seconds: run"
                    f" the same command to go on waiting, or see {home.log_path}."
                )
            time.sleep(0.1)
            waiting.tick(lambda: _doing(home))
    telling.say(f"Neo4j has started, after {waiting.seconds:.0f} s.")


def _answers(driver: Driver, home: Home) -> bool:
    try:
        driver.execute_query("RETURN 1")
    except AuthError as error:
        raise EmbeddedError(
            f"Neo4j refuses the password in {home.password_path}: write the password of this Neo4j"
            " there."
        ) from error
    except DatabaseError as error:
        raise GraphStoppedError(
            f"Neo4j has started in {home.path} and has stopped its database after an error"
            f" ({error.message}): see {home.log_path}; the same command starts it again."
        ) from error
    except (ServiceUnavailable, SessionExpired, TransientError):
        return False
    return True


def _doing(home: Home) -> str:
    """The last line of the server's log; empty while there is none."""
    lines = re.findall(r"^\S+ \S+ +INFO +(.+)$", _printed(home)[-LAST_CHARACTERS:], re.MULTILINE)
    return f" (its log: {shortened(lines[-1], WIDTH, len)})" if lines else ""


def _printed(home: Home) -> str:
    return home.console_path.read_text(encoding="utf-8", errors="replace")


def _last_words(home: Home) -> str:
    lines = _printed(home).splitlines()
    return "\n".join(lines[-LAST_LINES:])
