"""The step that finds claims: one record for each part, and what the counts say."""

from dataclasses import replace
from pathlib import Path

from graphrag_neo4j.evaluation.claims.answer_claims import (
    ClaimsRecord,
    claim_items,
    claim_step,
    claims_of,
    sentence_outcomes,
)
from graphrag_neo4j.evaluation.claims.clusters import count_claims
from graphrag_neo4j.evaluation.claims.counts import ClaimCounts, agreement_of_claims
from graphrag_neo4j.evaluation.judge.comparisons import Comparison, Judged
from graphrag_neo4j.evaluation.model import AnswerRecord, Metric
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.steps import StepResult, make_missing
from graphrag_neo4j.events import silent
from graphrag_neo4j.llm import Endpoint
from graphrag_neo4j.llm.evaluation import ClaimSteps
from graphrag_neo4j.settings import load_settings
from tests.support.fake_endpoint import FakeEndpoint

ASKED = {"q": "Who sails?"}
LONG = " ".join(f"Ann sails to port {n}, and Bob rows to it too." for n in range(112, 124))
ANSWERS = [
    AnswerRecord("long", "q", "C0", LONG),
    AnswerRecord("short", "q", "SS", "Ann sails. I think so. It sank."),
    AnswerRecord("same", "q", "TS", "Ann sails. I think so. It sank."),
    AnswerRecord("empty", "q", "C1", "---"),
    AnswerRecord("none", "q", "C2", "", failure="no reply"),
]


async def find(fake: FakeEndpoint, file: RecordFile[ClaimsRecord]) -> StepResult:
    settings = load_settings(openai_base_url=fake.url, openai_api_key="sk-test")
    steps = ClaimSteps(settings)
    async with Endpoint(settings) as endpoint:
        items = claim_items(ASKED, ANSWERS, steps.signature)
        return await make_missing(
            claim_step(file, steps, endpoint.run), items, workers=4, listen=silent
        )


async def test_claims_are_found_once_and_counted_for_each_answer(tmp_path: Path) -> None:
    path = tmp_path / "claims.jsonl"
    with FakeEndpoint() as fake:
        await find(fake, RecordFile(path, ClaimsRecord))
        calls = len(fake.log)
        assert calls == 3 * 3  # two parts of the long answer, one that two answers share
        again = await find(fake, RecordFile(path, ClaimsRecord))
        assert (again.made, len(fake.log)) == (0, calls)
    file = RecordFile(path, ClaimsRecord)
    claims = claims_of(
        ANSWERS, claim_items(ASKED, ANSWERS, ClaimSteps(load_settings()).signature), file
    )
    assert {answer: len(found) for answer, found in claims.items()} == {
        "long": 24,
        "short": 1,
        "same": 1,
        "empty": 0,
    }
    assert sentence_outcomes(file) == {"claims": 13, "nothing to check": 1, "ambiguous": 1}
    counts = count_claims(claims["long"])
    assert counts.claims == 13  # "Bob rows to it too." comes twelve times
    assert counts.clusters[0.8] < counts.clusters[0.5] < 13


async def test_an_answer_with_a_missing_part_does_not_count(tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "claims.jsonl", ClaimsRecord)
    with FakeEndpoint(garbage=1.0, only=("json:sentence_claims",)) as fake:
        result = await find(fake, file)
        assert result.failed == 3
    items = claim_items(ASKED, ANSWERS, ClaimSteps(load_settings()).signature)
    assert claims_of(ANSWERS, items, file) == {"empty": []}


def test_counts_are_compared_with_the_majority_of_the_verdicts() -> None:
    counts = {("q", "A"): ClaimCounts(9, {0.5: 4}), ("q", "B"): ClaimCounts(5, {0.5: 6})}
    metrics: tuple[Metric, ...] = ("comprehensiveness", "diversity", "directness")
    judged = [Judged(Comparison(metric, "A", "B", "q", 1, False), "first") for metric in metrics]
    other = replace(judged[0].comparison, question="r")
    found = agreement_of_claims(counts, [*judged, Judged(other, "first")])
    assert (found.comprehensiveness.compared, found.comprehensiveness.share) == (1, 1)
    assert (found.diversity[0.5].compared, found.diversity[0.5].share) == (1, 0)
    assert agreement_of_claims({}, judged).diversity == {}
