"""How a condition is written, what it stands for, and what is refused."""

from pathlib import Path

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.evaluate.conditions import (
    OF_EVERY_ANSWER,
    USED_BY,
    made_with,
    parse_condition,
)
from graphrag_neo4j.query.answer import METHODS
from graphrag_neo4j.settings import OF_A_QUESTION, Settings, load_settings

MAP_REDUCE = {"map_style": "answer", "map_context_tokens": 9000}


def settings(**given: object) -> Settings:
    return load_settings(**{"openai_api_key": "sk-x", **given})


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("C0", {"method": "global", "level": 0, **MAP_REDUCE}),
        ("TS", {"method": "text", **MAP_REDUCE}),
        ("SS", {"method": "basic", "max_context_tokens": 9000}),
        ("global:2", {"method": "global", "level": 2}),
        ("global:dynamic", {"method": "global", "dynamic": True}),
        ("global,max_calls=5", {"method": "global", "max_calls": 5}),
    ],
)
def test_a_condition_is_a_search_with_options(text: str, how: dict[str, object]) -> None:
    condition = parse_condition(text, 9000)
    assert (condition.name, condition.how, condition.client) == (text, how, {})
    condition.checked(settings())


def test_a_condition_may_have_a_name_another_model_and_another_graph() -> None:
    one = parse_condition("other = C1, answer_model=large, neo4j_database=papers", 8000)
    assert one.name == "other"
    assert one.how["answer_model"] == "large"
    assert one.client == {"neo4j_database": "papers"}
    assert one.checked(settings()).neo4j_database == "papers"
    alone = parse_condition("quoted=local,model=extractive", 8000)
    assert not alone.checked(settings()).has_model


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("locla", "'locla' isn't a condition. Did you mean local?"),
        ("global:x", "'x' isn't a detail of global"),
        ("TS=local", "The name TS means a condition already"),
        ("a:b=local", "its name must have 1 to 60 characters"),
        ("local,max_call=3", "no setting max_call .* Did you mean max_calls?"),
        ("local,openai_api_key=sk-1", "holds no keys and passwords"),
        ("local,max_cost=3", "has no max_cost: the limit is that of the whole run"),
        ("global,max_calls=many", "max_calls in the condition .* must be a whole number"),
    ],
)
def test_a_wrong_condition_is_one_sentence(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_condition(text, 8000)


def test_what_an_answer_depends_on_is_all_that_its_method_uses_and_no_more() -> None:
    """A new setting of answers must be given its methods."""
    used = {name for names in USED_BY.values() for name in names} | {*OF_EVERY_ANSWER}
    others = {"model", "answer_model", "prompts", "max_cost", "input_price", "output_price"}
    assert used | others | {"embedding_model", "embedding_dimensions"} == {*OF_A_QUESTION}
    assert USED_BY.keys() == set(METHODS)


def made(text: str, **given: object) -> dict[str, str]:
    return made_with(parse_condition(text, 8000), settings(**given), {"graph": "g"})


def test_a_change_that_concerns_other_methods_leaves_an_answer_valid(tmp_path: Path) -> None:
    assert made("SS") == made("SS", drift_calls=3, map_style="answer")
    assert made("SS") != made("SS", answer_model="large")
    assert made("C0") == made("C0", max_calls=3)
    assert made("global") != made("global", max_calls=3)
    assert made("global:dynamic") != made("global:dynamic", model="large")
    assert "sk-x" not in str(made("local"))
    (tmp_path / "answer.md").write_text("Answer from $context_data.")
    assert made("SS") != made("SS", prompts=tmp_path)
    assert made("TS") == made("TS", prompts=tmp_path)
