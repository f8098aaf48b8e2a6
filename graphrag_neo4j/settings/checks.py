"""Checks the arguments of a caller: a wrong name or value raises InputError with one sentence.

For an unknown name, the message also suggests the most similar known name.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from graphrag_neo4j.errors import InputError

ALIKE: Final = 0.6  # similarity (0 to 1, difflib) from which a known name is suggested
GREATEST: Final = 2**63 - 1  # the greatest whole number that Neo4j stores


def nearest(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The known names that are most similar to `name`, the best first; case makes no difference.

    >>> nearest("max_cots", ["max_cost", "max_levels"])
    ['max_cost']
    """
    by_key: dict[str, str] = {}
    for one in known:
        by_key.setdefault(one.casefold(), one)
    return [by_key[key] for key in get_close_matches(name.casefold(), by_key, most, ALIKE)]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question for the end of an error message; empty where no known name is similar.

    >>> did_you_mean("locl", ["local", "global"])
    ' Did you mean local?'
    """
    found = nearest(name, known)
    return f" Did you mean {found[0]}?" if found else ""


def refuse_unknown(given: Iterable[str], known: Collection[str], what: str) -> None:
    """Raises InputError for unknown names; `what` says what a name stands for ("setting")."""
    if unknown := sorted(set(given).difference(known)):
        sentences = [f"There is no {what} {name}.{did_you_mean(name, known)}" for name in unknown]
        raise InputError(" ".join(sentences))


def check_text(value: object, what: str) -> str:
    """Returns the value if it is a text that is not blank; otherwise raises InputError.

    A lone surrogate (half a character) is refused, too: Neo4j and endpoints do not accept it.
    """
    if not isinstance(value, str):
        raise InputError(f"{what} must be a text, and {_kind(value)} was given.")
    if not value.strip():
        raise InputError(f"{what} is empty: write something in it.")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InputError(f"{what} holds bytes that are not characters: write it in UTF-8.")
    return value


def check_word(text: str, what: str) -> str:
    """Returns a text with a letter or a digit of any script; raises InputError for another one."""
    if not any(character.isalnum() for character in text):
        raise InputError(f"{what} holds no word: write what you want to know.")
    return text


def check_number(value: object, what: str, least: int) -> int:
    """Returns the value if it is a whole number of at least `least`; else raises InputError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{what} must be a whole number, and {_kind(value)} was given.")
    if not least <= value <= GREATEST:
        raise InputError(f"{what} must be a whole number from {least} on, and {value} was given.")
    return value


def check_path(value: object, what: str) -> str | Path:
    """Returns the value if it is a path that is not empty; otherwise raises InputError."""
    if isinstance(value, Path):
        return value
    if not isinstance(value, str):
        raise InputError(f"{what} must be a path, and {_kind(value)} was given.")
    if not value.strip():
        raise InputError(f"{what} is empty: name one.")
    return value


def check_flags(**values: object) -> None:
    """Raises InputError for the first value that is neither True nor False."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise InputError(f"{name} must be True or False, and {_kind(value)} was given.")


def check_choice(what: str, value: object, known: Sequence[str]) -> None:
    """Raises InputError for a value that is none of the known ones."""
    if value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        raise InputError(f"{what} must be one of {', '.join(known)}, not {value!r}.{hint}")


def _kind(value: object) -> str:
    """The words of a message for a wrong value: a text or a number itself, otherwise its type."""
    if value is None or isinstance(value, int | float | str):
        return repr(value)
    if isinstance(value, Mapping | Sequence):
        return f"a {type(value).__name__} of length {len(value)}"
    return f"an object of type {type(value).__name__}"
