"""LLM tasks that evaluate answers: judges, the claims that answers make, and questions."""

from graphrag_neo4j.llm.evaluation.claims import (
    AnswerPart,
    ClaimSteps,
    SentenceClaims,
    answer_parts,
)
from graphrag_neo4j.llm.evaluation.judges import (
    DEFINITIONS,
    Judgement,
    Metric,
    PairJudge,
    Support,
    SupportJudge,
    SupportJudgement,
    Winner,
)
from graphrag_neo4j.llm.evaluation.plain_answer import plain_answer

__all__ = [
    "DEFINITIONS",
    "AnswerPart",
    "ClaimSteps",
    "Judgement",
    "Metric",
    "PairJudge",
    "SentenceClaims",
    "Support",
    "SupportJudge",
    "SupportJudgement",
    "Winner",
    "answer_parts",
    "plain_answer",
]
