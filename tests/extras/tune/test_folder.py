"""A folder of prompt files: what a person changed or wrote there is never overwritten."""

import subprocess
import sys
from pathlib import Path

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.tune.result import MANIFEST, Written, write_folder

FILES = {"extract.md": "first", "report.md": "report", "tuning.md": "page"}
LATER = {**FILES, "extract.md": "second"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "prompts"


def written(folder: Path, files: dict[str, str]) -> Written:
    return write_folder(folder, lambda _: files)


def held(folder: Path) -> dict[str, str]:
    return {one.name: one.read_text() for one in folder.iterdir() if one.name != MANIFEST}


def test_a_folder_is_made_and_files_that_nobody_changed_are_replaced(folder: Path) -> None:
    assert written(folder, FILES) == Written(folder, tuple(FILES))
    assert written(folder, LATER) == Written(folder, tuple(FILES))
    assert held(folder) == LATER


@pytest.mark.parametrize("name", ["extract.md", "tuning.md"])
def test_a_changed_file_sends_all_files_to_a_folder_of_their_own(folder: Path, name: str) -> None:
    written(folder, FILES)
    changed = (folder / name, folder / "new" / "report.md")
    changed[0].write_text("by hand")
    assert written(folder, LATER) == Written(folder / "new", tuple(FILES), changed[:1])
    changed[1].write_text("by hand, too")
    assert written(folder, LATER).folder == folder / "new-2"
    assert held(folder / "new-2") == LATER
    assert [file.read_text() for file in changed] == ["by hand", "by hand, too"]


@pytest.mark.parametrize("name", ["extract.txt", "extract_graph.txt", "report.md"])
def test_a_prompt_of_the_user_is_not_put_out_of_use(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    (folder / name).write_text("mine")
    assert written(folder, FILES).kept == (folder / name,)
    assert (folder / name).read_text() == "mine"


def test_a_file_that_is_not_made_again_is_removed_unless_it_was_changed(folder: Path) -> None:
    written(folder, {**FILES, "extract_examples.md": "old types"})
    written(folder, FILES)
    assert held(folder) == FILES
    written(folder, {**FILES, "extract_examples.md": "old types"})
    (folder / "extract_examples.md").write_text("by hand")
    assert written(folder, FILES).folder == folder / "new"


def test_a_folder_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a folder"):
        written(tmp_path / "file" / "prompts", FILES)


def test_what_else_lies_in_the_folder_is_not_replaced_with_it(folder: Path) -> None:
    written(folder, FILES)
    (folder / "claims.md").write_text("mine")
    assert written(folder, LATER) == Written(folder / "new", tuple(FILES), (folder / "claims.md",))
    assert held(folder / "new") == LATER
    assert (folder / "extract.md").read_text() == "first"


# Each child ends itself by SIGKILL at the next of its steps on the disk, until one reaches the end.
KILLED = """
import os, signal, sys
from itertools import count
from pathlib import Path
from graphrag_neo4j.extras.tune.result import write_folder

folder, files = Path(sys.argv[1]), {name: "new" for name in sys.argv[2:]}
STEPS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod"}
for last in count(1):
    if not (child := os.fork()):
        steps = count(1)
        def hook(event, _):
            if event in STEPS and next(steps) == last:
                os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(hook)
        write_folder(folder, lambda _: files)
        os._exit(0)
    ended = os.waitpid(child, 0)[1]
    there = sorted(folder.glob("[!t]*")) + sorted(folder.glob("tuning.md"))
    print({one.name: one.read_text() for one in there} if folder.exists() else None, flush=True)
    if ended == 0:
        break
    write_folder(folder, lambda _: {name: "old" for name in files})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_folder_is_replaced_as_a_whole_at_whatever_moment_its_writer_is_killed(
    folder: Path,
) -> None:
    old, new = (dict.fromkeys(FILES, text) for text in ("old", "new"))
    written(folder, old)
    done = subprocess.run(  # noqa: S603 - our own Python on our own code
        [sys.executable, "-c", KILLED, folder, *FILES], capture_output=True, text=True, check=True
    )
    seen = done.stdout.splitlines()
    assert len(seen) > 20
    assert set(seen) == {str(old), "None", str(new)}
    assert seen.count("None") <= 2, "between two renames, when the old set lies beside"
    assert seen[0] == str(old)
    assert seen[-1] == str(new)
    left = sorted(one.name for one in folder.parent.iterdir())
    assert left == [".prompts.lock", "prompts"], "nothing is left of those that were killed"


def test_one_command_writes_to_a_folder_and_a_killed_one_lets_it_go(folder: Path) -> None:
    holds = (
        "import sys; from pathlib import Path; from graphrag_neo4j.extras.tune.result import *\n"
        "with writing(Path(sys.argv[1])): print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(  # noqa: S603 - our own Python on our own code
        [sys.executable, "-c", holds, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        other.stdout.readline()
        with pytest.raises(InputError, match=r"Another command writes to .*prompts .*: wait for"):
            written(folder, FILES)
        other.kill()
    assert written(folder, FILES).folder == folder
