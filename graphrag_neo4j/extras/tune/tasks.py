"""LLM tasks that find out what a collection of documents is about, from a sample of its passages.

First a profile (domain, language, persona), then the types of its entities, then examples: lists
that the model writes for passages of the collection. An example is used only if this program can
read it without a repair, and if every name in it stands in its passage.

What a model says here becomes a part of the prompts. So it is made one line without the marks of
lists, and it is limited in length.
"""

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.extras.tune.result import EntityType
from graphrag_neo4j.llm.copies import WORD, Instructions
from graphrag_neo4j.llm.prompts import load_prompt, marked, plain_line
from graphrag_neo4j.llm.replies.lists import read_list
from graphrag_neo4j.llm.replies.schemas import EntityTypesSchema, ProfileSchema
from graphrag_neo4j.llm.replies.structured_output import read_json
from graphrag_neo4j.llm.tasks.extraction import Gleaning, extraction_of
from graphrag_neo4j.model.types import Extraction, LLMTask, Message, Reply, Request
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.languages import language_of, word_forms
from graphrag_neo4j.text.strings import excerpt, fold, name_key, storable, without_capitals

MOST_TYPES = 8
MOST_PREDICATES = 20
LONGEST_SENTENCE = 320  # characters of a definition or a reason
LONGEST_TYPE = 40  # characters of the name of a type
LONGEST_REPLY = 6000  # characters of a list that the model is shown again
REPLY_TOKENS = 3000  # of a profile or of the types
SHARED = 0.5  # share of the names of a type that another type may also have
SEVERAL = "several"
LEAST_ENTITIES = 2  # of an example
NAMED = 3  # names that a problem of an example lists
SHOWN = 40  # characters of a text that a problem quotes
OPENING = re.compile(r"^you are ", re.IGNORECASE)  # the prompts put these words before a persona
# A name of a type stands in a list that is separated by commas, and in a field of a record.
MARKS_OF_TYPES = str.maketrans(dict.fromkeys("<>|#`{}$,;:\"'()[]*_", " "))


@dataclass(frozen=True, slots=True)
class Profile:
    """What a collection is about. `language` is None where it has several.

    `passages` holds the numbers of the passages, from 0, that the model named as its reason.
    """

    domain: str
    language: str | None
    persona: str
    reason: str
    passages: Sequence[int]


@dataclass(frozen=True, slots=True)
class FoundTypes:
    """The types that can be used, and a reason for each one that was left out, by its name.

    `predicates` holds the definitions of predicates of relationships, by their names.
    """

    types: Sequence[EntityType]
    left_out: Mapping[str, str]
    predicates: Mapping[str, str] = field(default_factory=dict)


def shown_passages(passages: Sequence[str]) -> str:
    """Returns passages with their numbers, from 1, each between marks that no text can forge."""
    return "\n\n".join(
        f"Passage {number}:\n{marked(text)}" for number, text in enumerate(passages, start=1)
    )


def profile_task(passages: Sequence[str], settings: Settings) -> LLMTask[Profile]:
    """Returns what the passages are about. Raises ReplyError if the reply can't be used."""
    prompt = load_prompt("tune_profile", settings.prompts, needs="input_text")
    language = settings.language or "the language of the passages"
    values = {"input_text": shown_passages(passages), "language": language}
    instructions = Instructions(prompt.fill({"language": language}))

    def check(found: ProfileSchema, _odd: list[str]) -> ProfileSchema:
        for name, text in (("domain", found.domain), ("persona", found.persona)):
            if not plain_line(text):
                raise ReplyError(f"the {name} is empty")
            if instructions.are_copied_in(text, "\n".join(passages)):
                raise ReplyError(f"the {name} repeats the instructions instead of following them")
        return found

    request = _request(prompt.fill(values))
    found = yield from read_json(request, ProfileSchema, check)
    named = plain_line(found.language, LONGEST_TYPE)
    return Profile(
        plain_line(found.domain).rstrip("."),
        None if name_key(named).startswith(SEVERAL) else named.rstrip("."),
        OPENING.sub("", plain_line(found.persona)).rstrip("."),
        plain_line(found.reason, LONGEST_SENTENCE),
        [n - 1 for n in dict.fromkeys(found.passages) if 1 <= n <= len(passages)],
    )


def entity_types_task(
    passages: Sequence[str],
    domain: str,
    language: str,
    settings: Settings,
    given: Sequence[str] = (),
) -> LLMTask[FoundTypes]:
    """Returns the types of the entities in the passages, in the order of the reply.

    With `given`, these types are kept and only defined. Other types are left out if none of their
    names stands in a passage, or if another type has half of their names. Raises ReplyError if no
    type can be used.
    """
    prompt = load_prompt("tune_types", settings.prompts, needs="input_text")
    wish = f"Choose at most {MOST_TYPES} types, the most useful first."
    if given:
        listed = ", ".join(given)
        wish = f"The types are fixed: {listed}. Define each of them, and add no other."
    shown = shown_passages(passages)
    values = {"domain": domain, "language": language, "given": wish, "input_text": shown}
    values["most_predicates"] = str(MOST_PREDICATES)

    def check(found: EntityTypesSchema, _odd: list[str]) -> EntityTypesSchema:
        if not _usable_types(found, passages, given).types:
            raise ReplyError("no type has a name that stands in the passages")
        return found

    found = yield from read_json(_request(prompt.fill(values)), EntityTypesSchema, check)
    return replace(_usable_types(found, passages, given), predicates=_predicates(found))


def example_task(
    request: Request, passage: str, types: Sequence[str], settings: Settings, *, translated: bool
) -> Generator[Request, Reply, Extraction]:
    """Returns a list for a passage that can serve as an example.

    `request` asks for the list of the passage. If the list has problems, the model is told them and
    asked once more. With `translated`, the names are in another language than the passage, so they
    need not stand in it. Raises ReplyError, which names the problems of the second list.
    """
    again = load_prompt("tune_again", settings.prompts, needs="problems")
    told = ""
    for _ in range(2):
        reply = yield request
        found = _read_example(reply)
        problems = _problems_of(found, passage, types, translated=translated)
        if not problems:
            return found
        told = "; ".join(problems)
        shown = storable(reply.text[:LONGEST_REPLY])[0].strip() or "…"
        question = Message("user", again.fill({"problems": told}).strip())
        messages = (*request.messages, Message("assistant", shown), question)
        request = replace(request, messages=messages)
    raise ReplyError(told)


def _read_example(reply: Reply) -> Extraction:
    """Returns the records of a reply. `unusable` also holds the text that isn't a record."""
    read = read_list(reply.text)
    odd = [f"text that isn't a record: '{excerpt(one, SHOWN)}'" for one in read.unread]
    return extraction_of(Gleaning(read.records, reply.cut or read.open, odd))


def _problems_of(
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
        (loose, f"its relationships name {_listed(loose)}, which aren't entities of the list"),
    ]
    return [problem for applies, problem in problems if applies]


def stands_in(name: str, passage: str) -> bool:
    """Returns whether a passage holds all words of a name, each of them in any of its forms.

    >>> stands_in("Agnes Thorsby", "AGNES THORSBY: Yes."), stands_in("Anna", "Annabel said so.")
    (True, False)
    """
    said, key, (language, held) = WORD.findall(name), name_key(name), _forms_in(passage)
    if said and not any(held.isdisjoint(word_forms(word, language)) for word in said):
        return True
    # In a script without spaces, such as Chinese, a name is a part of a word.
    return bool(said) and not key.isascii() and len(key) > 1 and key in name_key(passage)


@lru_cache(256)  # every name is looked for in every passage of the sample
def _forms_in(passage: str) -> tuple[str, frozenset[str]]:
    """Returns the language of a passage, and the forms of its words."""
    said = WORD.findall(passage)
    language = language_of(passage, said)
    return language, frozenset(form for word in said for form in word_forms(word, language))


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    shown = ", ".join(f"'{excerpt(name, SHOWN)}'" for name in listed[:NAMED])
    return shown + (f" and {len(listed) - NAMED} more" if len(listed) > NAMED else "")


def _request(prompt: str) -> Request:
    return Request("extraction", (Message("user", prompt),), REPLY_TOKENS)


def _usable_types(
    found: EntityTypesSchema, passages: Sequence[str], given: Sequence[str]
) -> FoundTypes:
    if given:
        return _given_types(found, passages, given)
    types: list[EntityType] = []
    left_out: dict[str, str] = {}
    taken: set[str] = set()
    for one in _types_of(found, passages):
        keys = {name_key(name) for name in one.names}
        if reason := _flaw(one, keys, types, taken):
            left_out.setdefault(one.name or "a type without a name", reason)
        else:
            types.append(one)
            taken |= keys
    return FoundTypes(types, left_out)


def _given_types(
    found: EntityTypesSchema, passages: Sequence[str], given: Sequence[str]
) -> FoundTypes:
    """Returns the given types in their order, each with what the reply says of it."""
    by_key = {_type_key(one.name): one for one in _types_of(found, passages)}
    unknown = EntityType("", "", (), ())
    known = [replace(by_key.pop(_type_key(name), unknown), name=name) for name in given]
    reason = "it is not among the types that you gave"
    return FoundTypes(known, {one.name: reason for one in by_key.values()})


def _types_of(found: EntityTypesSchema, passages: Sequence[str]) -> list[EntityType]:
    return [
        EntityType(
            without_capitals(plain_line(one.name.translate(MARKS_OF_TYPES), LONGEST_TYPE)),
            plain_line(one.definition, LONGEST_SENTENCE),
            [name for name, place in places if place is not None],
            sorted({place for _, place in places if place is not None}),
        )
        for one in found.types
        for places in [[(name, _place_of(name, passages)) for name in map(fold, one.names)]]
    ]


def _predicates(found: EntityTypesSchema) -> dict[str, str]:
    predicates: dict[str, str] = {}
    for one in found.predicates:
        name = plain_line(one.predicate.translate(MARKS_OF_TYPES), LONGEST_TYPE).lower()
        if name and len(predicates) < MOST_PREDICATES:
            predicates.setdefault(name, plain_line(one.definition, LONGEST_SENTENCE))
    return predicates


def _place_of(name: str, passages: Sequence[str]) -> int | None:
    """Returns the number of the first passage that holds a name, from 0."""
    return next((n for n, text in enumerate(passages) if stands_in(name, text)), None)


def _flaw(
    one: EntityType, keys: set[str], before: Sequence[EntityType], taken: set[str]
) -> str | None:
    """Returns the reason why a type is left out, None if it is used."""
    if not name_key(one.name):
        return "it has no name"
    if any(_type_key(one.name) == _type_key(other.name) for other in before):
        return "it comes twice"
    if not keys:
        return "none of the names that the model gave for it stands in the passages"
    if len(keys & taken) >= SHARED * len(keys):
        return "another type also has its names"
    if len(before) == MOST_TYPES:
        return f"there are {MOST_TYPES} types already"
    return None


def _type_key(name: str) -> str:
    """The key that the singular and the plural of an English type share."""
    key = name_key(name)
    return f"{key[:-3]}y" if key.endswith("ies") else key.removesuffix("s")
