"""The estimate of verdicts and claims: near what the fake endpoint counts, and made once a text."""

from pathlib import Path

from graphrag_neo4j.evaluation.claims.answer_claims import ClaimsRecord, claim_items, claim_step
from graphrag_neo4j.evaluation.judge.comparisons import comparisons
from graphrag_neo4j.evaluation.judge.estimate import estimate_claims, estimate_verdicts
from graphrag_neo4j.evaluation.judge.judging import judge_items, judge_step
from graphrag_neo4j.evaluation.model import AnswerRecord, VerdictRecord
from graphrag_neo4j.evaluation.records import RecordFile
from graphrag_neo4j.evaluation.steps import make_missing
from graphrag_neo4j.events import silent
from graphrag_neo4j.llm import Endpoint
from graphrag_neo4j.llm.evaluation import ClaimSteps, Judge
from graphrag_neo4j.settings import load_settings
from tests.support.fake_endpoint import FakeEndpoint

SENTENCES = " ".join(f"The clerk of house {n + 100} wrote long letters." for n in range(15))


async def test_the_estimate_is_near_what_is_sent(tmp_path: Path) -> None:
    asked = {"q": "Who wrote letters?"}
    answers = {
        ("q", name): AnswerRecord(name, "q", name, f"{name} knew it. {SENTENCES}") for name in "AB"
    }
    with FakeEndpoint() as fake:
        settings = load_settings(
            openai_base_url=fake.url, openai_api_key="sk-test", input_price=1.0, output_price=2.0
        )
        judge, steps = Judge(settings), ClaimSteps(settings)
        judging = judge_items(comparisons(["A", "B"], ["q"], repeats=1), asked, answers, judge)
        claims = claim_items(asked, answers.values(), steps.signature)
        verdicts = RecordFile(tmp_path / "verdicts.jsonl", VerdictRecord)
        found = RecordFile(tmp_path / "claims.jsonl", ClaimsRecord)
        async with Endpoint(settings) as endpoint:
            first = judge_step(verdicts, judge, endpoint.run)
            await make_missing(first, judging, workers=4, listen=silent)
            second = claim_step(found, steps, endpoint.run)
            await make_missing(second, claims, workers=4, listen=silent)
    for told, step in (
        (estimate_verdicts(judging, settings), "judge"),
        (estimate_claims(claims, settings), "answer_claims"),
    ):
        used = endpoint.meter.steps[step]
        assert told.calls == used.calls
        assert 0.7 < told.input_tokens / used.input_tokens < 1.4
        assert told.cost is not None
        assert told.cost > 0
