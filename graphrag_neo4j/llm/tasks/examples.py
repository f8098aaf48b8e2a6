"""The examples of lists: fitted to the entity types that the user set, and left out of replies.

A record whose type was not asked for would teach a model to write such records. So it is left out,
together with the relationships of its entity. A type that the user calls by another name gets that
name.
"""

import re
from collections.abc import Mapping, Sequence

from graphrag_neo4j.llm.replies.lists import kind_of, read_list
from graphrag_neo4j.llm.tasks.extraction import Gleaning
from graphrag_neo4j.text.strings import find_quote, name_key

PASSAGE = "Passage:\n"
# An example that `tune` made: its passage stands between marks, and no other part has its end.
TUNED = re.compile(r"Passage:\n\n<text (\w+)>\n(.*?)\n</text \1>.*?<\|COMPLETE\|>\s*", re.DOTALL)
PIECE = 60  # characters of the passage of an example; a text that holds such a piece shares it
# Other names for the types in our examples.
SAME_TYPE = {
    "person": {"people", "human", "individual", "character", "per"},
    "organization": {"organisation", "company", "institution", "agency", "org", "business"},
    "place": {"location", "geo", "city", "gpe", "region", "site"},
    "event": {"incident", "occurrence", "happening"},
    "concept": {"topic", "idea", "theme", "term"},
    "product": {"device", "technology", "tool"},
    "work": {"publication", "book", "document", "creative work"},
}
OTHER_TYPES = (
    "They were written for other types of entities. Use their form, but only your types: {}."
)


class ExampleRecords:
    """The records in the examples of a prompt. A small model copies them into its list."""

    def __init__(self, examples: str, *, claims: bool = False) -> None:
        self._records = {tuple(one) for one in read_list(examples, claims=claims).records}

    def left_out_of(self, gleaned: Gleaning, text: str) -> Gleaning:
        """Returns the records without copies of the examples, which are noted.

        A record isn't a copy if the text that was read also has its names.
        """
        copied = self._records & {tuple(one) for one in gleaned.records}
        passage = name_key(text) if copied else ""
        own = [
            record
            for record in gleaned.records
            if tuple(record) not in copied
            or all(name_key(name) in passage for name in _names(record))
        ]
        copies = len(gleaned.records) - len(own)
        return Gleaning(own, gleaned.cut, gleaned.odd + ["a record of the examples"] * copies)


def _names(record: Sequence[str]) -> Sequence[str]:
    """The name of an entity, those of the two ends of a relationship, or the subject of a claim."""
    match kind_of(record[0]):
        case "entity":
            return record[1:2]
        case "relationship":
            return record[1:3]
        case _:
            return record[:1]


def fitted_examples(text: str, types: Sequence[str]) -> str:
    """Returns the examples with records of these types only.

    An example that loses all its records is left out. If all of them do, they are shown as they
    are, with a sentence that says so. Without types, the model chooses them, and all examples are
    shown, too.
    """
    if not types:
        return text
    names = _names_of_types(types)
    examples = [PASSAGE + part for part in text.split(PASSAGE) if part.strip()]
    fitted = [_fitted(example, names) for example in examples]
    if not any(_has_entities(one) for one in fitted if one):
        return f"{OTHER_TYPES.format(', '.join(types))}\n\n{text}"
    return "\n\n".join(one.strip() for one in fitted if one)


def without_own(examples: str, text: str) -> str:
    """Returns the examples without those that `tune` made from a part of this text.

    A model uses nothing from the examples, so it would leave out what they and the text both say.
    If only an example without records were left, which teaches to write nothing, none is shown.
    """

    def kept(example: re.Match[str]) -> str:
        passage = example[2]
        starts = range(0, max(1, len(passage) - PIECE + 1), PIECE)  # the rest is shorter
        shares = any(find_quote(passage[start : start + PIECE], text) for start in starts)
        return "" if shares else example[0]

    others = TUNED.sub(kept, examples)
    return others if _has_entities(others) or not _has_entities(examples) else ""


def _names_of_types(types: Sequence[str]) -> Mapping[str, str]:
    """Returns the user's name of each type in our examples that the user asks for."""
    names: dict[str, str] = {}
    for ours, others in SAME_TYPE.items():
        for given in types:
            key = name_key(given)
            if key == ours or (key in others and ours not in names):
                names[ours] = given
    return names


def _fitted(example: str, names: Mapping[str, str]) -> str | None:
    """Returns an example with records of some types only, None if it had others only."""
    lines, known, is_left_out = list[str](), set[str](), False
    for line in example.splitlines():
        record = _record(line, names, known)
        if line.strip() == "##" and is_left_out:
            continue
        is_left_out = record is None
        if record is not None:
            lines.append(record)
    fitted = "\n".join(lines)
    return fitted if _has_entities(fitted) or not _has_entities(example) else None


def _record(line: str, names: Mapping[str, str], known: set[str]) -> str | None:
    """Returns a line with the user's name of its type, None if it is a record to leave out.

    `known` holds the names of the entities that are not left out.
    """
    fields = line.split("<|>")
    kind = kind_of(fields[0])
    if kind == "entity":
        name = names.get(fields[2])
        if name is None:
            return None
        known.add(fields[1])
        return "<|>".join([*fields[:2], name, *fields[3:]])
    if kind == "relationship":
        return line if {fields[1], fields[2]} <= known else None
    return line


def _has_entities(example: str) -> bool:
    return '("entity"<|>' in example
