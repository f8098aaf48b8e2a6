"""Reads a list that is to serve as an example, and tells what is wrong with it."""

from collections.abc import Iterator, Sequence

from graphrag_neo4j.llm.extraction import extraction_of
from graphrag_neo4j.llm.gleaning import Gleaning
from graphrag_neo4j.llm.phrases import words
from graphrag_neo4j.llm.replies.lists import read_list
from graphrag_neo4j.model import Extraction, Reply
from graphrag_neo4j.text import excerpt, name_key

__all__ = ["problems_of", "read_example", "stands_in"]

LEAST_ENTITIES = 2
NAMED = 3  # names that a problem lists
SHOWN = 40  # characters of a text that a problem quotes


def read_example(reply: Reply, types: Sequence[str]) -> Extraction:
    """Returns the records of a reply. `unusable` also holds the text that is no record."""
    read = read_list(reply.text, types=types)
    odd = [f"text that is no record: '{excerpt(one, SHOWN)}'" for one in read.unread]
    return extraction_of(Gleaning(read.records, reply.cut or read.open, odd))


def problems_of(
    found: Extraction, passage: str, types: Sequence[str], *, translated: bool
) -> list[str]:
    """Returns what is wrong with a list as an example for a passage: parts of a sentence.

    With `translated` the names need not stand in the passage.
    """
    return list(_problems(found, passage, types, translated=translated))


def stands_in(name: str, passage: str) -> bool:
    """Tells whether a passage holds a name, or all its words.

    >>> stands_in("Agnes Thorsby", "AGNES THORSBY: Yes."), stands_in("Anna", "Annabel said so.")
    (True, False)
    """
    said = words(name)
    if not said:
        return False
    return set(said) <= set(words(passage)) or _is_unspaced_part(name, passage)


def _is_unspaced_part(name: str, passage: str) -> bool:
    """Tells whether a name stands in a passage of a script without spaces, such as Chinese."""
    key = name_key(name)
    return not key.isascii() and len(key) > 1 and key in name_key(passage)


def _problems(
    found: Extraction, passage: str, types: Sequence[str], *, translated: bool
) -> Iterator[str]:
    if found.cut:
        yield "the list is cut off"
    if found.unusable:
        yield f"{len(found.unusable)} of its records can't be read ({found.unusable[0]})"
    if len(found.entities) < LEAST_ENTITIES or not found.relationships:
        yield f"it has fewer than {LEAST_ENTITIES} entities or no relationship between them"
    known = {name_key(one) for one in types}
    if other := {e.type for e in found.entities if name_key(e.type) not in known}:
        yield f"its types {_listed(sorted(other))} were not asked for"
    if bare := [e.name for e in found.entities if not e.description.strip()]:
        yield f"the entities {_listed(bare)} have no description"
    absent = [e.name for e in found.entities if not stands_in(e.name, passage)]
    if absent and not translated:
        yield f"the names {_listed(absent)} do not stand in the passage"
    names = {name_key(e.name) for e in found.entities}
    ends = [end for one in found.relationships for end in (one.source, one.target)]
    if loose := [end for end in dict.fromkeys(ends) if name_key(end) not in names]:
        yield f"its relationships name {_listed(loose)}, which are no entities of the list"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{excerpt(name, SHOWN)}'" for name in names[:NAMED])
    return shown + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
