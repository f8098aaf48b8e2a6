"""Which options and settings a question can have."""

from typing import Any

import pytest

from graphrag_neo4j import InputError, load_settings
from graphrag_neo4j.query.question import asked_of
from graphrag_neo4j.settings import OF_A_QUESTION


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("neo4j_uri", "bolt://a"),
        ("neo4j_password", "secret"),
        ("home", "elsewhere"),
        ("openai_base_url", "http://a"),
        ("openai_api_key", "sk-other"),
        ("concurrency", 5),
        ("timeout", 1.0),
        ("max_retries", 0),
        ("requests_per_minute", 5),
        ("tokens_per_minute", 5),
        ("chunk_tokens", 100),
        ("model", "extractive"),
    ],
)
def test_a_setting_of_the_client_is_refused_for_one_question(name: str, value: Any) -> None:  # noqa: ANN401 - of any type
    how: Any = {name: value}
    with pytest.raises(InputError) as error:
        asked_of("Who?", how, load_settings(openai_api_key="sk-test"))
    assert f"{name} can't be changed for one question" in str(error.value)
    assert "secret" not in str(error.value)


def test_any_other_setting_may_differ_for_one_question() -> None:
    settings = load_settings(openai_api_key="sk-test")
    for name in {*OF_A_QUESTION} - {"input_price", "output_price"}:
        how: Any = {name: getattr(settings, name)}
        assert asked_of("Who?", how, settings)[1] == settings
    asked, changed = asked_of("Who?", {"level": 1, "answer_model": "o", "max_cost": 2.5}, settings)
    assert (asked.level, changed.answer_model, changed.max_cost) == (1, "o", 2.5)


@pytest.mark.parametrize("name", ["expnd", "map_cals", "metod"])
def test_an_unknown_name_is_refused_with_the_nearest(name: str) -> None:
    how: Any = {name: 1}
    with pytest.raises(InputError, match=f"no option and no setting {name}. Did you mean "):
        asked_of("Who?", how, load_settings())
