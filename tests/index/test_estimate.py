"""What an index would take, said beforehand and held against what it then took."""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document, ReadOptions
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.estimate import Estimate, StepEstimate, estimate
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.settings import Settings, load_settings
from tests.conftest import Make
from tests.support.fake_endpoint import FakeEndpoint

pytestmark = pytest.mark.one_release

SAMPLE = sorted(Path(str(files("graphrag_neo4j") / "data" / "sample")).glob("*.txt"))[:2]
TALE = "Ebenezer Scrooge met Jacob Marley in London in 1843. Marley was dead in London. "


async def of_tales(settings: Settings, *texts: str) -> Estimate:
    documents = [Document(text, f"memory:{i}", "A Carol") for i, text in enumerate(texts)]
    return await estimate(Corpus.of_documents(documents), settings)


@pytest.mark.usefixtures("graph")
@pytest.mark.parametrize("extraction", ["paper", "lean"])
async def test_what_the_sample_then_takes_is_in_the_range(
    settings: Make, endpoint: FakeEndpoint, extraction: str
) -> None:
    given = settings(concurrency=16, extraction=extraction)
    said = await estimate(Corpus.of_paths(SAMPLE, ReadOptions()), given)
    async with AsyncGraphRAG(given) as rag:
        built = await rag.index(SAMPLE)
    assert (said.documents, said.chunks) == (2, built.ingested.chunks)
    used = Usage.total(built.usage.values())
    least, steps, most = map(Usage.total, map(usages, (said.least, said.steps, said.most)))
    assert least.calls <= len(endpoint.log) <= most.calls < 1.4 * least.calls + 10
    for of in ("input_tokens", "output_tokens", "cost"):
        assert getattr(least, of) < getattr(used, of) < getattr(most, of)
        assert getattr(least, of) < getattr(steps, of) < getattr(most, of)


async def test_it_tells_what_the_other_extraction_would_take() -> None:
    paper, lean = [
        await of_tales(load_settings(extraction=extraction), *[TALE * 200] * 3)
        for extraction in ("paper", "lean")
    ]
    assert (paper.instead, lean.instead) == (lean.steps, paper.steps)
    calls, sent = ([sum(getattr(step, of) for step in said.steps) for said in (paper, lean)]
                   for of in ("calls", "input_tokens"))  # fmt: skip
    assert calls[0] > 2 * calls[1]
    assert sent[0] > 2 * sent[1]


async def test_short_chunks_are_not_gleaned() -> None:
    said = await of_tales(load_settings(), *[TALE] * 10)
    assert [step.calls for step in said.steps if step.step == "extraction"] == [11]


def usages(steps: Sequence[StepEstimate]) -> list[Usage]:
    return [
        Usage(one.calls, 0, one.input_tokens, 0, one.output_tokens, one.cost or 0.0)
        for one in steps
    ]


async def test_each_chunk_is_asked_about_as_often_as_the_settings_say() -> None:
    by_settings = {}
    for gleanings in (0, 1, 2):
        said = await of_tales(load_settings(gleanings=gleanings, claims=False), *[TALE * 20] * 10)
        by_settings[gleanings] = next(s.calls for s in said.steps if s.step == "extraction")
        chunks = said.chunks
    # And one prompt tests the context window.
    assert by_settings[0] == chunks + 1
    assert by_settings[1] == chunks * 2 + 1
    assert chunks * 3 < by_settings[2] <= chunks * 4 + 1


async def test_money_is_unknown_where_no_price_is() -> None:
    unknown = load_settings(model="my-own", embedding_model="my-vectors", claims=False)
    said = await of_tales(unknown, TALE)
    assert {step.cost for step in said.steps} == {None}
    said = await of_tales(load_settings(model="my-own", input_price=1, output_price=0), TALE)
    priced = {step.step: step.cost for step in said.steps}
    assert priced["extraction"] == pytest.approx(said.steps[0].input_tokens / 1_000_000)


async def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": 1}\n{"text": "Marley was dead."}\n[]\n')
    said = await estimate(Corpus.of_paths([tmp_path], ReadOptions()), load_settings())
    assert said.documents == 1
    [reason] = said.unreadable.values()
    assert "line 1" in reason
    assert "line 3" in reason
