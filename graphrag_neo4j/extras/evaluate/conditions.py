"""Conditions: the ways of answering that are compared with one another.

A condition is written in one line:

    C0 … C9             global search of a level of communities, as in the paper; 0 is the coarsest
    TS                  map-reduce over the source text, as in the paper
    SS                  semantic search (vector RAG), as in the paper
    METHOD              a search of ours: global, local, drift, basic, text
    global:2            … of a level; global:dynamic chooses communities from level 0 on
    SEARCH,setting=value,…        … with other settings, named as in Python
    NAME=SEARCH,setting=value,…   … under a name of one's own

The conditions of the paper have one window: each of their contexts has at most so many tokens, and
their map calls give one rated answer each. C0 to C9 read all reports of a level.
They and all others have the same prompts for answers.

`made_with` says what an answer depends on, apart from the question. It is a part of the key of the
answer, so an answer is asked for anew if, and only if, something in it has changed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.llm.endpoint import model_of
from graphrag_neo4j.llm.prompts import load_prompt
from graphrag_neo4j.query.answer import METHODS
from graphrag_neo4j.query.question import CHANGEABLE, asked_of
from graphrag_neo4j.settings import EXTRACTIVE, Settings
from graphrag_neo4j.settings.checks import did_you_mean
from graphrag_neo4j.settings.options import QueryOptions
from graphrag_neo4j.text.strings import identify

PAPER: Final = ("C0", "C1", "C2", "C3", "TS", "SS")
"""The conditions of the paper, which answer where no others are chosen."""
LEVEL: Final = re.compile(r"C(\d)")
OWN_NAME: Final = re.compile(r"[^\s,=:][^,=:\n]{0,59}")
SECRETS: Final = frozenset({"openai_api_key", "neo4j_password"})
LIMITS: Final = frozenset({"max_cost", "max_cost_a_day"})
NUMBERS: Final = ("level", "max_calls")
NOT_SET: Final = frozenset({"method", "dynamic", "context_only", "history", "level", "where"})
KNOWN: Final = (frozenset(Settings.model_fields) | CHANGEABLE) - NOT_SET
HOW: Final = (
    "Write C0, C1, C2, C3, TS or SS, a method (global, local, drift, basic, text), or one with "
    "details, such as global:2 or NAME=global:1,map_context_tokens=4000."
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A way of answering.

    `name` is the name in all files and tables. `how` holds the options of each question, and
    `client` the settings that need a separate client, such as another graph. `level` is the
    level of a condition of the paper from C0 on, None for any other: where a graph has no such
    level, the condition is left out.
    """

    name: str
    how: QueryOptions
    client: Mapping[str, Any] = field(default_factory=dict)
    level: int | None = None

    def checked(self, settings: Settings) -> Settings:
        """Returns the settings of the client for this condition.

        Raises InputError if a value of the condition can't be used.
        """
        try:
            own = settings.changed(**self.client)
            asked_of("?", self.how, own)
        except InputError as error:
            raise InputError(f"The condition {self.name} can't be used. {error}") from None
        return own

    @property
    def method(self) -> str:
        """The search method."""
        return self.how["method"]


def parse_conditions(texts: Iterable[str], window: int) -> list[Condition]:
    """Returns conditions from their texts. Raises InputError for a text or a name that is wrong."""
    found = [parse_condition(text, window) for text in texts]
    names = [one.name for one in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"Two conditions have the name {twice[0]}. Give one of them another name.")
    if not found:
        raise InputError(f"No condition is given. {HOW}")
    return found


def parse_condition(text: str, window: int) -> Condition:
    """Returns a condition from its text. Raises InputError if the text is none.

    `window` is the largest number of tokens of a context of the conditions of the paper.
    """
    head, *given = [part.strip() for part in text.split(",")]
    name, named, search = head.rpartition("=")
    name, search = name.strip(), search.strip()
    if named and not OWN_NAME.fullmatch(name):
        raise InputError(f"{text!r} isn't a condition: its name must have 1 to 60 characters.")
    if named and is_ours(name):
        raise InputError(f"The name {name} means a condition already. Give this one another name.")
    how = _search(search, text, window)
    values = dict(_setting(part, text) for part in given)
    # Some settings can't be changed for one question: they need another client.
    client = {
        key: value
        for key, value in values.items()
        if key not in CHANGEABLE or (key, value) == ("model", EXTRACTIVE)
    }
    of_a_question = {key: value for key, value in values.items() if key not in client}
    paper = LEVEL.fullmatch(search)
    return Condition(
        name if named else ",".join([search, *given]),
        cast("QueryOptions", {**how, **of_a_question}),
        client,
        int(paper[1]) if paper else None,
    )


def is_ours(name: str) -> bool:
    """Returns whether a name means a search of ours, so that nothing else may have it."""
    return bool(LEVEL.fullmatch(name)) or name in {"TS", "SS", *METHODS}


def _search(search: str, text: str, window: int) -> dict[str, Any]:
    """Returns the options of a search as it is written, such as `C1` or `global:2`."""
    map_reduce = {"map_style": "answer", "map_context_tokens": window}
    if level := LEVEL.fullmatch(search):
        return {"method": "global", "level": int(level[1]), **map_reduce}
    if search == "TS":
        return {"method": "text", **map_reduce}
    if search == "SS":
        return {"method": "basic", "max_context_tokens": window}
    method, colon, detail = search.partition(":")
    if method not in METHODS:
        hint = did_you_mean(method, [*PAPER, *METHODS])
        raise InputError(f"{text!r} isn't a condition.{hint} {HOW}")
    how: dict[str, Any] = {"method": method}
    if not colon:
        return how
    if method == "global" and (detail == "dynamic" or detail.isdecimal()):
        return how | ({"dynamic": True} if detail == "dynamic" else {"level": int(detail)})
    raise InputError(f"{text!r} isn't a condition: {detail!r} isn't a detail of {method}. {HOW}")


def _setting(part: str, text: str) -> tuple[str, Any]:
    """Returns a setting with its value. Raises InputError if a condition can't have it."""
    name, equals, value = (one.strip() for one in part.partition("="))
    if not (name and equals and value):
        raise InputError(f"{part!r} in the condition {text!r} isn't a setting: write name=value.")
    if name in SECRETS:
        raise InputError(
            f"A condition holds no keys and passwords, since it is written to a file: set {name} "
            "in the environment."
        )
    if name in LIMITS:
        raise InputError(f"A condition has no {name}: the limit is that of the whole run.")
    if name not in KNOWN:
        raise InputError(
            f"There is no setting {name} that a condition can have.{did_you_mean(name, KNOWN)}"
        )
    if name in NUMBERS and not value.isdecimal():
        raise InputError(f"{name} in the condition {text!r} must be a whole number.")
    return name, int(value) if name in NUMBERS else value


MAP_REDUCE: Final = ("map_context_tokens", "map_style")
USED_BY: Final[Mapping[str, Sequence[str]]] = {
    "global": MAP_REDUCE,
    "text": MAP_REDUCE,
    "basic": ("max_context_tokens",),
    "local": ("max_context_tokens",),
    "drift": ("max_context_tokens", "map_context_tokens", "drift_calls"),
}
"""The settings that a method uses, besides those of every answer."""
OF_EVERY_ANSWER: Final = ("response_type", "language")
MAP_PROMPTS: Final = ("map", "map_examples", "map_answer", "map_answer_examples", "reduce")
PROMPTS: Final[Mapping[str, Sequence[str]]] = {
    "global": MAP_PROMPTS,
    "text": MAP_PROMPTS,
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
    question, own = asked_of("?", condition.how, settings)
    names = [*OF_EVERY_ANSWER, *USED_BY[question.method]]
    whole = question.level is not None or question.dynamic
    calls = None if whole else question.max_calls or own.max_calls
    given: dict[str, object] = {
        "method": question.method,
        "level": question.level,
        "dynamic": question.dynamic or None,
        "max_calls": calls if question.method == "global" else None,
        **{name: getattr(own, name) for name in names},
    }
    if question.method in {"local", "drift"}:
        given["expand"] = "ppr"  # as when there was another way, so that older answers stay valid
    made = {name: str(value) for name, value in given.items() if value is not None}
    if not own.has_model:
        return {**made, "model": "extractive", **graph}
    made["model"] = model_of(own, "answer")
    prompts = list(PROMPTS[question.method])
    if question.dynamic:
        made["rating_model"] = own.model
        prompts += RATING
    texts = [load_prompt(name, own.prompts).text for name in prompts]
    return {**made, "prompts": identify("prompts", *texts)[:16], **graph}
