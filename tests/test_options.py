"""The typed keyword arguments are the settings and the fields of a question, with their types."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from pydantic import SecretStr

from graphrag_neo4j import InputError, Question, Settings, load_settings
from graphrag_neo4j.query.question import asked_of
from graphrag_neo4j.settings.options import QueryOptions, SearchOptions, SettingsOptions

# What a caller may give for a setting of this type: pydantic makes the one from the other.
GIVEN_FOR: dict[object, set[object]] = {
    SecretStr: {str},
    Path: {str, Path},
    tuple[str, ...]: {str, Sequence[str]},
}


def parts(hint: object) -> set[object]:
    """The types of a union, and the values of a Literal."""
    if get_origin(hint) in {Union, UnionType}:
        return {part for one in get_args(hint) for part in parts(one)}
    if get_origin(hint) is Literal:
        return {("value", value) for value in get_args(hint)}
    return {hint}


def given_for(hint: object) -> set[object]:
    return {given for part in parts(hint) for given in GIVEN_FOR.get(part, {part})}


def test_the_keyword_arguments_of_from_env_are_the_settings() -> None:
    typed = {name: parts(hint) for name, hint in get_type_hints(SettingsOptions).items()}
    settings = get_type_hints(Settings)
    assert typed == {name: given_for(settings[name]) for name in Settings.model_fields}


def test_those_of_a_question_are_its_fields_and_settings_of_the_same_types() -> None:
    typed = {name: parts(hint) for name, hint in get_type_hints(QueryOptions).items()}
    question = get_type_hints(Question)
    own = {field.name for field in fields(Question)} - {"text"}
    assert own <= typed.keys()
    assert {name: typed[name] for name in own} == {name: parts(question[name]) for name in own}
    settings = get_type_hints(Settings)
    others = typed.keys() - own
    assert {name: typed[name] for name in others} == {
        name: given_for(settings[name]) for name in others
    }
    assert get_type_hints(QueryOptions).keys() - get_type_hints(SearchOptions).keys() == {"method"}


def test_one_may_leave_out_any_of_them() -> None:
    for options in (SettingsOptions, SearchOptions, QueryOptions):
        assert options.__required_keys__ == frozenset()


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
    assert str(error.value) == (
        f"{name} can't be changed for one question: open another client, and give it to its "
        "from_env."
    )
    assert "secret" not in str(error.value)


def test_any_other_setting_may_differ_for_one_question() -> None:
    settings = load_settings(openai_api_key="sk-test")
    own = {field.name for field in fields(Question)}
    for name in get_type_hints(QueryOptions).keys() - own - {"input_price", "output_price"}:
        how: Any = {name: getattr(settings, name)}
        assert asked_of("Who?", how, settings)[1] == settings
    asked, changed = asked_of("Who?", {"level": 1, "answer_model": "o", "max_cost": 2.5}, settings)
    assert (asked.level, changed.answer_model, changed.max_cost) == (1, "o", 2.5)


@pytest.mark.parametrize("name", ["expnd", "map_cals", "metod"])
def test_an_unknown_name_is_refused_with_the_nearest(name: str) -> None:
    how: Any = {name: 1}
    with pytest.raises(InputError, match=f"no option and no setting {name}. Did you mean "):
        asked_of("Who?", how, load_settings())
