"""A real model, tiny and odd, reads a document and is asked: nothing breaks, and all is counted.

Its answers are of no worth, so nothing is said of what they hold.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.support.real_model import real_endpoint

pytestmark = [pytest.mark.real_model, pytest.mark.one_release]

DOCUMENT = """The harbour of Port Elin

Port Elin is a harbour town in the north. Agnes Thorsby has led its harbour board since 1908. A
storm broke the eastern mole in January 1911, and the board asked the town for money to rebuild it.
Councillor Piet Maas called the sum absurd. The contractor Holm & Sons offered to do the work for
half of it, and the board accepted the offer in May 1911.
"""
QUESTION = "What broke the mole of Port Elin?"
SMALL = {
    "KG_CHUNK_TOKENS": "150",
    "KG_CHUNK_OVERLAP": "0",
    "KG_CLAIMS": "false",
    "KG_REPORT_CONTEXT_TOKENS": "1000",
    "KG_MAP_CONTEXT_TOKENS": "1000",
    "KG_MAX_CONTEXT_TOKENS": "1000",
    "KG_TIMEOUT": "900",
    "KG_EMBEDDING_MODEL": "static",
}


@pytest.fixture(scope="module")
def endpoint_url() -> Iterator[str]:
    with real_endpoint() as url:
        yield url


@pytest.fixture
def real(endpoint_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's graph, and the real model, in the environment."""
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint_url)
    for name, value in SMALL.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("environment", "real")
def test_a_document_is_read(kg: Run, tmp_path: Path) -> None:
    index(kg, tmp_path)


@pytest.mark.usefixtures("environment", "real")
@pytest.mark.parametrize("method", ["local", "global", "drift", "basic", "text"])
def test_a_search_ends(
    kg: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    with monkeypatch.context() as without:
        without.setenv("KG_MODEL", "extractive")  # the model reads too little of the document
        index(kg, tmp_path)
    ask(kg, method)


def index(kg: Run, folder: Path) -> None:
    """Indexes the document: each chunk is read, or named as failed."""
    document = folder / "harbour.txt"
    document.write_text(DOCUMENT, "utf-8")
    indexed = kg("index", document, "--json")
    assert indexed.code in {0, 1}, indexed.err
    status = kg("status", "--json").json
    assert status["counts"]["chunks"]
    failed = [failure["what"] for failure in status["failures"] if failure["stage"] == "extract"]
    assert len(failed) == status["pending"]["extract"]


def ask(kg: Run, method: str) -> None:
    """Asks a question: there is an answer, or a sentence that says why there is none."""
    asked = kg("query", QUESTION, "--method", method, "--json")
    assert asked.code in {0, 1}, asked.err
    assert asked.json["text"] if asked.code == 0 else "Error: " in asked.err or asked.out


@pytest.mark.usefixtures("environment", "real")
def test_a_tuning_ends(kg: Run, tmp_path: Path) -> None:
    """Prompts are written that an index can use, or a sentence says why there are none."""
    document = tmp_path / "harbour.txt"
    document.write_text(DOCUMENT, "utf-8")
    folder = tmp_path / "prompts"
    tuned = kg("tune", document, "-o", folder, "--passages", "1", "--yes")
    if tuned.code == 0:
        assert (folder / "tuning.md").is_file()
    else:
        assert "Error: Nothing was chosen and nothing was written" in tuned.err
        assert not folder.exists()
