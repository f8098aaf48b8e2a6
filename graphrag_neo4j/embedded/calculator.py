"""A second embedded server that only computes, beside a database that lacks Graph Data Science.

It has a home of its own beside that of the user's embedded server, and the same jars. It holds no
data: what it computes from is in its memory only.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graphrag_neo4j.embedded.home import Home, default_home
from graphrag_neo4j.embedded.server import Server, plain_errors, start, stop, wipe
from graphrag_neo4j.embedded.telling import SILENT, Telling
from graphrag_neo4j.settings import Settings

__all__ = ["calculator", "calculator_home"]


def calculator_home(settings: Settings) -> Path:
    """The folder of the server that only computes: `<home>-gds`, beside the home of the user."""
    home = (settings.home or default_home()).expanduser().resolve()
    return home.with_name(f"{home.name}-gds")


@contextmanager
def calculator(settings: Settings, telling: Telling = SILENT) -> Iterator[Server]:
    """Lends a server that only computes, and stops it after the block.

    Another process that wants it waits until then. A server that a killed process has left behind
    is used and stopped. Raises EmbeddedError where it can't be downloaded or started.
    """
    own = settings.model_copy(update={"home": calculator_home(settings)})
    home = Home(calculator_home(settings))
    with plain_errors():
        home.make_folder()
    with home.in_use(telling):
        record = home.read()
        if record and record.release not in {"", settings.neo4j_release}:
            wipe(own, telling)  # there is no data in it
        try:
            yield start(own, telling)
        finally:
            stop(own, telling)
