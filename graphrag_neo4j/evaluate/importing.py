"""Takes answers of other systems, which are then judged beside ours.

A file has one answer on each line, in JSON:

    {"question": "…", "answer": "…", "sources": [{"source": "…", "text": "…"}], "calls": 3, …}
"""

import json
import re
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import ClassVar, Final

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate.conditions import OWN_NAME, is_ours
from graphrag_neo4j.evaluate.folder import EvaluationFolder
from graphrag_neo4j.evaluate.records import (
    AnswerRecord,
    CitedSource,
    answer_key,
    question_key,
    read_lines,
)
from graphrag_neo4j.text import flat, identify, storable

__all__ = ["ImportedAnswers", "import_answers"]

NUMBERED: Final = re.compile(r"(\[\^?)\d{1,4}\](?!\()")  # [7] or [^7], but no link


@dataclass(frozen=True, slots=True)
class GivenSource:
    """A passage that an answer names: the name of its document, its text, and how it is cited."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    source: str
    text: str = ""
    citation: str = ""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A line of the file. All but the question and the answer may be left out.

    `context_tokens` and `units` (reports, passages or other records) tell of the context, `cost` is
    in US dollars.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    question: str
    answer: str
    sources: tuple[GivenSource, ...] = ()
    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    context_tokens: int | None = None
    units: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ImportedAnswers:
    """What became of the lines of a file.

    `new` answers were added, and `there` were known already. `unmatched` holds the questions of the
    file that the evaluation does not have, `empty` those without an answer, and `unanswered` the
    questions of the evaluation that the file does not have.
    """

    new: int
    there: int
    unmatched: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)


def import_answers(folder: EvaluationFolder, path: Path, condition: str) -> ImportedAnswers:
    """Adds the answers of a file under the name of a condition. An answer that is there is kept.

    Raises InputError if the name means a condition of ours, if the file can't be read or holds a
    line that is no answer, and if there are no questions.
    """
    if not OWN_NAME.fullmatch(condition):
        raise InputError(
            f"{condition!r} can't be the name of a condition: write 1 to 60 characters without "
            "commas, colons and equals signs."
        )
    of_name = [one for one in folder.answers if one.condition == condition]
    if is_ours(condition) or any("imported" not in one.made_with for one in of_name):
        raise InputError(
            f"The name {condition} means answers of this program. Give the other system another "
            "name, such as lightrag."
        )
    if not len(folder.questions):
        raise InputError("The evaluation has no questions yet. Add them first.")
    unmatched, empty, records = list[str](), list[str](), dict[str, AnswerRecord]()
    for given in read_lines(path, GivenAnswer):
        question = question_key(flat(storable(given.question)[0]))
        if question not in folder.questions:
            unmatched.append(given.question)
        elif not given.answer.strip():
            empty.append(given.question)
        else:
            records[question] = _record(given, question, condition)
    new = [one for one in records.values() if one.key not in folder.answers]
    folder.answers.add(new)
    folder.bring_forward([one.key for one in records.values()])
    answered = {one.question for one in folder.answers if one.condition == condition}
    unanswered = [one.text for one in folder.questions if one.key not in answered]
    return ImportedAnswers(len(new), len(records) - len(new), unmatched, empty, unanswered)


def _record(given: GivenAnswer, question: str, condition: str) -> AnswerRecord:
    numbers = asdict(given)
    content = identify("imported", json.dumps(numbers, sort_keys=True, ensure_ascii=False))
    made = {"imported": content[:16]}
    text = storable(given.answer)[0]
    sources = [
        CitedSource(*(storable(part)[0] for part in (one.citation, one.source, one.text)))
        for one in given.sources
    ]
    for name in ("question", "answer", "sources"):
        del numbers[name]
    return AnswerRecord(
        key=answer_key(question, condition, made),
        question=question,
        condition=condition,
        text=text,
        made_with=made,
        sources=sources,
        dead=_dead(text, {one.citation for one in sources}),
        **numbers,
    )


def _dead(text: str, named: Collection[str]) -> list[str]:
    """Returns the citations of a text that no source has, such as a [7] where sources have [1]."""
    forms = {found[1] for one in named if (found := NUMBERED.fullmatch(one))}
    cited = {one[0] for one in NUMBERED.finditer(text) if one[1] in forms}
    return sorted(cited.difference(named))
