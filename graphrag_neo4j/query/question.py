"""A question with its options. They are checked before any work is done."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime
from typing import Any, Final, Literal

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.query.answer import METHODS, Method
from graphrag_neo4j.query.selection import conditions_of
from graphrag_neo4j.settings import OF_A_QUESTION, Settings
from graphrag_neo4j.settings.checks import (
    check_choice,
    check_flags,
    check_number,
    check_text,
    refuse_unknown,
)
from graphrag_neo4j.settings.options import QueryOptions

OF_GLOBAL: Final = ("level", "dynamic", "max_calls")  # options of global search only
LONGEST_QUESTION: Final = 20_000  # characters: some ten pages


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the options of its search.

    `text` is the question, at most LONGEST_QUESTION characters. `method` "auto" chooses global or
    local search. `history` holds the (question, answer) pairs before this question, the oldest
    first. With `context_only` no model writes an answer. `where` holds conditions such as
    "author=Ada" or "date>=2024-01-01": only documents that meet all of them are read. `as_of` is a
    day, month or year ("2024-03"): only documents dated up to then are read, and "last year" is the
    one before it. With `all_passages` an answer of quotations has all that answer the question, and
    not only the best.

    For global search: `level` is the level of communities, and 0 is the coarsest. `dynamic` starts
    at level 0 and opens the communities whose reports a model rates as relevant (dynamic community
    selection, as in microsoft/graphrag). Without both, `max_calls` limits the calls that read
    reports, those nearest to the question; None is the setting `max_calls`.

    Raises InputError for an invalid value, and for an option that the method does not have.
    """

    text: str
    method: Method | Literal["auto"] = "auto"
    level: int | None = None
    dynamic: bool = False
    max_calls: int | None = None
    context_only: bool = False
    history: Sequence[tuple[str, str]] = ()
    where: str | Sequence[str] = ()
    as_of: str | None = None
    all_passages: bool = False

    def __post_init__(self) -> None:
        check_text(self.text, "The question")
        if len(self.text) > LONGEST_QUESTION:
            raise InputError(
                f"The question has {len(self.text):,} characters; at most {LONGEST_QUESTION:,} are "
                "allowed. Ask a shorter question, and index a long text as a document."
            )
        check_choice("method", self.method, ("auto", *METHODS))
        for name, least in (("level", 0), ("max_calls", 1)):
            if (number := getattr(self, name)) is not None:
                check_number(number, name, least)
        check_flags(
            dynamic=self.dynamic, context_only=self.context_only, all_passages=self.all_passages
        )
        history: object = self.history
        pairs = isinstance(history, Sequence) and all(
            isinstance(turn, Sequence)
            and not isinstance(turn, str)
            and len(turn) == 2
            and all(isinstance(text, str) for text in turn)
            for turn in history
        )
        if not pairs:
            raise InputError("history must be a list of pairs (question, answer) of two texts.")
        for name in self.without_use(self.method) if self.method != "auto" else ():
            raise InputError(
                f"The option {name} is for global search, but the method is {self.method}. Leave "
                f"{name} out, or use the method global."
            )
        if self.dynamic and (self.level, self.max_calls) != (None, None):
            raise InputError(
                "The option dynamic chooses the reports itself, from level 0 on. Leave out either "
                "dynamic, or level and max_calls."
            )
        if self.level is not None and self.max_calls is not None:
            raise InputError(
                "All reports of a level are read: leave out either level or max_calls."
            )
        whole = "dynamic" if self.dynamic else "level" if self.level is not None else None
        if self.as_of is not None:
            _last_day(self.as_of)
        selects = "where" if conditions_of(self.where) else "as_of" if self.as_of else None
        if selects and whole:
            raise InputError(
                f"The option {whole} is for reports on all documents: leave out either it or "
                f"{selects}."
            )

    @property
    def today(self) -> date:
        """The present day, or the last one of `as_of`."""
        return datetime.now(UTC).date() if self.as_of is None else _last_day(self.as_of)

    def without_use(self, method: Method) -> list[str]:
        """Returns the names of the options that are set and that `method` does not have."""
        values = {name: getattr(self, name) for name in OF_GLOBAL if method != "global"}
        return [name for name, one in values.items() if one is not None and one is not False]


OPTIONS: Final = tuple(field.name for field in fields(Question) if field.name != "text")
CHANGEABLE: Final = frozenset({*OPTIONS, *OF_A_QUESTION})
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


def _last_day(as_of: object) -> date:
    """The day, or the last one of a month or year. Raises InputError for what is no date."""
    given = check_text(as_of, "as_of")
    for rest in ("", "-31", "-30", "-29", "-28", "-12-31"):
        with suppress(ValueError):
            if len(given + rest) == len("2024-03-31"):
                return date.fromisoformat(given + rest)
    raise InputError(f"as_of is {given!r}: write a date such as 2024-03-31, 2024-03 or 2024.")


def _refuse(names: Sequence[str]) -> None:
    """Raises InputError for settings that one question can't change."""
    if names:
        raise InputError(
            f"{', '.join(names)} can't be changed for one question: open another client, and give "
            "it to its from_env."
        )
