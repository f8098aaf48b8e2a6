"""The schemas of structured output: the JSON that a model is asked for."""

# The docstring of a public schema becomes its description in the JSON schema, which the model
# reads: to change it is to change the prompt.

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field

__all__ = [
    "AnswerSchema",
    "FollowUpSchema",
    "PointsSchema",
    "PrimerSchema",
    "RatingSchema",
    "ReplySchema",
    "ReportSchema",
]


T = TypeVar("T")
# One error in a reply is enough to ask again, so the validation of a list stops at the first one.
Listed = Annotated[list[T], FailFast()]


class ReplySchema(BaseModel):
    """A schema. It forbids other fields, as endpoints demand, but we ignore those in a reply."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})


class _FindingSchema(ReplySchema):
    summary: str = Field(min_length=1)
    explanation: str


class ReportSchema(ReplySchema):
    """A report on a community."""

    model_config = ConfigDict(title="community_report")
    title: str = Field(min_length=1)
    summary: str = Field(min_length=1)
    rating: float = Field(ge=0, le=10)
    rating_explanation: str
    findings: Listed[_FindingSchema] = Field(min_length=1)


class _PointSchema(ReplySchema):
    description: str
    score: int = Field(ge=0, le=100)


class PointsSchema(ReplySchema):
    """What a context has to say to a question; no points where it has nothing to say."""

    model_config = ConfigDict(title="points")
    points: Listed[_PointSchema]


class AnswerSchema(ReplySchema):
    """One answer from a context, and how much it helps."""

    model_config = ConfigDict(title="rated_answer")
    answer: str
    score: int = Field(ge=0, le=100)


class RatingSchema(ReplySchema):
    """The ids of the reports that are worth opening."""

    model_config = ConfigDict(title="relevant_reports")
    relevant: Listed[int]


class PrimerSchema(ReplySchema):
    """A first answer, how much it helps, and what to ask next."""

    model_config = ConfigDict(title="primer")
    answer: str
    score: int = Field(ge=0, le=100)
    follow_ups: Listed[str]


class FollowUpSchema(ReplySchema):
    """The question in a form that can be understood without the conversation."""

    model_config = ConfigDict(title="self_contained_question")
    question: str
