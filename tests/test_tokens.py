"""Counting tokens, and having the ranks without a network."""

import os
import subprocess
import sys
from hashlib import sha1
from pathlib import Path

import pytest

from graphrag_neo4j.text import tokens
from tests.support.ranks import published

# A proxy that nobody listens at: whatever asks the network fails at once.
NO_NETWORK = {"HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs Python without a network, in a process of its own: encodings are kept in memory."""
    kept = {name: value for name, value in os.environ.items() if "CACHE_DIR" not in name}
    command = [sys.executable, "-c", f"from graphrag_neo4j.text import tokens\n{code}"]
    env = kept | NO_NETWORK | environment
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)  # noqa: S603 - ours


def test_the_ranks_of_both_usual_encodings_need_no_network(tmp_path: Path) -> None:
    code = "print(tokens.count('tiktoken', 'o200k_base'), tokens.count('ab', 'cl100k_base'))"
    done = run(code, TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert done.stdout == "3 1\n", done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_words_are_cut_as_tiktoken_cuts_them(name: str, tmp_path: Path) -> None:
    """tiktoken finds the ranks in a folder, under the SHA-1 of their addresses."""
    address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    (tmp_path / sha1(address.encode()).hexdigest()).write_bytes(published(name))  # noqa: S324 - as it does
    code = (
        f"import tiktoken\nown, theirs = tokens.encoding({name!r}), tiktoken.get_encoding({name!r})"
        "\nassert own._pat_str == theirs._pat_str"
        "\nassert own.n_vocab > 100_000"
    )
    done = run(code, TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_texts_are_counted_in_the_encoding_of_a_model_that_is_known() -> None:
    assert tokens.count("<|endoftext|>", "o200k_base") > 1  # marks of a model are ordinary text
    assert tokens.count("", "o200k_base") == 0
    assert tokens.encoding_for("gpt-4.1-mini") == "o200k_base"
    assert tokens.encoding_for("text-embedding-3-small") == "cl100k_base"
    assert tokens.encoding_for("llama3.3") is tokens.encoding_for("davinci") is None
