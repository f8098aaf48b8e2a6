"""Counting tokens, and having the ranks without a network."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graphrag_neo4j.text import tokens

O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"
# A proxy that nobody listens at: whatever asks the network fails at once.
NO_NETWORK = {"HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs Python without a network, in a process of its own: encodings are kept in memory."""
    kept = {name: value for name, value in os.environ.items() if "CACHE_DIR" not in name}
    return subprocess.run(  # noqa: S603 - our own Python on our own code
        [sys.executable, "-c", f"from graphrag_neo4j.text import tokens\n{code}"],
        env=kept | NO_NETWORK | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_ranks_of_both_usual_encodings_need_no_network(tmp_path: Path) -> None:
    code = "print(tokens.count('tiktoken', 'o200k_base'), tokens.count('ab', 'cl100k_base'))"
    done = run(code, TIKTOKEN_CACHE_DIR=str(tmp_path / "new" / "cache"))
    assert done.stdout == "3 1\n", done.stderr
    assert len(list((tmp_path / "new" / "cache").iterdir())) == 2
    done = run("tokens.encoding('o200k_harmony')", TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert [file.name for file in (tmp_path / "data-gym-cache").iterdir()] == [O200K]


@pytest.mark.parametrize("folder", ["", "/dev/null/folder"])
def test_a_folder_that_can_not_be_used_is_no_obstacle(folder: str, tmp_path: Path) -> None:
    code = "import os\nprint(tokens.count('tiktoken', 'o200k_base'), os.environ.get('%s'))"
    variable = "TIKTOKEN_CACHE_DIR"
    done = run(code % variable, **{variable: folder, "TMPDIR": str(tmp_path)})
    assert done.stdout == f"3 {folder}\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_processes_that_start_at_once_end_with_one_whole_file(tmp_path: Path) -> None:
    def start(_: int) -> int:
        return run("tokens.encoding('cl100k_base')", TIKTOKEN_CACHE_DIR=str(tmp_path)).returncode

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(start, range(3))) == [0, 0, 0]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_broken_copy_in_the_cache_is_named(tmp_path: Path) -> None:
    (tmp_path / O200K).write_bytes(b"broken")
    done = run("tokens.encoding()", TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert f"in {tmp_path} can't be read" in done.stderr


def test_texts_are_counted_in_the_encoding_of_a_model_that_is_known() -> None:
    assert tokens.count("<|endoftext|>", "o200k_base") > 1  # marks of a model are ordinary text
    assert tokens.count("", "o200k_base") == 0
    assert tokens.encoding_for("gpt-4.1-mini") == "o200k_base"
    assert tokens.encoding_for("text-embedding-3-small") == "cl100k_base"
    assert tokens.encoding_for("llama3.3") is tokens.encoding_for("davinci") is None
