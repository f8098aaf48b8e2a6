"""Hostile text in documents, names, replies and logs, shown by every command on a real terminal."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cli.test_terminal import obeyed
from tests.conftest import Run
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = [
    pytest.mark.slow,
    pytest.mark.one_release,
    pytest.mark.usefixtures("graph", "environment"),
]

# Clears the screen; a link that leads elsewhere; hidden text; C1; other directions; tags.
OBEYED = "\x1b[2J\x1b]8;;mailto:evil\x07good\x1b]8;;\x07\x1b[8m\x9b2J\u202egnp\u2066\u200f\u200b"
MARKUP = "[red]a[/] [link=http://evil]b[/link]"
NAME = f"Marley {OBEYED}{MARKUP.replace('/', '')}\nFORGED"
TALE = (
    f"Jacob{OBEYED} Marley met Ebenezer Scrooge in London in 1843. {MARKUP} Marley was dead. "
    f"Ebenezer Scrooge{OBEYED} knew Marley was dead in London{OBEYED}."
)
# What rich and click write of their own: colours, the cursor shown or not, bars drawn again.
OURS = re.compile(r"\x1b\[(\?25[lh]|(?!8m)[0-9;]*m|2K|1A)|\r")
METHODS = ("global", "local", "drift")
ASKED = "Was Marley dead in London, as Scrooge knew?"


def on_a_terminal(arguments: Sequence[str | Path], typed: str = "") -> str:
    """What reaches the terminal of a command."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "1000"}
    command = [sys.executable, "-m", "graphrag_neo4j.cli", *map(str, arguments)]
    with subprocess.Popen(  # noqa: S603 - our own Python on our own code
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ):
        os.close(theirs)
        os.write(ours, typed.encode())
        out = bytearray()
        try:
            while part := os.read(ours, 65536):
                out += part
        except OSError:  # how Linux says that the other side has closed
            pass
        os.close(ours)
    return out.decode()


def is_harmless(shown: str) -> str:
    """What was shown without our own codes, once it is seen to hold nothing else of the kind."""
    text = OURS.sub("", shown)
    assert obeyed(text) == set()
    assert "Traceback" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith("FORGED")]
    return text


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with documents whose text, names and titles are hostile."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / f"{NAME}.txt").write_text(TALE)
    (folder / f"{NAME} empty.txt").write_text("")
    (folder / f"{NAME} bad.txt").write_bytes(b"\x81\x00\x8d\xff" * 40)
    (folder / f"x.{OBEYED}\nFORGED").write_text("of no kind")
    return folder


def test_no_command_lets_hostile_text_reach_the_terminal(
    hostile: Path, tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    rooted = ("--source-root", hostile)
    endpoint.change(garbage=1.0, only=["claims"])
    indexed = is_harmless(on_a_terminal(["index", hostile, *rooted]))
    assert "Failed (claims): chunk 0 of Marley" in indexed
    assert "holds no text." in indexed
    assert "[red]a[]" in indexed
    logs = tmp_path / "home" / "logs"
    logs.mkdir(parents=True)
    (logs / "neo4j.log").write_text(TALE)
    commands: list[list[str | Path]] = [
        ["query", ASKED, "--method", one, "--sources"] for one in METHODS
    ]
    commands += [
        ["query", ASKED, "--method", "local", "--context-only"],
        ["query", ASKED, "--method", "local", "--markdown"],
        ["status"],
        ["estimate", hostile, *rooted],
        ["browse", "--list"],
        ["map", "-o", tmp_path / f"{NAME}.html"],
        ["map", "-o", tmp_path / f"{NAME}" / "map.html"],
        ["import", "graphrag", tmp_path / NAME],
        ["index", tmp_path / NAME],
        ["index", hostile, "--gleanings", NAME],
        ["query", ASKED, f"--{NAME}"],
        [NAME],
        ["--home", tmp_path / "home", "neo4j", "logs"],
    ]
    with ThreadPoolExecutor(3) as threads:
        shown = list(threads.map(on_a_terminal, commands))
    texts = [is_harmless(one) for one in shown]
    for text in texts[: len(METHODS)]:
        assert "search: " in text
    assert "Marley" in texts[0] + texts[1] + texts[-1]
    deleted = is_harmless(on_a_terminal(["delete", f"{NAME}.txt", f"{NAME} not", *rooted]))
    assert "Deleted Marley" in deleted
    assert "not is not in the graph." in deleted


def test_a_chat_shows_hostile_text_as_text(hostile: Path, kg: Run) -> None:
    kg("index", hostile, "--source-root", hostile, "--quiet")
    said = f"{ASKED}\n/sources\n/{MARKUP}\n/quit\n"
    shown = is_harmless(on_a_terminal(["chat", "--method", "local"], said))
    assert "Ask a question, or type /help" in shown
    assert shown.count("Sources:") == 2
    assert "There is no command /[red]a[/]" in shown
