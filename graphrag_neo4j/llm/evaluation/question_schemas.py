"""The JSON of the steps that make questions for an evaluation."""

# The docstring of a public schema becomes its description in the JSON schema, which the model
# reads: to change it is to change the prompt.

from typing import Annotated

from pydantic import ConfigDict, Field

from graphrag_neo4j.llm.schemas import Listed, ReplySchema, Text

__all__ = ["DescriptionSchema", "PersonasSchema", "TaskQuestionsSchema", "TasksSchema"]

MOST = 50  # items of a list
Phrase = Annotated[Text, Field(json_schema_extra={"maxLength": 400})]


class DescriptionSchema(ReplySchema):
    """A short description of a collection of documents."""

    model_config = ConfigDict(title="collection_description")
    description: Annotated[Text, Field(min_length=1)] = Field(json_schema_extra={"maxLength": 1500})


class PersonasSchema(ReplySchema):
    """People who use a collection."""

    model_config = ConfigDict(title="evaluation_personas")
    listed = "personas"
    personas: Listed[Phrase] = Field(json_schema_extra={"maxItems": MOST})


class TasksSchema(ReplySchema):
    """Tasks of a person who uses a collection."""

    model_config = ConfigDict(title="evaluation_tasks")
    listed = "tasks"
    tasks: Listed[Phrase] = Field(json_schema_extra={"maxItems": MOST})


class TaskQuestionsSchema(ReplySchema):
    """Questions that a person asks of a collection to do a task."""

    model_config = ConfigDict(title="evaluation_questions")
    listed = "questions"
    questions: Listed[Phrase] = Field(json_schema_extra={"maxItems": MOST})
