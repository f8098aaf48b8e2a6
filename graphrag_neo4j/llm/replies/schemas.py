"""The schemas of structured output: the JSON that a model is asked for.

A reply may differ from its schema where its meaning is clear: a score may have decimals, be out of
its range or stand in a text ("85/100"), a field with a default may be missing, and an item of a
list may be unusable. Such values are rounded, clamped, filled in or left out, and each is noted in
the list that is the context of the validation.

The limits of lengths are for models that are held to the schema: they end a model's endless
repetition. They are not applied to a reply. Strict endpoints accept `maxItems` and `maxLength`.
Some releases of llama.cpp refuse 2,000 and more.
"""

# The docstring of a public schema becomes its description in the JSON schema, which the model
# reads: to change it is to change the prompt.

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)

from graphrag_neo4j.model.computation import Function
from graphrag_neo4j.model.types import Sameness
from graphrag_neo4j.text.strings import excerpt

T = TypeVar("T")
LONGEST_LIST = 1000  # items that are read
MIDDLE = 50  # the score where the model gave none
NUMBER = re.compile(r"-?\d{1,9}(?:[.,]\d{1,9})?")
OF = re.compile(r"\s*(?:/|of|out of)\s*(\d{1,9})")
INTEGER = re.compile(r"\d{1,15}")
LONGEST_TEXT = 1990  # characters; the longest explanation in a real index of 122 reports has 1,051
FOLLOW_UPS = 5  # follow-up questions, as the prompt says
SUMMARY = 120  # characters of a summary that is the beginning of an explanation


def note(info: ValidationInfo, what: str) -> None:
    if info.context is not None:
        info.context.append(what)


def _number(value: object, most: float, info: ValidationInfo) -> float | None:
    """Reads a number from 0 to `most`, or None. Everything but a number in this range is noted."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most:
        return value
    note(info, "a number in another form")
    if isinstance(value, str):
        value = _number_in(value, most)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    return min(max(value, 0), most)


def _number_in(text: str, most: float) -> float | None:
    """Returns the number in a text such as "85", "85 %", "8/10" or "8 out of 10"."""
    found = NUMBER.search(text[:200])
    if found is None:
        return None
    number = float(found[0].replace(",", "."))
    whole = OF.match(text, found.end())
    return number * most / float(whole[1]) if whole and int(whole[1]) else number


def _read_score(value: object, info: ValidationInfo) -> int:
    """Reads a helpfulness from 0 to 100. A number between 0 and 1 is a share of 100."""
    number = _number(value, 100, info)
    if number is None:
        return MIDDLE
    if number != int(number):
        note(info, "a score with decimals")
        number = number * 100 if number < 1 else number
    return round(number)


def _read_rating(value: object, info: ValidationInfo) -> float | None:
    return None if value is None else _number(value, 10, info)


def _read_text(value: object, info: ValidationInfo) -> object:
    """Reads a text that may be given as a number or as a list of texts."""
    if isinstance(value, str):
        return value
    note(info, "a text in another form")
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def read_reference(value: object, info: ValidationInfo) -> object:
    """Reads the id of a report that may be given as a text or as an object with an id."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    note(info, "an id in another form")
    if isinstance(value, dict):
        value = value.get("id", value.get("report"))
    found = INTEGER.search(value[:200]) if isinstance(value, str) else None
    return int(found[0]) if found else value if isinstance(value, int | float) else None


def _usable(value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:  # noqa: ANN401 - as pydantic has it
    """Returns the _usable items of a list. A single item counts as a list of one."""
    if not isinstance(value, list):
        note(info, "a list in another form")
    items = value if isinstance(value, list) else [value]
    kept: list[Any] = []
    for item in items[:LONGEST_LIST]:
        try:
            kept += handler([item])
        except ValidationError:
            note(info, "an item that can't be used")
    for _ in items[LONGEST_LIST:]:
        note(info, "an item that can't be used")
    if items and not kept:
        raise ValueError("the list holds no item that can be used")
    return kept


def _limited(text: int) -> Any:  # noqa: ANN401 - as pydantic's Field has it
    return Field(json_schema_extra={"maxLength": text})


def _at_most(items: int, **limits: int) -> Any:  # noqa: ANN401 - as pydantic's Field has it
    return Field(json_schema_extra={**limits, "maxItems": items})


Text = Annotated[str, BeforeValidator(_read_text)]
Named = Annotated[Text, Field(min_length=1)]
Reference = Annotated[int, BeforeValidator(read_reference)]
Score = Annotated[int, Field(ge=0, le=100), BeforeValidator(_read_score)]
Rating = Annotated[
    float | None,
    BeforeValidator(_read_rating),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 10}),
]
Listed = Annotated[list[T], WrapValidator(_usable)]


def usual_spelling(name: str) -> str:
    """Returns the name of a field in lower case, with underscores between its words."""
    return re.sub(r"[\s-]", "_", name.strip().casefold())


class ReplySchema(BaseModel):
    """A schema. It forbids other fields, as endpoints demand, but we ignore those in a reply.

    `defaults` holds the values of fields that may be missing in a reply. `listed` is the name of
    its list, whose items also count where they stand alone; `item_fields` are the fields of an
    item, the first of which no other object has. `usable_if_cut` says whether the complete part
    of a reply that is cut off is used at once.
    """

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})
    defaults: ClassVar[Mapping[str, object]] = {}
    listed: ClassVar[str] = ""
    item_fields: ClassVar[tuple[str, ...]] = ()
    usable_if_cut: ClassVar[bool] = False

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, given: object, info: ValidationInfo) -> object:
        """Fills in the fields that are missing, and takes names in another spelling."""
        if not isinstance(given, dict):
            return given
        respelt = cls._respelt(given)
        if respelt:
            note(info, "a field in another spelling")
        for name in given:
            if name not in cls.model_fields and usual_spelling(name) not in respelt:
                note(info, "a field that was not asked for")
        fields = {**given, **respelt}
        for name, value in cls.defaults.items():
            if fields.get(name) is None:
                note(info, "a field is missing")
                fields[name] = value
        return fields

    @classmethod
    def _respelt(cls, given: Mapping[str, object]) -> dict[str, object]:
        """Returns the fields whose names are spelt in another way, such as "Follow Ups"."""
        if given.keys() >= cls.model_fields.keys():
            return {}
        spelt = {usual_spelling(name): value for name, value in given.items()}
        return {n: spelt[n] for n in cls.model_fields if n in spelt and n not in given}


class _FindingSchema(ReplySchema):
    summary: Named = _limited(500)
    explanation: Text = _limited(LONGEST_TEXT)

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, given: object, info: ValidationInfo) -> object:
        """Makes the summary or the explanation from the other, if only one is given."""
        fields = {"explanation": given} if isinstance(given, str) else given
        if not isinstance(fields, dict):
            return given
        summary, explanation = fields.get("summary"), fields.get("explanation")
        one = summary or explanation
        if (summary and explanation) or not isinstance(one, str) or not one.strip():
            return given
        note(info, "a field is missing")
        return {"summary": summary or excerpt(one[:LONGEST_TEXT], SUMMARY), "explanation": one}


class ReportSchema(ReplySchema):
    """A report on a community."""

    model_config = ConfigDict(title="community_report")
    defaults = {"rating": None, "rating_explanation": ""}
    listed = "findings"
    item_fields = ("explanation", "summary")
    title: Named = _limited(250)
    summary: Named = _limited(LONGEST_TEXT)
    rating: Rating
    rating_explanation: Text = _limited(1000)
    findings: Listed[_FindingSchema] = _at_most(20, minItems=1)

    @model_validator(mode="after")
    def _has_findings(self) -> "ReportSchema":
        if not self.findings:
            raise ValueError("there is no finding")
        return self


class _NumberedReportSchema(ReportSchema):
    community: Reference


class ReportsSchema(ReplySchema):
    """A report on each community."""

    model_config = ConfigDict(title="community_reports")
    listed = "reports"
    item_fields = ("findings", "community", "title")
    usable_if_cut = True
    reports: Listed[_NumberedReportSchema] = _at_most(20)


class _PointSchema(ReplySchema):
    defaults = {"score": MIDDLE}
    description: Text = _limited(LONGEST_TEXT)
    score: Score

    @model_validator(mode="before")
    @classmethod
    def _name(cls, given: object) -> object:
        return {"description": given} if isinstance(given, str) else given


class _VerdictSchema(ReplySchema):
    defaults = {"reason": ""}
    pair: Reference
    verdict: Annotated[Sameness, BeforeValidator(lambda given: str(given).strip().casefold())]
    reason: Text = _limited(300)


class ComparisonSchema(ReplySchema):
    """Whether the two names of each pair are one thing."""

    model_config = ConfigDict(title="name_pairs")
    listed = "pairs"
    item_fields = ("verdict", "pair", "reason")
    usable_if_cut = True
    pairs: Listed[_VerdictSchema] = _at_most(50)


class _SummarySchema(ReplySchema):
    thing: Reference
    description: Text


class SummariesSchema(ReplySchema):
    """One description of each thing."""

    model_config = ConfigDict(title="summaries")
    listed = "descriptions"
    item_fields = ("description", "thing")
    usable_if_cut = True
    descriptions: Listed[_SummarySchema] = _at_most(50)


class PointsSchema(ReplySchema):
    """What a context has to say to a question; no points where it has nothing to say."""

    model_config = ConfigDict(title="points")
    listed = "points"
    item_fields = ("description", "score")
    usable_if_cut = True
    points: Listed[_PointSchema] = _at_most(50)


class AnswerSchema(ReplySchema):
    """One answer from a context, and how much it helps."""

    model_config = ConfigDict(title="rated_answer")
    defaults = {"score": MIDDLE}
    usable_if_cut = True
    answer: Text
    score: Score


class RatingSchema(ReplySchema):
    """The ids of the reports that are worth opening."""

    model_config = ConfigDict(title="relevant_reports")
    listed = "relevant"
    usable_if_cut = True
    relevant: Listed[Reference] = _at_most(100)


class ConditionSchema(ReplySchema):
    """What the value of a property must be."""

    property: str
    operator: Literal["=", ">", "<", ">=", "<="]
    value: str | float


class ComputationSchema(ReplySchema):
    """A computation over properties, or none."""

    model_config = ConfigDict(title="computation")
    defaults = {"function": "list", "conditions": [], "predicates": []}
    over: str | None
    function: Function
    property: str | None
    conditions: list[ConditionSchema]  # all of them: without one, the result is another
    predicates: list[str]
    most: int | None


class PrimerSchema(ReplySchema):
    """A first answer, how much it helps, and what to ask next."""

    model_config = ConfigDict(title="primer")
    defaults = {"score": MIDDLE, "follow_ups": []}
    usable_if_cut = True
    answer: Text = _limited(LONGEST_TEXT)  # one or two paragraphs
    score: Score
    follow_ups: Listed[Annotated[Text, _limited(300)]] = _at_most(FOLLOW_UPS)


class FollowUpSchema(ReplySchema):
    """The question in a form that can be understood without the conversation."""

    model_config = ConfigDict(title="self_contained_question")
    question: str


class ProfileSchema(ReplySchema):
    """What a collection of documents is about, and who reads it best."""

    model_config = ConfigDict(title="collection_profile")
    defaults = {"reason": "", "passages": []}
    domain: Named = _limited(300)
    language: Named = _limited(40)
    persona: Named = _limited(300)
    reason: Text = _limited(1000)
    passages: Listed[Reference] = _at_most(3)


class _EntityTypeSchema(ReplySchema):
    defaults = {"definition": "", "names": [], "passages": []}
    name: Named = _limited(60)
    definition: Text = _limited(500)
    names: Listed[Annotated[Text, _limited(120)]] = _at_most(6)
    passages: Listed[Reference] = _at_most(6)


class _PredicateSchema(ReplySchema):
    defaults = {"definition": ""}
    predicate: Named = _limited(60)
    definition: Text = _limited(500)


class EntityTypesSchema(ReplySchema):
    """The types of entities of a collection of documents, and the predicates of relationships."""

    model_config = ConfigDict(title="entity_types")
    defaults = {"predicates": []}
    listed = "types"
    item_fields = ("name", "definition", "names", "passages")
    types: Listed[_EntityTypeSchema] = _at_most(20, minItems=1)
    predicates: Listed[_PredicateSchema] = _at_most(20)


class QuestionsSchema(ReplySchema):
    """Questions on a collection as a whole, and on particular things in it."""

    model_config = ConfigDict(title="suggested_questions")
    defaults = {"whole": [], "particular": []}
    whole: Listed[Annotated[Text, _limited(300)]] = _at_most(20)
    particular: Listed[Annotated[Text, _limited(300)]] = _at_most(20)


class NextQuestionsSchema(ReplySchema):
    """Questions that follow on an answer."""

    model_config = ConfigDict(title="next_questions")
    listed = "next"
    usable_if_cut = True
    next: Listed[Annotated[Text, _limited(300)]] = _at_most(10)
