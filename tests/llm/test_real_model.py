"""A real model, tiny and odd, reads a document and is asked: nothing breaks, all is counted.

Its answers are of no worth, so nothing is said of what they hold.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.support.real_model import real_endpoint

pytestmark = [pytest.mark.real_model, pytest.mark.one_release]

DOCUMENT = """The harbour of Port Elin

Port Elin is a harbour town in the north. Agnes Thorsby has led its harbour board since 1908. A storm
broke the eastern mole in January 1911, and the board asked the town for money to rebuild it.
Councillor Piet Maas called the sum absurd. The contractor Holm & Sons offered to do the work for
half of it, and the board accepted the offer in May 1911.
"""
SMALL = {
    "KG_CHUNK_TOKENS": "200",
    "KG_REPORT_CONTEXT_TOKENS": "1500",
    "KG_MAP_TOKENS": "1500",
    "KG_CONTEXT_TOKENS": "1500",
    "KG_REPORT_WORDS": "100",
    "KG_TIMEOUT": "600",
}


@pytest.fixture(scope="module")
def endpoint_url() -> Iterator[str]:
    with real_endpoint() as url:
        yield url


@pytest.fixture
def real(endpoint_url: str, environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's graph, and the real model in the environment."""
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint_url)
    for name, value in SMALL.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("real")
def test_a_document_is_indexed_and_all_searches_end(kg: Run, tmp_path: Path) -> None:
    (tmp_path / "harbour.txt").write_text(DOCUMENT, "utf-8")
    indexed = kg("index", tmp_path / "harbour.txt", "--json")
    print(indexed.out, indexed.err)
    status = kg("status", "--json")
    print(status.out)
    for method in ("local", "global", "drift", "basic", "text"):
        asked = kg("query", "What broke the mole of Port Elin?", "--method", method, "--json")
        print(method, asked.code, asked.out[:500], asked.err)
