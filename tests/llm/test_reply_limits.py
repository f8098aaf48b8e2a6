"""Each request limits its reply, so that a model that repeats itself comes to an end."""

from collections.abc import Callable
from typing import Any

import pytest

from graphrag_neo4j.llm import LLMIndexBackend, LLMQueryBackend
from graphrag_neo4j.model import ChunkText, DescribedThing, LLMTask
from graphrag_neo4j.model.context_table import ContextTable
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.settings import load_settings

CHUNK = ChunkText("c", "Ann sails.")
CONTEXT = ContextTable(float("inf"), len)


def index(**given: object) -> LLMIndexBackend:
    return LLMIndexBackend.from_settings(load_settings(**given))


def query(**given: object) -> LLMQueryBackend:
    return LLMQueryBackend.from_settings(load_settings(**given))


def report(backend: LLMIndexBackend) -> LLMTask[Any]:
    return backend.report("", ReportMaterial({}, [], []))


STEPS: dict[str, Callable[[], LLMTask[Any]]] = {
    "extraction": lambda: index().extract(CHUNK),
    "claims": lambda: index().claims(CHUNK),
    "summary": lambda: index().summarize([DescribedThing("Ann", ["Sails.", "Rows."])]),
    "report": lambda: report(index()),
    "map": lambda: query().points("Who?", CONTEXT),
    "map in one answer": lambda: query(map_style="answer").points("Who?", CONTEXT),
    "rating": lambda: query().rate("Who?", CONTEXT),
    "primer": lambda: query().prime("Who?", CONTEXT),
    "choice of the method": lambda: query().chooses_global("Who?"),
}


@pytest.mark.parametrize("step", STEPS)
def test_each_step_limits_its_reply(step: str) -> None:
    most = next(STEPS[step]()).max_tokens
    assert most is not None
    assert 0 < most <= 8000


def test_the_limit_of_a_report_leaves_room_for_languages_with_many_tokens_in_a_word() -> None:
    assert (next(report(index())).max_tokens or 0) >= 4 * 1500
