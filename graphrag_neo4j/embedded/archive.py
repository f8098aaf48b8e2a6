"""The data of the embedded server in one file, in the format of Neo4j's own tool (neo4j-admin).

The file holds the database alone: no users or passwords, no settings, no plugins. So that a file
from elsewhere can do no harm, the tool extracts it to an empty folder in the home, and it reads the
data there. Only then does the server stop, and the folder takes the place of the old data. Each
load has its own folder; one that was killed leaves its folder to the next command.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from graphrag_neo4j import embedded
from graphrag_neo4j.embedded import process
from graphrag_neo4j.embedded.home import LOADING, waiting
from graphrag_neo4j.embedded.releases import RELEASES
from graphrag_neo4j.errors import EmbeddedError, InputError
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.settings import Settings

BEGINS = (b"DZV1", b"DGV1")  # a dump of Neo4j 5 or newer, with zstd or with gzip


@embedded.plain_errors()
def dump_data(settings: Settings, path: Path, listen: Listener = silent) -> None:
    """Writes the data to a file that only its owner can read, completely or not at all.

    A running server is stopped meanwhile. Raises EmbeddedError if there is no data.
    """
    home = embedded.home_of(settings)
    record = home.read()
    if record is None or not record.release:
        raise EmbeddedError(
            f"There is no data in {home.path}: name the right folder in --home or KG_HOME."
        )
    own = settings.model_copy(update={"neo4j_release": record.release})
    java, jars = embedded.programs(own, listen)
    ran = False
    try:
        with home.locked(listen):
            ran = embedded.end_home(home, listen)
            process.dump_home(home, java, jars, path, listen)
    finally:
        if ran:
            embedded.start(own, listen)


@embedded.plain_errors()
def load(
    settings: Settings,
    path: Path,
    listen: Listener = silent,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Replaces all data of the home by that of a file. At any moment it is the old or the new.

    A running server is started again. `check` is called before it is ended, and raises an error if
    it must not be. Raises InputError for a file that can't be loaded, and EmbeddedError for a home
    of another release; then nothing has changed.
    """
    with path.open("rb") as file:
        if file.read(4) not in BEGINS:
            raise InputError(f"{path} is not a dump of Neo4j 5 or newer: nothing was loaded.")
    home, release = embedded.home_of(settings), RELEASES[settings.neo4j_release]
    home.make_folder()
    java, jars = embedded.programs(settings, listen)
    with home.locked(listen):
        record = embedded.read_record(home, release)
        folder = Path(mkdtemp(dir=home.path, prefix=LOADING))
        try:
            name = home.default_database()
            command = ("database", "load", name, "--from-stdin")
            with waiting(listen, "Neo4j is reading the file"), path.open("rb") as file:
                flaw = process.run_tool(home, java, jars, command, folder=folder, stdin=file)
            if not (flaw or (folder / "data" / "databases" / name / "neostore").exists()):
                flaw = "It holds no database of Neo4j Community."
            if flaw:
                raise InputError(f"{path} can't be loaded, and nothing has changed: {flaw}")
            check()
            ran = embedded.end_home(home, listen)
            if not record.release:
                home.write(replace(record, release=release.name, version=release.version))
            home.replace_data(folder / "data")
        finally:
            rmtree(folder, ignore_errors=True)
    if ran:
        embedded.start(settings, listen)
