"""Reads the list in a reply, in the form that the prompts ask for and in all others.

A reply may mix forms. Each form has a reader, which takes the records of its form out of a text and
leaves the rest to the next reader. What no reader takes is either prose or unread: text that may
have been meant as a record, which is counted.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Protocol

from graphrag_neo4j.llm.replies.beginnings import number_lost, split_at_beginnings
from graphrag_neo4j.llm.replies.fields import UNREAD
from graphrag_neo4j.llm.replies.json_lists import is_json, take_json
from graphrag_neo4j.llm.replies.kindless import take_kindless, with_kind
from graphrag_neo4j.llm.replies.list_marks import DELIMITERS
from graphrag_neo4j.llm.replies.markdown_lists import take_items, take_tables
from graphrag_neo4j.llm.replies.prose import could_be_records, is_noise, says_none
from graphrag_neo4j.llm.replies.tidying import COMPLETE, tidied
from graphrag_neo4j.llm.replies.tuples import Part, Tuples, take_tuples

__all__ = ["ReadList", "read_list"]

MATTERS = re.compile(r"[\w\[{<]")  # what text without a word can't be: a record, or an empty list


class _Reader(Protocol):
    def __call__(self, part: Part, *, claims: bool) -> Tuples: ...


def _take_whole_json(part: Part, *, claims: bool) -> Tuples:
    return take_json(part, claims=claims) if is_json(part.text) else Tuples(rest=[part])


def _readers(types: Collection[str]) -> tuple[_Reader, ...]:
    """Returns all readers in the order in which they are tried.

    A description in JSON may hold delimiters, a description between sure delimiters may hold JSON,
    and both may hold bars and commas.
    """
    return (
        _take_whole_json,
        partial(take_kindless, types=types, rows=False),
        *(partial(take_tuples, delimiter=one) for one in DELIMITERS if one.sure),
        take_json,
        take_tables,
        *(partial(take_tuples, delimiter=one) for one in DELIMITERS if not one.sure),
        take_items,
        partial(take_kindless, types=types, rows=True),
    )


@dataclass(frozen=True, slots=True)
class ReadList:
    """What was read of a reply.

    `records` are lists of fields. `complete` tells whether the reply has the completion mark.
    `open` tells whether the last record is open: neither its bracket nor a mark after it closes
    it. `unread` holds the texts that may have been meant as records. `is_empty` tells that there
    are no records, because the reply says so or has nothing but the mark.
    """

    records: list[list[str]]
    complete: bool
    open: bool
    unread: list[str] = field(default_factory=list)
    is_empty: bool = False


def read_list(reply: str, *, claims: bool = False, types: Collection[str] = ()) -> ReadList:
    """Returns the records of one reply: claims, or entities and relationships.

    `types` are the types of entities that were asked for. They show what a record without its kind
    is.

    >>> read_list('("entity"<|>A<|>person<|>Tall)##("entity"|B|person|Short)').records
    [['entity', 'A', 'person', 'Tall'], ['entity', 'B', 'person', 'Short']]
    """
    texts = COMPLETE.split(tidied(reply))
    *marked, last = texts
    parts = [*(Part(one, is_last=False) for one in marked), Part(last, is_last=True)]
    taking = _Taking(_readers(known := {one.casefold() for one in types}), claims)
    parts = taking.read(parts)
    records = taking.records if claims else [with_kind(one, known) for one in taking.records]
    unread = list(chain.from_iterable(_unread(part, claims=claims, types=known) for part in parts))
    lost = number_lost(texts, len(records), unread, claims=claims, types=known)
    records += [list(UNREAD) for _ in range(lost)]
    if taking.open is not None:
        records = [*(one for one in records if one is not taking.open), taking.open]
    is_empty = not (records or unread) and _says_none(
        parts, is_empty_list=taking.has_empty_list or bool(marked)
    )
    return ReadList(records, bool(marked), taking.open is not None, unread, is_empty)


@dataclass(slots=True)
class _Taking:
    """The readers, and what they have taken: records, the open one, and whether a list is empty."""

    readers: Sequence[_Reader]
    claims: bool
    records: list[list[str]] = field(default_factory=list)
    open: list[str] | None = None
    has_empty_list: bool = False

    def read(self, parts: Sequence[Part]) -> list[Part]:
        """Asks each reader, and returns the parts that none of them took.

        A reader may leave parts in a form that was tried before. So the readers before it are asked
        again for these parts, once.
        """
        left = [(part, 0) for part in parts]
        for number, reader in enumerate(self.readers, 1):
            left = [
                (one, maker if one is part else number)
                for part, maker in left
                for one in self._rest(reader, part)
            ]
        parts = []
        for made, maker in left:
            again = [made]
            for reader in () if made.is_data else self.readers[:maker]:
                again = [one for part in again for one in self._rest(reader, part)]
            parts += again
        return parts

    def _rest(self, reader: _Reader, part: Part) -> list[Part]:
        """Keeps what a reader takes of a part, and returns what it leaves."""
        if not MATTERS.search(part.text):
            return []
        taken = reader(part, claims=self.claims)
        self.records += taken.records
        self.open = taken.open if taken.open is not None else self.open
        self.has_empty_list |= taken.is_empty
        return taken.rest


def _unread(part: Part, *, claims: bool, types: Collection[str]) -> Iterable[str]:
    if part.is_data:
        lines = [line.strip() for line in part.text.splitlines() if not is_noise(line)]
    else:
        lines = [*could_be_records(part.text, claims=claims)]
    return chain.from_iterable(
        split_at_beginnings(line, claims=claims, types=types) for line in lines
    )


def _says_none(parts: Sequence[Part], *, is_empty_list: bool) -> bool:
    """Tells whether all that a reply without records says is that there are none."""
    lines = [line for part in parts for line in part.text.splitlines() if not is_noise(line)]
    return all(map(says_none, lines)) and (is_empty_list or bool(lines))
