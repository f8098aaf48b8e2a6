"""Standard streams that are closed, full or left by their reader: one sentence, no traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run

pytestmark = [
    pytest.mark.one_release,
    pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux"),
]

FULL = "The output can't be written: No space left on device.\n"
CLOSED = "The output can't be written: Bad file descriptor.\n"
ALONE = ("--help", "--version", "neo4j status", "eval status e")


def ran(line: str, unbuffered: str = "") -> tuple[int, str, str]:
    """What a line of a shell, in which $kg is the command, ends with and prints."""
    program = f'kg="{sys.executable} -m graphrag_neo4j.cli"; export PYTHONUNBUFFERED={unbuffered}; '
    done = subprocess.run(  # noqa: S603 - our own command
        ["/bin/bash", "-c", program + line], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def begun(folder: Path) -> None:
    (folder / "e").mkdir()
    (folder / "e" / "questions.jsonl").write_text("")


@pytest.mark.parametrize(("command", "unbuffered"), [*((one, "") for one in ALONE), ("-h", "1")])
def test_output_that_can_not_be_written_is_one_sentence_and_an_error(
    tmp_path: Path, command: str, unbuffered: str
) -> None:
    begun(tmp_path)
    assert ran(f"$kg {command} >/dev/full", unbuffered) == (1, "", FULL)
    assert ran(f"$kg {command} >&-", unbuffered) == (1, "", CLOSED)


def test_a_pipe_whose_reader_has_gone_is_left_in_silence() -> None:
    code, _, error = ran("$kg --help | true; exit ${PIPESTATUS[0]}")
    assert (code, error) == (1, "")


@pytest.mark.slow
def test_messages_that_can_not_be_written_are_told_on_the_output(tmp_path: Path) -> None:
    begun(tmp_path)
    assert ran("$kg neo4j logs 2>/dev/full") == (1, FULL, "")
    assert ran("$kg mend 2>/dev/full") == (2, FULL, "")
    for command in ("neo4j logs", "mend"):
        _, out, _ = ran(f"$kg {command} 2>&-")
        assert out == "", "who closes standard error wants no messages"
    for command in ("--help", "mend", "neo4j status"):
        both = (f"$kg {command} >/dev/full 2>&1", f"$kg {command} <&- >&- 2>&-")
        assert [ran(line)[1:] for line in both] == [("", "")] * 2
    alone, closed = (ran(f"$kg neo4j status {end}") for end in ("", "<&- 2>&-"))
    assert alone == closed


@pytest.mark.slow
@pytest.mark.usefixtures("graph", "environment")
def test_what_a_command_has_done_stays_done_and_each_one_says_it_in_a_sentence(
    kg: Run, tales: Path
) -> None:
    code, _, error = ran(f"$kg index {tales} --no-claims >/dev/full")
    assert (code, error.endswith(FULL), "Traceback" in error) == (1, True, False)
    assert kg("status", "--json").json["counts"]["documents"] == 2
    code, _, error = ran(f"$kg delete {tales}/a.txt >&-")
    assert (code, error.endswith(CLOSED), "Traceback" in error) == (1, True, False)
    assert kg("status", "--json").json["counts"]["documents"] == 1
    asks = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26",'
    asks += '"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'
    for line in (
        "$kg status >&-",
        "$kg query --json 'Was Marley dead?' --method local >/dev/full",
        "echo 'Was Marley dead?' | $kg chat >/dev/full",
        "$kg chat <&-",
        f"echo '{asks}' | $kg mcp >/dev/full",
        "$kg mcp <&-",
        "$kg serve --port 0 --no-browser >&-",
    ):
        code, _, error = ran(line)
        last = error.splitlines()[-1]
        assert (code, "Traceback" in error) == (1, False), line
        assert last.endswith(("No space left on device.", "Bad file descriptor.")), line


@pytest.mark.slow
@pytest.mark.usefixtures("graph", "environment")
def test_bytes_that_are_no_text_end_no_conversation() -> None:
    code, out, error = ran(r"printf 'W\xffho?\n' | PYTHONIOENCODING=utf-8 $kg chat --method local")
    assert (code, "Question: " in out, "Traceback" in error) == (0, True, False)


@pytest.mark.slow
@pytest.mark.usefixtures("graph", "environment")
@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii"])
def test_json_is_utf_8_whatever_the_encoding_of_the_terminal_is(
    kg: Run, tales: Path, encoding: str
) -> None:
    assert kg("index", str(tales), "--no-claims").code == 0
    question = "Was Márley in Łódź, 北京 or Ωmega?"
    done = subprocess.run(  # noqa: S603 - our own command
        [
            sys.executable,
            "-m",
            "graphrag_neo4j.cli",
            "query",
            "--json",
            question,
            "--method",
            "text",
        ],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8"))["question"] == question
