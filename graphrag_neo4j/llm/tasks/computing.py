"""The LLM task that writes a question as a computation over properties, of names it is shown."""

import re
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.llm.replies.schemas import ComputationSchema, ConditionSchema
from graphrag_neo4j.llm.replies.structured_output import read_json
from graphrag_neo4j.model.computation import (
    DAY,
    KINDS_OF,
    MOST_LISTED,
    MOST_SHOWN,
    Computation,
    KnownProperty,
    PropertyCondition,
    kind_shown,
    shown_key,
    table_name,
)
from graphrag_neo4j.model.types import Reply, Request
from graphrag_neo4j.text.strings import excerpt

VALUE = 60  # characters of a value that a model is shown
DECIMAL = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
RELATIONSHIPS, DOCUMENTS = "relationships", "documents"


def shown_properties(
    known: Iterable[KnownProperty], names: Iterable[str], predicates: Mapping[str, Iterable[str]]
) -> str:
    """The properties by what has them, and the predicates of names, for a model to read."""
    lines = ["# Properties"]
    for kind, own in _by_name(known).items():
        keys = (f"{shown_key(one.key)} ({_kind(one)})" for one in own.values())
        lines.append(f"- **{kind}**: {', '.join(keys)}")
    told = (f"{predicate} ({', '.join(types)})" for predicate, types in predicates.items())
    named = f"- {', '.join(names)}: {', '.join(told)}" if predicates else "none"
    return "\n".join([*lines, "# Names in the question and their predicates", named])


def computation_of(
    request: Request, known: Sequence[KnownProperty], predicates: Collection[str]
) -> Generator[Request, Reply, Computation | None]:
    """Returns the computation that answers a question, None if none does.

    Raises ReplyError if the reply names what the graph doesn't have.
    """

    def check(found: ComputationSchema, _odd: list[str]) -> Computation | None:
        if found.over is None:
            return None
        own = _by_name(known).get(found.over, {})
        keys = {shown_key(key): key for key in own}
        asked = [one.property for one in found.conditions]
        asked += [] if found.property is None else [found.property]
        if missing := [*({*asked} - keys.keys()), *({*found.predicates} - {*predicates})]:
            raise ReplyError(f"the graph has no {missing[0]!r} of {found.over!r}")
        conditions = [_condition(one, own[keys[one.property]]) for one in found.conditions]
        computed = own[keys[found.property]] if found.property else None
        if found.function == "list":
            computed = None
        elif computed is None or computed.kind not in KINDS_OF[found.function]:
            raise ReplyError(f"the property of {found.function} has no numbers")
        if not (computed or conditions or found.predicates):
            return None
        [holder] = {one.holder for one in own.values()}
        if holder == "document" and found.predicates:
            raise ReplyError(f"{found.over!r} has no predicates")
        default = MOST_LISTED if found.function == "list" else MOST_SHOWN
        return Computation(
            holder,
            tuple(sorted({one.type for one in own.values()})),
            found.function,
            computed.key if computed else None,
            computed.kind if computed else kind_shown(conditions),
            tuple(conditions),
            tuple(found.predicates),
            found.most or default,
        )

    return (yield from read_json(request, ComputationSchema, check))


def _by_name(known: Iterable[KnownProperty]) -> dict[str, dict[str, KnownProperty]]:
    """The properties by the name under which a model is shown what has them, and by key."""
    found: dict[str, dict[str, KnownProperty]] = {}
    for one in known:
        name = RELATIONSHIPS if one.holder == "relationship" else table_name(one.type) or DOCUMENTS
        if {other.holder for other in found.get(name, {}).values()} <= {one.holder}:
            found.setdefault(name, {})[one.key] = one  # else a type has the name of a table
    return found


def _kind(one: KnownProperty) -> str:
    some = ", ".join(f'"{excerpt(text, VALUE)}"' for text in one.examples)
    return f"{one.kind}, such as {some}" if some else one.kind


def _condition(given: ConditionSchema, own: KnownProperty) -> PropertyCondition:
    """A condition of a reply on a property. Raises ReplyError for a value of another kind."""
    told, keys = str(given.value).strip(), (own.key,)
    if own.kind == "text":
        if given.operator != "=":
            raise ReplyError(f"texts such as {shown_key(own.key)} have no order")
        forms = [one for one in own.texts if one.strip().casefold() == told.casefold()]
        return PropertyCondition(keys, "text", "IN", tuple(forms or [told]))
    if own.kind == "date":
        if not DAY.fullmatch(told):
            raise ReplyError(f"{told!r} is no date such as 2021, 2021-03 or 2021-03-04")
        return PropertyCondition(keys, "date", given.operator, told)
    if not DECIMAL.fullmatch(told):
        raise ReplyError(f"{told!r} is no number")
    return PropertyCondition(keys, "number", given.operator, float(told))
