"""The process of Neo4j: setting its first password, starting it and ending it."""

import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil

from graphrag_neo4j.embedded.config import heap_size
from graphrag_neo4j.embedded.home import Home
from graphrag_neo4j.embedded.java import Java
from graphrag_neo4j.embedded.telling import SILENT, SlowStep, Telling
from graphrag_neo4j.errors import EmbeddedError
from graphrag_neo4j.files import make_private_folder, open_private, write_private

__all__ = ["end", "find", "launch", "set_password"]

STOP_SECONDS = 120
PRIVATE = 0o077  # the umask of Neo4j, for its data and its logs
# For Java, its libraries and its temporary files; from SYSTEMROOT on, those of Windows.
INHERITED = (
    *("PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR", "JAVA_HOME", "JAVA_TOOL_OPTIONS"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    *("SYSTEMROOT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"),
)
# On Windows these flags give a session of its own; other systems do not have them.
DETACHED: int = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(
    subprocess, "CREATE_NEW_PROCESS_GROUP", 0
)


def set_password(home: Home, java: Java, jars: Path, telling: Telling = SILENT) -> None:
    """Sets the first password with Neo4j's own tool, before the first start.

    The password is on no command line: the tool reads its arguments from a file. (The usual entry,
    `Neo4jAdminCommand`, would start a second Java with the arguments on its command line.)
    """
    arguments = home.path / "conf" / "password.args"
    write_private(arguments, f"set-initial-password\n{home.password()}\n")
    command = [java.path, *java.flags(), "-cp", str(jars / "lib" / "*")]
    command += ["org.neo4j.cli.AdminTool", "dbms", f"@{arguments}"]
    try:
        with telling.waiting("Setting the first password of Neo4j") as waiting:
            _run_tool(command, home, waiting)
    finally:
        arguments.unlink()


def launch(home: Home, java: Java, jars: Path, main_class: str) -> int:
    """Starts Neo4j as a process that runs on without ours and its terminal; returns its id."""
    # No folder of the home is among them: its maker could run programs of their own there.
    folders = [jars / "plugins" / "*", jars / "lib" / "*"]
    command = [java.path, "-Xms512m", f"-Xmx{heap_size(home)}", "-XX:+UseG1GC", *java.flags()]
    command += ["-XX:+ExitOnOutOfMemoryError"]  # otherwise clients wait for answers without end
    command += ["-cp", os.pathsep.join(str(folder) for folder in folders), main_class]
    command += [_home_argument(home), f"--config-dir={home.path / 'conf'}", "--console-mode"]
    make_private_folder(home.console_path.parent)
    with open_private(home.console_path) as console:
        # The command is made above from our own paths.
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            cwd=home.path,
            env=_environment(home),
            start_new_session=True,
            umask=PRIVATE,
            creationflags=DETACHED,
        )
    # Without this, Python warns at the end that the process still runs, which is intended.
    process.returncode = 0
    _wait_for_command_line(process.pid)
    return process.pid


def _wait_for_command_line(pid: int) -> None:
    """Waits for the command line of a new process: without it, `find` does not recognise it."""
    with suppress(psutil.Error):  # it has ended already, as `find` will see
        process = psutil.Process(pid)
        while not process.cmdline():
            time.sleep(0.01)


def find(home: Home, pid: int) -> psutil.Process | None:
    """The process `pid`, if it runs and is the server of this home.

    A system uses the numbers of ended processes again, and start times change when the clock is
    set. So the process is recognised by the home on its command line.
    """
    if not pid:
        return None
    try:
        process = psutil.Process(pid)
        ours = _home_argument(home) in process.cmdline()
    except psutil.Error:
        return None
    return process if ours else None


def end(home: Home, process: psutil.Process, telling: Telling = SILENT) -> None:
    """Ends the home's server and waits for its end. Raises EmbeddedError if it does not end."""
    deadline = time.monotonic() + STOP_SECONDS
    with suppress(psutil.NoSuchProcess):
        process.terminate()
    # process.wait() would never return in a container whose first process does not reap others.
    with telling.waiting("Neo4j is stopping") as waiting:
        while find(home, process.pid) is not None:
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"Neo4j (process {process.pid}) has not ended within {STOP_SECONDS} seconds:"
                    " stop it again later, or end that process."
                )
            time.sleep(0.05)
            waiting.tick()
    with suppress(psutil.TimeoutExpired):
        process.wait(0)  # reaps it if we are its parent


def _home_argument(home: Home) -> str:
    return f"--home-dir={home.path}"


def _environment(home: Home) -> dict[str, str]:
    """What Java needs of our environment: keys and passwords in it are none of Neo4j's business."""
    return {
        **{name: os.environ[name] for name in INHERITED if name in os.environ},
        "NEO4J_HOME": str(home.path),
        "NEO4J_CONF": str(home.path / "conf"),
        # In a plain C locale Java finds no path with letters beyond ASCII.
        "LC_ALL": "C.UTF-8",
    }


def _run_tool(command: list[str], home: Home, waiting: SlowStep) -> None:
    # The command is made above from our own paths.
    with subprocess.Popen(  # noqa: S603
        command,
        env=_environment(home),
        umask=PRIVATE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as tool:
        output = _output(tool, waiting).decode(errors="replace").strip()
    if tool.returncode != 0:
        raise EmbeddedError(f"Neo4j's first password could not be set. Its tool said:\n{output}")


def _output(tool: "subprocess.Popen[bytes]", waiting: SlowStep) -> bytes:
    """The whole output of a tool, which ends first."""
    while True:
        try:
            return tool.communicate(timeout=0.2)[0]
        except subprocess.TimeoutExpired:
            waiting.tick()
