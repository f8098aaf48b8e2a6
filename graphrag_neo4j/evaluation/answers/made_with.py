"""What an answer is made with: all that it depends on, apart from the question.

It is a part of the key of an answer. So an answer is asked for anew if, and only if, something in
it has changed: an option, a model, a prompt file, or the part of the graph that its method reads.
Settings that the method does not use are not a part of it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from graphrag_neo4j.evaluation.answers.conditions import Condition
from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm import model_of
from graphrag_neo4j.llm.prompts import load_prompt
from graphrag_neo4j.query.question import Question, asked_of
from graphrag_neo4j.settings import Settings

__all__ = ["USED_BY", "made_with"]

GRAPH_AROUND: Final = (
    "max_context_tokens",
    "text_unit_prop",
    "community_prop",
    "top_k_entities",
    "top_k_relationships",
)
MAP_REDUCE: Final = ("map_context_tokens", "data_max_tokens", "map_style", "seed")
USED_BY: Final[Mapping[str, Sequence[str]]] = {
    "global": (*MAP_REDUCE, "map_calls", "small_share"),
    "text": MAP_REDUCE,
    "basic": ("max_context_tokens",),
    "local": GRAPH_AROUND,
    "drift": (*GRAPH_AROUND, "map_context_tokens", "data_max_tokens", "drift_depth", "drift_calls"),
}
"""The settings that a method uses, besides those of every answer."""
OF_EVERY_ANSWER: Final = ("response_type", "general_knowledge", "language", "encoding")
PROMPTS: Final[Mapping[str, Sequence[str]]] = {
    "global": ("map", "map_examples", "map_answer", "map_answer_examples", "reduce"),
    "text": ("map", "map_examples", "map_answer", "map_answer_examples", "reduce"),
    "basic": ("answer",),
    "local": ("answer",),
    "drift": ("prime", "prime_examples", "reduce"),
}
RATING: Final = ("rate", "rate_examples")


def made_with(condition: Condition, settings: Settings, graph: Mapping[str, str]) -> dict[str, str]:
    """Returns what the answers of a condition depend on, by name.

    `settings` are those of the client. `graph` says what the graph is: its hash and the embedding
    model of its vectors.
    """
    question, own = asked_of("?", condition.options, settings)
    names = [*OF_EVERY_ANSWER, *USED_BY[question.method]]
    if question.level is not None or question.dynamic:
        names = [name for name in names if name != "map_calls"]  # it chooses a level by default
    made = {
        "method": question.method,
        **_options(question, own),
        **{name: str(getattr(own, name)) for name in names if getattr(own, name) is not None},
        **_models(question, own),
    }
    return {**made, **graph}


def _options(question: Question, settings: Settings) -> dict[str, str]:
    given: dict[str, object] = {
        "level": question.level,
        "dynamic": question.dynamic or None,
        "prefilter": question.prefilter,
    }
    if question.method in {"local", "drift"}:
        given["expand"] = question.expand or settings.expand
    return {name: str(value) for name, value in given.items() if value is not None}


def _models(question: Question, settings: Settings) -> dict[str, str]:
    if not settings.has_model:
        return {"model": "extractive"}
    models = {"model": model_of(settings, "answer")}
    names = list(PROMPTS[question.method])
    if question.dynamic:
        models["rating_model"] = model_of(settings, "rating")
        names += RATING
    texts = [load_prompt(name, settings.prompts).text for name in names]
    return {**models, "prompts": identify("prompts", *texts)[:16]}
