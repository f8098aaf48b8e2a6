"""LLM tasks that evaluate answers: a judge that compares them, and the claims that they make."""

from graphrag_neo4j.llm.evaluation.claims import (
    AnswerPart,
    ClaimSteps,
    SentenceClaims,
    answer_parts,
)
from graphrag_neo4j.llm.evaluation.judge import DEFINITIONS, Judge, Metric, Verdict, Winner
from graphrag_neo4j.llm.evaluation.plain_answer import plain_answer
from graphrag_neo4j.llm.evaluation.support import Support, SupportJudge, SupportVerdict

__all__ = [
    "DEFINITIONS",
    "AnswerPart",
    "ClaimSteps",
    "Judge",
    "Metric",
    "SentenceClaims",
    "Support",
    "SupportJudge",
    "SupportVerdict",
    "Verdict",
    "Winner",
    "answer_parts",
    "plain_answer",
]
