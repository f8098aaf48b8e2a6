"""Reads a list that is to serve as an example, and tells what is wrong with it."""

from collections.abc import Iterable, Sequence

from graphrag_neo4j.llm.extraction import Gleaning, extraction_of
from graphrag_neo4j.llm.phrases import words
from graphrag_neo4j.llm.replies.lists import read_list
from graphrag_neo4j.model import Extraction, Reply
from graphrag_neo4j.text import excerpt, name_key

LEAST_ENTITIES = 2
NAMED = 3  # names that a problem lists
SHOWN = 40  # characters of a text that a problem quotes


def read_example(reply: Reply) -> Extraction:
    """Returns the records of a reply. `unusable` also holds the text that is no record."""
    read = read_list(reply.text)
    odd = [f"text that is no record: '{excerpt(one, SHOWN)}'" for one in read.unread]
    return extraction_of(Gleaning(read.records, reply.cut or read.open, odd))


def problems_of(
    found: Extraction, passage: str, types: Sequence[str], *, translated: bool
) -> list[str]:
    """Returns what is wrong with a list as an example for a passage: parts of a sentence.

    With `translated` the names need not stand in the passage.
    """
    known = set(map(name_key, types))
    other = {one.type for one in found.entities if name_key(one.type) not in known}
    names = {one.name: name_key(one.name) for one in found.entities}
    bare = [one.name for one in found.entities if not one.description.strip()]
    absent = [name for name in names if not (translated or stands_in(name, passage))]
    ends = (end for one in found.relationships for end in (one.source, one.target))
    loose = [end for end in dict.fromkeys(ends) if name_key(end) not in names.values()]
    unread = f" ({found.unusable[0]})" if found.unusable else ""
    problems = [
        (found.cut, "the list is cut off"),
        (found.unusable, f"{len(found.unusable)} of its records can't be read{unread}"),
        (
            len(found.entities) < LEAST_ENTITIES or not found.relationships,
            f"it has fewer than {LEAST_ENTITIES} entities or no relationship between them",
        ),
        (other, f"its types {_listed(sorted(other))} were not asked for"),
        (bare, f"the entities {_listed(bare)} have no description"),
        (absent, f"the names {_listed(absent)} do not stand in the passage"),
        (loose, f"its relationships name {_listed(loose)}, which are no entities of the list"),
    ]
    return [problem for applies, problem in problems if applies]


def stands_in(name: str, passage: str) -> bool:
    """Tells whether a passage holds a name, or all its words.

    >>> stands_in("Agnes Thorsby", "AGNES THORSBY: Yes."), stands_in("Anna", "Annabel said so.")
    (True, False)
    """
    said, key = words(name), name_key(name)
    if said and set(said) <= set(words(passage)):
        return True
    # In a script without spaces, such as Chinese, a name is a part of a word.
    return bool(said) and not key.isascii() and len(key) > 1 and key in name_key(passage)


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    shown = ", ".join(f"'{excerpt(name, SHOWN)}'" for name in listed[:NAMED])
    return shown + (f" and {len(listed) - NAMED} more" if len(listed) > NAMED else "")
