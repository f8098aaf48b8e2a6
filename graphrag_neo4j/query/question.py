"""A question and how it is to be answered, checked before anything is done for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, get_type_hints

from graphrag_neo4j.arguments import (
    check_flags,
    check_number,
    check_text,
    did_you_mean,
    refuse_unknown,
)
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.options import QueryOptions
from graphrag_neo4j.query.answer import METHODS, Method
from graphrag_neo4j.settings import Settings

__all__ = ["EXPAND", "ONLY", "Question", "asked_of"]

# The options that not every method has, and the methods that have them.
ONLY: Final[Mapping[str, Sequence[Method]]] = {
    "level": ("global",),
    "dynamic": ("global",),
    "prefilter": ("global",),
    "expand": ("local", "drift"),
}
EXPAND: Final = ("hop", "ppr")


@dataclass(frozen=True, slots=True)
class Question:
    """A question and how it is to be answered.

    `level`, `dynamic` and `prefilter` are for global search, `expand` is for local and drift search
    (None: as the setting says). `history`: (question, answer) pairs before it. Raises InputError
    for a value that is none, and for an option that the chosen method does not have.
    """

    text: str
    method: Method | Literal["auto"] = "auto"
    level: int | None = None
    dynamic: bool = False
    prefilter: int | None = None
    expand: Literal["hop", "ppr"] | None = None
    context_only: bool = False
    history: Sequence[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        check_text(self.text, "The question")
        _check_choice("method", self.method, ("auto", *METHODS))
        if self.level is not None:
            check_number(self.level, "level", 0)
        if self.prefilter is not None:
            check_number(self.prefilter, "prefilter", 1)
        if self.expand is not None:
            _check_choice("expand (KG_EXPAND)", self.expand, EXPAND)
        check_flags(dynamic=self.dynamic, context_only=self.context_only)
        _check_history(self.history)
        self._check_options()

    def _check_options(self) -> None:
        if self.method != "auto":
            for name in self.without_use(self.method):
                methods = ONLY[name]
                raise InputError(
                    f"The option {name} is for {' and '.join(methods)} search, and {self.method} "
                    f"search was asked for: leave {name} out, or ask for {methods[0]} search."
                )
        if self.dynamic and (self.level is not None or self.prefilter is not None):
            raise InputError(
                "The option dynamic chooses the reports itself, from level 0 down: leave out level "
                "and prefilter, or dynamic."
            )

    def without_use(self, method: Method) -> list[str]:
        """The options that are given and that a method does not have."""
        given = {
            "level": self.level is not None,
            "dynamic": self.dynamic,
            "prefilter": self.prefilter is not None,
            "expand": self.expand is not None,
        }
        return [name for name, methods in ONLY.items() if given[name] and method not in methods]


def _check_choice(what: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        raise InputError(f"{what} must be one of {', '.join(known)}, not {value!r}.{hint}")


def _check_history(history: object) -> None:
    """Pairs of texts, in their order."""
    pairs = isinstance(history, Sequence) and all(
        isinstance(turn, Sequence)
        and len(turn) == 2
        and all(isinstance(said, str) for said in turn)
        and not isinstance(turn, str)
        for turn in history
    )
    if not pairs:
        raise InputError("history must be a list of pairs (question, answer), each of two texts.")


OPTIONS: Final = tuple(field.name for field in fields(Question) if field.name != "text")
CHANGEABLE: Final = frozenset(get_type_hints(QueryOptions))
# The connection, the endpoint and its limits belong to the client, and so does what an index is
# made with.
OF_THE_CLIENT: Final = frozenset(Settings.model_fields) - CHANGEABLE


def asked_of(
    question: str | Question, how: QueryOptions, settings: Settings
) -> tuple[Question, Settings]:
    """A question with options and settings by name; raises InputError for what can't be used."""
    given: Mapping[str, Any] = {**how}
    _refuse(sorted(OF_THE_CLIENT.intersection(given)))
    refuse_unknown(given, CHANGEABLE, "option and no setting")
    own = {name: value for name, value in given.items() if name in OPTIONS}
    changed = settings.changed(**{name: given[name] for name in given if name not in OPTIONS})
    if changed.has_model != settings.has_model:
        _refuse(["model"])  # whether there is a model at all
    if isinstance(question, Question):
        return replace(question, **own), changed
    return Question(question, **own), changed


def _refuse(names: Sequence[str]) -> None:
    """Raises InputError for settings that one question can't change."""
    if names:
        raise InputError(
            f"{', '.join(names)} can't be changed for one question: open another client, and give "
            "it to its from_env."
        )
