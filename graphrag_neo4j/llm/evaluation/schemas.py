"""The JSON that a judge is asked for, and that of the three steps that find claims."""

# The docstring of a public schema becomes its description in the JSON schema, which the model
# reads: to change it is to change the prompt.

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, ValidationInfo

from graphrag_neo4j.llm.replies.reply_values import note, read_reference
from graphrag_neo4j.llm.schemas import Listed, ReplySchema, Text

__all__ = [
    "DecompositionSchema",
    "DisambiguationSchema",
    "JudgedSchema",
    "NumberedSchema",
    "Resolution",
    "Selection",
    "SelectionSchema",
    "Support",
    "SupportSchema",
]

Selection = Literal["keep", "part", "none"]
Resolution = Literal["clear", "resolved", "ambiguous"]
Support = Literal["supported", "partly", "not"]
WINNER = re.compile(r"(?:answer\s?)?([012])", re.IGNORECASE)
TIES = frozenset({"tie", "draw", "neither", "equal"})
# The words for a support that models write in place of those that they are asked for.
OTHER_WORDS: Mapping[str, Support] = {
    "fully supported": "supported",
    "fully": "supported",
    "partly supported": "partly",
    "partially supported": "partly",
    "partially": "partly",
    "partial": "partly",
    "not supported": "not",
    "unsupported": "not",
}
MOST_ITEMS = 50  # sentences of one request


def _read_winner(value: object, info: ValidationInfo) -> object:
    """Reads the number of an answer that may be given as a text. What names two is no winner."""
    if isinstance(value, bool):
        return None
    if not isinstance(value, str):
        return value
    note(info, "a winner in another form")
    said = value.strip().casefold().rstrip(".")
    if said in TIES:
        return 0
    named = WINNER.fullmatch(said)
    return int(named[1]) if named else value


def _word(value: object) -> str:
    return str(value).strip().casefold()


class JudgedSchema(ReplySchema):
    """The reasons first, then the number of the better answer: 1, 2, or 0 for a tie."""

    model_config = ConfigDict(title="judged_answers")
    defaults: ClassVar[Mapping[str, object]] = {"reasoning": ""}
    reasoning: Text = Field(json_schema_extra={"maxLength": 1500})
    winner: Annotated[Literal[0, 1, 2], BeforeValidator(_read_winner)]


def _read_support(value: object, info: ValidationInfo) -> object:
    """Reads a support that may be given in other words, such as "Partially supported."."""
    said = _word(value).rstrip(".").replace("_", " ").replace("-", " ")
    if said in OTHER_WORDS:
        note(info, "a support in other words")
    return OTHER_WORDS.get(said, said)


class SupportSchema(ReplySchema):
    """The reason first, then whether the passages support the sentence."""

    model_config = ConfigDict(title="sentence_support")
    defaults: ClassVar[Mapping[str, object]] = {"reason": ""}
    reason: Text = Field(json_schema_extra={"maxLength": 1000})
    support: Annotated[Support, BeforeValidator(_read_support)]


Number = Annotated[int, BeforeValidator(read_reference)]
LongText = Annotated[Text, Field(json_schema_extra={"maxLength": 1500})]


class NumberedSchema(ReplySchema):
    """An item about the sentence with this number, from 1."""

    number: Number


class _SelectedSchema(NumberedSchema):
    defaults: ClassVar[Mapping[str, object]] = {"text": ""}
    verdict: Annotated[Selection, BeforeValidator(_word)]
    text: LongText


class SelectionSchema(ReplySchema):
    """Which sentences state something that can be checked."""

    model_config = ConfigDict(title="selected_sentences")
    listed = "selected"
    item_fields = ("verdict", "number", "text")
    selected: Listed[_SelectedSchema] = Field(json_schema_extra={"maxItems": MOST_ITEMS})


class _ResolvedSchema(NumberedSchema):
    defaults: ClassVar[Mapping[str, object]] = {"text": ""}
    verdict: Annotated[Resolution, BeforeValidator(_word)]
    text: LongText


class DisambiguationSchema(ReplySchema):
    """Which sentences have one meaning, and what they say without the text around them."""

    model_config = ConfigDict(title="resolved_sentences")
    listed = "resolved"
    item_fields = ("verdict", "number", "text")
    resolved: Listed[_ResolvedSchema] = Field(json_schema_extra={"maxItems": MOST_ITEMS})


class _DecomposedSchema(NumberedSchema):
    defaults: ClassVar[Mapping[str, object]] = {"claims": []}
    claims: Listed[LongText] = Field(json_schema_extra={"maxItems": 30})


class DecompositionSchema(ReplySchema):
    """The claims that each sentence makes."""

    model_config = ConfigDict(title="sentence_claims")
    listed = "decomposed"
    item_fields = ("claims", "number")
    decomposed: Listed[_DecomposedSchema] = Field(json_schema_extra={"maxItems": MOST_ITEMS})
