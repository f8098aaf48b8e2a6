"""How the Graph Data Science (GDS) that KG_GDS names is reached, without the client of GDS.

So it is checked before a model is paid, although GDS is needed long after that.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from graphrag_neo4j.errors import GraphError, InputError
from graphrag_neo4j.events import Listener, Notice
from graphrag_neo4j.graph import lend_driver
from graphrag_neo4j.settings import AUTO, EMBEDDED, SESSION, Settings

if TYPE_CHECKING:
    from neo4j import Driver

__all__ = ["SessionAccess", "check_gds_access", "lend_other_driver"]

NEEDED: Final = (
    "KG_GDS=session needs KG_AURA_CLIENT_ID and KG_AURA_CLIENT_SECRET, an API key of the Neo4j Aura"
    " console, and KG_AURA_LOCATION, such as gcp/europe-west1."
)

NEEDED_LATER: Final = "The run goes on, but it may need this server to compute communities."


@dataclass(frozen=True, slots=True)
class SessionAccess:
    """What a session of Aura Graph Analytics needs."""

    client_id: str
    client_secret: str = field(repr=False)
    provider: str
    region: str

    @classmethod
    def of(cls, settings: Settings) -> "SessionAccess":
        """Reads it from the settings. Raises InputError where one of them is missing."""
        provider, _, region = (settings.aura_location or "").partition("/")
        secret = settings.aura_client_secret
        if not (settings.aura_client_id and secret and provider and region):
            raise InputError(NEEDED)
        return cls(settings.aura_client_id, secret.get_secret_value(), provider, region)


def check_gds_access(settings: Settings, listen: Listener) -> None:
    """Checks that the GDS in KG_GDS can be reached; other places of GDS are not looked at.

    If a server does not answer, the listener is told, because a small change may not need GDS.
    Raises InputError where a setting is missing or no address.
    """
    if settings.gds == SESSION:
        SessionAccess.of(settings)
    elif settings.gds not in {AUTO, EMBEDDED}:
        try:
            with lend_other_driver(settings):
                pass
        except GraphError as error:
            listen(Notice(f"{error} {NEEDED_LATER}", warning=True))


@contextmanager
def lend_other_driver(settings: Settings) -> Iterator["Driver"]:
    """Lends a driver of the Neo4j at the address in KG_GDS, which answers.

    Raises InputError where that is no address, and GraphError where the server does not answer or
    refuses the login.
    """
    secret = settings.gds_password or settings.neo4j_password
    password = secret.get_secret_value() if secret else ""
    user = settings.gds_username or settings.neo4j_username
    with _about_gds(), lend_driver(settings.gds, user, password) as driver:
        driver.verify_connectivity()
        yield driver


@contextmanager
def _about_gds() -> Iterator[None]:
    """Errors name the settings of the server that computes, not those of the database."""
    try:
        yield
    except (GraphError, InputError) as error:
        text = str(error).replace("NEO4J_URI", "KG_GDS").replace("NEO4J_", "KG_GDS_")
        raise type(error)(text) from error
