"""A folder of prompt files: what a person changed or wrote there is never overwritten."""

from pathlib import Path

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.index.tuning.result import MANIFEST, Written, write_folder

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
