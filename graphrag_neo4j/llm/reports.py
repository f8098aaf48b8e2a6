"""A report as a model is asked for it, and what is made of its reply."""

import re
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.model import FindingText, Reply, Report
from graphrag_neo4j.text import fold_prose, storable

__all__ = ["REPORT_SCHEMA", "report_of"]

FENCED = re.compile(r"\A\s*```\w*\s*(.*?)\s*(?:```\s*)?\Z", re.DOTALL)


class _Written(BaseModel):
    # What endpoints want of a schema that they hold a reply to; we ourselves pass over more.
    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})


class _Finding(_Written):
    summary: str = Field(min_length=1)
    explanation: str


class _Report(_Written):
    title: str = Field(min_length=1)
    summary: str = Field(min_length=1)
    rating: float = Field(ge=0, le=10)
    rating_explanation: str
    findings: list[_Finding] = Field(min_length=1)


REPORT_SCHEMA: Final[dict[str, Any]] = _Report.model_json_schema() | {"title": "community_report"}


def report_of(reply: Reply) -> Report:
    """The report in a reply; raises ReplyError that says what is wrong with it."""
    fenced = FENCED.match(reply.text)
    try:
        written = _Report.model_validate_json(fenced[1] if fenced else reply.text)
    except ValidationError as error:
        raise ReplyError(_explain(error, cut=reply.cut)) from None
    findings = [FindingText(_line(f.summary), fold_prose(f.explanation)) for f in written.findings]
    return Report(
        title=_line(written.title),
        summary=fold_prose(written.summary),
        findings=findings,
        rating=written.rating,
        rating_explanation=fold_prose(written.rating_explanation),
    )


def _explain(error: ValidationError, *, cut: bool) -> str:
    if cut:
        return "the report is cut off"
    problem = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"the report is not valid: {place + ': ' if place else ''}{problem['msg']}"


def _line(text: str) -> str:
    return " ".join(storable(text)[0].split())
