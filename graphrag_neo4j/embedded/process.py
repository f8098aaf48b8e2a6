"""The process of Neo4j: its first password, its start, the wait until it answers, and its end."""

import os
import re
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

import psutil

from graphrag_neo4j.embedded.home import LOOPBACK, Home, ServerRecord, heap_size, listens, waiting
from graphrag_neo4j.embedded.releases import Java
from graphrag_neo4j.errors import EmbeddedError, GraphStoppedError
from graphrag_neo4j.files import (
    PRIVATE_FILE,
    lock,
    make_private_folder,
    open_private,
    whole_file,
    write_private,
)
from graphrag_neo4j.model.events import Listener, Notice

if TYPE_CHECKING:
    from neo4j import Driver

STOP_SECONDS = 120
PRIVATE = 0o077  # the umask of Neo4j, for its data and its logs
# For Java, its libraries and its temporary files; from SYSTEMROOT on, those of Windows.
INHERITED = (
    *("PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR", "JAVA_HOME", "JAVA_TOOL_OPTIONS"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    *("SYSTEMROOT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
)
# On Windows these flags give a separate session; other systems don't have them.
DETACHED: int = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(
    subprocess, "CREATE_NEW_PROCESS_GROUP", 0
)
READY_SECONDS = 180
LAST_LINES, LAST_WORDS = 15, 500
# The sentence in which Neo4j's tool says why it failed, among its progress and its advice.
REASON = re.compile("Failed to (?:dump|load) database '[^']+': (?:Unable to .* database: )?(.+)")


def set_password(home: Home, java: Java, jars: Path, listen: Listener) -> None:
    """Sets the first password with Neo4j's own tool, before the first start.

    The password is on no command line: the tool reads its arguments from a file.
    """
    arguments = home.path / "conf" / "password.args"
    write_private(arguments, f"set-initial-password\n{home.password()}\n")
    try:
        with waiting(listen, "Setting the first password of Neo4j"):
            flaw = run_tool(home, java, jars, ["dbms", f"@{arguments}"])
    finally:
        arguments.unlink()
    if flaw:
        raise EmbeddedError(f"Neo4j's first password could not be set. Its tool said:\n{flaw}")


def run_tool(
    home: Home,
    java: Java,
    jars: Path,
    arguments: Sequence[str],
    *,
    folder: Path | None = None,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    output: IO[bytes] | None = None,
) -> str:
    """Runs Neo4j's own tool (neo4j-admin) for the data in a folder, by default that of the home.

    Returns why it failed, and an empty text if it did not. What it prints goes to `output`. If our
    process is killed, the tool works on, and keeps the home locked. (Its usual entry,
    `Neo4jAdminCommand`, would start a second Java with the arguments on its command line.)
    """
    command = [java.path, *java.flags(), "-cp", str(jars / "lib" / "*")]
    # A pipe that nobody reads meanwhile would stop the tool when it is full.
    with TemporaryFile() as said, home.tool_path.open("wb") as held:
        lock(held.fileno())
        with subprocess.Popen(  # noqa: S603 - the command is made here from our own paths
            [*command, "org.neo4j.cli.AdminTool", *arguments],
            env=_environment(folder or home.path),
            umask=PRIVATE,
            stdin=stdin,
            stdout=subprocess.PIPE if output else said,
            stderr=said,
            pass_fds=(held.fileno(),) if os.name == "posix" else (),
        ) as tool:
            try:
                if output and tool.stdout:
                    # Java itself would go on, and end well, when the disk of a file is full.
                    copyfileobj(tool.stdout, output)
                tool.wait()
            finally:
                tool.kill()  # it has ended, unless this failed
        said.seek(0)
        text = said.read().decode(errors="replace").strip()
    if tool.returncode == 0:
        return ""
    found = REASON.search(text)
    reason = (found[1] if found else text[-LAST_WORDS:]) or f"exit code {tool.returncode}"
    return f"{reason.strip().removesuffix('.')}."


def dump_home(home: Home, java: Java, jars: Path, path: Path, listen: Listener) -> None:
    """Writes the data of a home without a server to a file, completely or not at all."""
    home.replace_data()
    name = home.default_database()
    if not (home.data_path / "databases" / name).exists():  # `own.conf` is younger than the data
        name = "neo4j"
    command = ("database", "dump", name, "--to-stdout")
    try:
        with whole_file(path, PRIVATE_FILE) as file, waiting(listen, "Neo4j is writing its data"):
            if flaw := run_tool(home, java, jars, command, output=file):
                release = (home.read() or ServerRecord()).release
                raise EmbeddedError(
                    f"The data in {home.path} can't be dumped: {flaw} If Neo4j was killed,"
                    f" run `kg-build neo4j start --release {release}` and then this command again."
                )
    except OSError as error:
        raise EmbeddedError(
            f"{path} can't be written ({error}): make room or give access, or name another file. A"
            " file that had this name before is as it was."
        ) from error


def launch(home: Home, java: Java, jars: Path, main_class: str) -> int:
    """Starts Neo4j as a process that runs on without ours and its terminal; returns its id."""
    # No folder of the home is among them: its owner could run other programs there.
    folders = [jars / "plugins" / "*", jars / "lib" / "*"]
    command = [java.path, "-Xms512m", f"-Xmx{heap_size(home)}", "-XX:+UseG1GC", *java.flags()]
    command += ["-XX:+ExitOnOutOfMemoryError"]  # otherwise clients wait for answers without end
    command += ["-cp", os.pathsep.join(str(folder) for folder in folders), main_class]
    command += [f"--home-dir={home.path}", f"--config-dir={home.path / 'conf'}", "--console-mode"]
    make_private_folder(home.console_path.parent)
    with open_private(home.console_path) as console:
        # The command is made above from our own paths.
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            cwd=home.path,
            env=_environment(home.path),
            start_new_session=True,
            umask=PRIVATE,
            creationflags=DETACHED,
        )
    # Without this, Python warns at the end that the process still runs, which is intended.
    process.returncode = 0
    with suppress(psutil.Error):  # it has ended already, as `find` will see
        while not psutil.Process(process.pid).cmdline():  # without it, `find` would not know it
            time.sleep(0.01)
    return process.pid


def find_server(home: Home, pid: int) -> psutil.Process | None:
    """The process `pid`, if it runs and is the server of this home; with 0, its server if it runs.

    A system uses the numbers of ended processes again, and start times change when the clock is
    set. So the process is recognised by the home on its command line. The number is 0 if a start
    was killed before it could save it.
    """
    with suppress(psutil.Error):
        for process in [psutil.Process(pid)] if pid else psutil.process_iter():
            with suppress(psutil.Error):
                if f"--home-dir={home.path}" in process.cmdline():
                    return process
    return None


def end_server(home: Home, process: psutil.Process, listen: Listener) -> None:
    """Ends the home's server and waits for its end. Raises EmbeddedError if it does not end."""
    deadline = time.monotonic() + STOP_SECONDS
    with suppress(psutil.NoSuchProcess):
        process.terminate()
    # process.wait() would never return in a container whose first process does not reap others.
    with waiting(listen, "Neo4j is stopping") as tick:
        while find_server(home, process.pid) is not None:
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"Neo4j (process {process.pid}) has not ended within {STOP_SECONDS} seconds:"
                    " stop it again later, or end that process."
                )
            time.sleep(0.05)
            tick()
    with suppress(psutil.TimeoutExpired):
        process.wait(0)  # reaps it if we are its parent


def _environment(folder: Path) -> dict[str, str]:
    """What Java needs of our environment: keys and passwords in it are none of Neo4j's business."""
    return {
        **{name: os.environ[name] for name in INHERITED if name in os.environ},
        "NEO4J_HOME": str(folder),
        "NEO4J_CONF": str(folder / "conf"),
        # In a plain C locale Java finds no path with letters beyond ASCII.
        "LC_ALL": "C.UTF-8",
    }


def wait_until_ready(home: Home, pid: int, bolt_port: int, listen: Listener) -> None:
    """Waits until Neo4j answers a query. Raises EmbeddedError if it ends or takes too long."""
    from neo4j import GraphDatabase  # noqa: PLC0415 - slow to import

    uri, auth = f"bolt://{LOOPBACK}:{bolt_port}", ("neo4j", home.password())
    deadline = time.monotonic() + READY_SECONDS
    with (
        waiting(listen, "Neo4j is starting") as tick,
        GraphDatabase.driver(uri, auth=auth, max_transaction_retry_time=0) as driver,
    ):
        while not (listens(bolt_port) and _answers(driver, home)):
            if find_server(home, pid) is None:
                console = home.console_path.read_text(encoding="utf-8", errors="replace")
                said = "\n".join(console.splitlines()[-LAST_LINES:])
                raise EmbeddedError(f"Neo4j could not start. It said:\n{said}")
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"Neo4j (process {pid}) has not answered within {READY_SECONDS} seconds: run"
                    f" the same command to go on waiting, or see {home.log_path}."
                )
            time.sleep(0.1)
            tick()
        took = tick()
    listen(Notice(f"Neo4j has started, after {took:.0f} s."))


def _answers(driver: "Driver", home: Home) -> bool:
    from neo4j import exceptions  # noqa: PLC0415 - slow to import

    try:
        driver.execute_query("RETURN 1")
    except exceptions.ClientError as error:  # also of too many logins
        if not (error.code or "").startswith("Neo.ClientError.Security."):
            raise
        raise EmbeddedError(
            f"Neo4j refuses the password in {home.password_path}: write the password of this Neo4j"
            " there."
        ) from error
    except exceptions.DatabaseError as error:
        raise GraphStoppedError(
            f"Neo4j has started in {home.path} and has stopped its database after an error"
            f" ({error.message}): see {home.log_path}; the same command starts it again."
        ) from error
    except (exceptions.ServiceUnavailable, exceptions.SessionExpired, exceptions.TransientError):
        return False
    return True
