"""The forms of JSON that a model is asked for; its schema is made from them."""

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "AnswerSchema",
    "PointsSchema",
    "PrimerSchema",
    "RatingSchema",
    "ReplySchema",
    "ReportSchema",
]


class ReplySchema(BaseModel):
    """A form. Endpoints that hold replies to it want it closed; we pass over what is more."""

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
    findings: list[_FindingSchema] = Field(min_length=1)


class _PointSchema(ReplySchema):
    description: str
    score: int = Field(ge=0, le=100)


class PointsSchema(ReplySchema):
    """What a context has to say to a question; no points where it has nothing to say."""

    model_config = ConfigDict(title="points")
    points: list[_PointSchema]


class AnswerSchema(ReplySchema):
    """One answer from a context, and how much it helps."""

    model_config = ConfigDict(title="rated_answer")
    answer: str
    score: int = Field(ge=0, le=100)


class RatingSchema(ReplySchema):
    """The ids of the reports that are worth opening."""

    model_config = ConfigDict(title="relevant_reports")
    relevant: list[int]


class PrimerSchema(ReplySchema):
    """A first answer, how much it helps, and what to ask next."""

    model_config = ConfigDict(title="primer")
    answer: str
    score: int = Field(ge=0, le=100)
    follow_ups: list[str]
