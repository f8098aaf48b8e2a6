"""Extraction: a chunk is read once and gleaned, and the records become evidence.

Gleanings follow arXiv 2404.16130, appendix A: the model is asked for the records that it missed.
Before each of them but the first, it is asked with one token whether it missed any; the answer is
no part of the conversation. A list that was cut off is continued; a reply of which nothing can be
read is asked for once more.
"""

import math
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.replies.lists import (
    FIELDS,
    IN_NAME,
    SCORE,
    ReadList,
    has_predicate,
    read_list,
)
from graphrag_neo4j.llm.replies.structured_output import again
from graphrag_neo4j.llm.tasks.reply_limits import ONE_WORD
from graphrag_neo4j.model.types import (
    ClaimRecord,
    Claims,
    EntityRecord,
    Extraction,
    Message,
    RelationshipRecord,
    Reply,
    Request,
    Step,
)
from graphrag_neo4j.text.strings import (
    INDEXED_BYTES,
    NO_VALUES,
    clean_name,
    entity_id,
    entity_ids,
    excerpt,
    fold,
    is_indexable,
    is_name,
    looks_like_name,
    name_key,
    storable,
    without_capitals,
)

CONTINUATIONS = 2  # requests for the rest of a list that was cut off
YES_OR_NO = ("Yes", "No")
BEGINNING = 60  # characters of an unread text that are kept
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
WEAKEST = 1.0
LONGEST_PREDICATE = 80  # characters: a longer text isn't a phrase
CLAIM_FIELDS = 8
NAMES_OF_CLAIM = 3  # fields before the status: the subject, the object and the type
STATUSES = frozenset({"TRUE", "FALSE", "SUSPECTED"})
NONE = frozenset({*NO_VALUES, "", "na", "-"})
# A list of such records alone was read, and says nothing.
NAMELESS, UNCLAIMED = "without a name", "without a subject or a description"
TOO_LONG = f"of more than {INDEXED_BYTES:,} bytes"
EMPTY = (NAMELESS, UNCLAIMED, TOO_LONG)
PARTIAL_DATE = re.compile(r"(?!0000)[0-9]{4}(-(0[1-9]|1[0-2]))?")


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of the messages after the first prompt.

    `missed` asks whether records are missing, `more` asks for them, and `go_on` asks for the rest
    of a list that was cut off.
    """

    missed: str
    more: str
    go_on: str


@dataclass(slots=True)
class Gleaning:
    """The records of the first reading and of all gleanings, in order.

    `cut` says whether a list was still cut off after the continuations. `odd` holds descriptions
    of unusual replies and of unread text, which are counted.
    """

    records: list[list[str]] = field(default_factory=list)
    cut: bool = False
    odd: list[str] = field(default_factory=list)


def read_with_gleanings(
    step: Step, prompt: str, wording: Wording, gleanings: int, *, limit: int | None = None
) -> Generator[Request, Reply, Gleaning]:
    """Reads one text, and then asks at most `gleanings` times for records that were missed.

    Before each gleaning but the first, the model is asked whether it missed any. A gleaning that
    finds nothing new is the last. Each list is parsed separately, and has at most `limit` tokens.
    It yields at most 2 * gleanings + 1 requests and their continuations. A request after the first
    that fails, for example since the conversation has become too long, ends the reading.
    Raises ReplyError if nothing can be read of the first reply, nor of the second try.
    """
    first = Request(step, (Message("user", prompt),), limit)
    messages, found = first.messages, Gleaning()
    text = yield from _first(first, wording.go_on, found)
    for gleaning in range(1, gleanings + 1):
        messages = (*messages, Message("assistant", text))
        try:
            if gleaning > 1 and not (yield from _asks(step, messages, wording.missed, found)):
                break
            messages = (*messages, Message("user", wording.more))
            text, read, cut = yield from _whole(replace(first, messages=messages), wording.go_on)
        except ReplyError as error:
            found.odd.append(f"a gleaning that failed: {error}")
            break
        if not (read.records or (read.is_empty and read.complete)):
            found.odd.append("a gleaning without a list")
        if not _keep(found, read, cut=cut):
            break
    return found


def _first(request: Request, go_on: str, found: Gleaning) -> Generator[Request, Reply, str]:
    """Reads the first list, and returns its text. An unreadable one is asked for once more."""
    text, read, cut = yield from _whole(request, go_on)
    if not (read.records or read.is_empty):
        error = _unreadable(text)
        try:
            second = again(request, text, error, "again_list")
            text, read, cut = yield from _whole(second, go_on)
        except ReplyError:
            raise ReplyError(error) from None
        if not read.records:  # after such a reply, an empty list may be a way out
            raise ReplyError(_unreadable(text) if read.unread else error)
    _keep(found, read, cut=cut)
    return text


def _unreadable(text: str) -> str:
    start = " ".join(text.split())[:BEGINNING]
    return f"the reply holds no record: {start!r}" if start else "the reply is empty"


def _asks(
    step: Step, messages: tuple[Message, ...], missed: str, found: Gleaning
) -> Generator[Request, Reply, bool]:
    """Asks the model whether it missed something; an unclear answer is counted, and means No."""
    asked = (*messages, Message("user", missed))
    reply = yield Request(step, asked, ONE_WORD, choices=YES_OR_NO)
    word = re.search(r"\w+", reply.text)
    answer = word[0].casefold() if word else ""
    if answer not in {"yes", "y", "no", "n"}:
        found.odd.append("neither yes nor no")
    return answer in {"yes", "y"}


def _whole(request: Request, go_on: str) -> Generator[Request, Reply, tuple[str, ReadList, bool]]:
    """Returns a reply joined with its continuations, its records, and whether it is still cut."""
    text, asking = "", request
    for _ in range(1 + CONTINUATIONS):
        try:
            reply = yield asking
        except ReplyError:
            if not text:
                raise
            break  # the list stays cut off
        text += storable(reply.text)[0]
        read = read_list(text, claims=request.step == "claims")
        cut = read.open or (reply.cut and not read.complete)
        if not (text and cut):
            break
        shown = (*request.messages, Message("assistant", text), Message("user", go_on))
        asking = replace(request, messages=shown)
    return text, read, cut


def _keep(found: Gleaning, read: ReadList, *, cut: bool) -> bool:
    """Adds what was read. Returns whether there is a record that was not there before."""
    records = read.records[:-1] if read.open else read.records
    known = set(map(tuple, found.records))
    found.cut |= cut
    found.odd += [f"text that isn't a record: '{excerpt(one, BEGINNING)}'" for one in read.unread]
    found.records += records
    return any(tuple(record) not in known for record in records)


class _UnusableError(Exception):
    """Says why a record can't be used."""


def extraction_of(gleaned: Gleaning, types: Sequence[str] = ()) -> Extraction:
    """Returns the entities and relationships, and a reason for each record that can't be used.

    A type that differs from one of `types` only by case is written as there.
    """
    known = {type_.casefold(): type_ for type_ in types}
    unusable = list(gleaned.odd)
    entities: list[EntityRecord] = []
    relationships: list[RelationshipRecord] = []
    records = [(_kind(record), *record[1:]) for record in gleaned.records]
    named = {
        entity_id(name): name
        for kind, *fields in records
        for name in map(clean_name, fields[: kind == "entity"])
    }
    for kind, *fields in records:
        try:
            if kind == "entity":
                entities.append(_entity(fields, known))
            elif kind == "relationship":
                relationships.append(_relationship(fields, named, unusable))
            else:
                unusable.append("unknown kind of record")
        except _UnusableError as reason:
            unusable.append(str(reason))
    return Extraction(entities, relationships, gleaned.cut, unusable)


def _kind(record: Sequence[str]) -> str:
    """Returns the kind of a record. A kind in another language shows by the number of fields."""
    kind = clean_name(record[0]).casefold()
    if kind in FIELDS or any(map(IN_NAME.search, record)):  # several records in one
        return kind
    more = has_predicate(record)
    is_scored = more or SCORE.fullmatch(record[-1]) is not None
    shape = {4: "" if is_scored else "entity", 5 + more: "relationship" if is_scored else ""}
    return shape.get(len(record)) or kind


def _entity(fields: Sequence[str], types: Mapping[str, str]) -> EntityRecord:
    name = clean_name(fields[0]) if fields else ""
    if len(fields) > 2 and not is_name(name):
        raise _UnusableError(f"entity {NAMELESS}")
    if len(fields) < 3 or IN_NAME.search(name):
        raise _UnusableError("entity with too few fields")
    type_ = clean_name(fields[1])
    type_ = types.get(type_.casefold(), without_capitals(type_))
    if not (is_indexable(name) and is_indexable(type_)):
        raise _UnusableError(f"entity with a name or a type {TOO_LONG}")
    return EntityRecord(name, type_, "<|>".join(fields[2:]))


def _relationship(
    fields: Sequence[str], named: Mapping[str, str], unusable: list[str]
) -> RelationshipRecord:
    """Reads a relationship. `named` holds the names of all entities by id."""
    if len(fields) < 3:
        raise _UnusableError("relationship with too few fields")
    source, target = (_end(one, named) for one in fields[:2])
    *fields, predicate = fields if has_predicate(["relationship", *fields]) else [*fields, ""]
    *description, last = fields[2:]
    if not (is_name(source) and is_name(target)):
        raise _UnusableError(f"relationship {NAMELESS}")
    if not (is_indexable(source) and is_indexable(target)):
        raise _UnusableError(f"relationship with a name {TOO_LONG}")
    if IN_NAME.search(source) or IN_NAME.search(target):
        raise _UnusableError("relationship with too few fields")
    if name_key(source) == name_key(target):
        raise _UnusableError("relationship with itself")
    is_sentence = any(map(str.isalpha, target)) and not looks_like_name(target)
    if is_sentence and entity_id(target) not in named:
        # Both names stood in one field, and what should be the target is the description.
        raise _UnusableError("relationship without a target")
    if not description and SCORE.fullmatch(last):
        raise _UnusableError("relationship with too few fields")
    number = NUMBER.search(last) if len(last) <= 20 else None  # "8", "8/10" or "strength: 8"
    strength = float(number[0]) if number else -1.0
    phrase = _predicate(predicate, unusable)
    if not description or not 0 <= strength < math.inf:
        unusable.append("relationship without a strength")
        return RelationshipRecord(source, target, "<|>".join(fields[2:]), WEAKEST, phrase)
    return RelationshipRecord(source, target, "<|>".join(description), strength, phrase)


def _predicate(text: str, unusable: list[str]) -> str:
    """A predicate in one form: "WORKS_FOR." becomes "works for"; "" for a text that is none.

    A verb has no capital, but German nouns keep theirs: "legte Gesetzentwurf vor".
    """
    phrase = without_capitals(clean_name(text.replace("_", " ")).rstrip("."))
    phrase = phrase[:1].lower() + phrase[1:]
    if len(phrase) > LONGEST_PREDICATE:
        unusable.append("relationship with a predicate that is too long")
        return ""
    return "" if phrase.casefold() in NONE else phrase


def _end(text: str, named: Mapping[str, str]) -> str:
    """The name of an end as the entities of the same reply write it: "Apple" also for "apple"."""
    name = clean_name(text)
    return next((named[id_] for id_ in entity_ids(name) if id_ in named), name)


def claims_of(gleaned: Gleaning) -> Claims:
    """Returns the claims in the records, and a reason for each record that can't be used.

    A leading field "claim" or "1." is dropped. Fields beyond the eighth are part of the last one,
    the source text.
    """
    unusable = list(gleaned.odd)
    claims: list[ClaimRecord] = []
    for record in gleaned.records:
        is_before_subject = re.fullmatch(r"(?i)claim|\d{1,4}[.)]", clean_name(record[0]))
        fields = record[1:] if is_before_subject else record
        if any(map(IN_NAME.search, fields[:NAMES_OF_CLAIM])):
            fields = []
        first, last = fields[: CLAIM_FIELDS - 1], fields[CLAIM_FIELDS - 1 :]
        claim = claim_record([*first, "<|>".join(last)] if last else first, unusable)
        claims += [claim] if claim else []
    return Claims(claims, gleaned.cut, unusable)


def claim_record(fields: Sequence[str], unusable: list[str]) -> ClaimRecord | None:
    """The claim of these fields: subject, object, type, status, start, end, description, source.

    Returns None where they do not make a claim. The reason, and each field that was unreadable, is
    added to `unusable`.
    """
    if len(fields) < CLAIM_FIELDS:
        unusable.append("claim with too few fields")
        return None
    subject, object_, type_, status, start, end, description, source_text = fields
    subject, object_, status = clean_name(subject), clean_name(object_), status.strip().upper()
    if not is_name(subject) or not description:
        unusable.append(f"claim {UNCLAIMED}")
        return None
    if status not in STATUSES:
        unusable.append("claim with an unreadable status")
    return ClaimRecord(
        subject=subject,
        object=None if object_.casefold() in NONE else object_,
        type=fold(type_).upper(),
        status=status if status in STATUSES else None,
        start_date=_date(start, unusable),
        end_date=_date(end, unusable),
        description=description,
        source_text=source_text,
    )


def _date(text: str, unusable: list[str]) -> str | None:
    """The date in ISO 8601, as precise as it was given: a year, a month or a day."""
    if text.casefold() in NONE:
        return None
    if PARTIAL_DATE.fullmatch(text):
        return text
    try:
        return datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        unusable.append("claim with an unreadable date")
        return None
