"""The records of an evaluation, and the files that hold them: JSON Lines, each known by its key.

Records are only added. Where two lines have one key, the later one counts. A line that was cut off
when its run was killed is removed; any other line that can't be read is an error of its file.
"""

import codecs
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, Literal, Protocol, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.llm.evaluate.claims import SentenceClaims
from graphrag_neo4j.llm.evaluate.judges import Metric, Support, Winner
from graphrag_neo4j.model import Usage
from graphrag_neo4j.text import identify
from graphrag_neo4j.text.files import write_whole

__all__ = [
    "METRICS",
    "AnswerRecord",
    "CallRecord",
    "CitedSource",
    "ClaimsRecord",
    "DraftRecord",
    "Metric",
    "QuestionRecord",
    "Record",
    "RecordFile",
    "SupportRecord",
    "VerdictRecord",
    "Winner",
    "answer_key",
    "failure_of",
    "question_key",
    "read_json",
    "read_lines",
    "verdict_key",
]

METRICS: Final[tuple[Metric, ...]] = get_args(Metric)


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """A list that a model gave: personas, the tasks of a persona, or questions for a task."""

    key: str
    kind: Literal["personas", "tasks", "questions"]
    texts: Sequence[str] = ()
    persona: str = ""
    task: str = ""
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A question, with the persona and the task that it was made for; empty for one's own."""

    key: str
    text: str
    persona: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A place that a citation leads to, with its text.

    `citation` is the text of the citation as it stands in the answer, such as
    "[Data: Reports (3)]". `source` names the document; `text` is the passage, and `quote` the part
    of it that supports the statement, empty where no part does so well enough.
    """

    citation: str
    source: str
    text: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """The answer of a condition to a question.

    `question` is the key of the question. `made_with` says what the condition stands for: its
    options, the models, and a hash of the graph and the prompts. `context_tokens` counts the tokens
    of the context, and `units` its records (reports or passages). `cost` is in US dollars, None
    where the price is not known. All numbers are None where they are not known. `dead` holds the
    citations that lead to no place. `failure` says why there is no answer.
    """

    key: str
    question: str
    condition: str
    text: str
    made_with: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[CitedSource] = ()
    dead: Sequence[str] = ()
    notices: Sequence[str] = ()
    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    context_tokens: int | None = None
    units: int | None = None
    cost: float | None = None
    seconds: float | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """The verdict on two answers to a question under one metric.

    `first` and `second` are the keys of the answers, in the order in which the judge saw them.
    `judge` is "model NAME" or "person NAME". `repeat` counts from 1. `winner` is None where there
    is no verdict; `failure` then says why.
    """

    key: str
    question: str
    metric: Metric
    first: str
    second: str
    judge: str
    repeat: int
    winner: Winner | None
    reason: str = ""
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimsRecord:
    """What was found in the sentences of a part of an answer; `failure` says why nothing was.

    `made_with` is the signature of the steps, and `model` names their model.
    """

    key: str
    sentences: Sequence[SentenceClaims]
    model: str
    made_with: str
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class SupportRecord:
    """Whether the passages that a sentence cites support it.

    `sources` names the passages that the judge was shown; `left_out` counts those that had no room.
    `judge` is "model NAME" or "words". `support` is None where nothing was said; `failure` then
    says why.
    """

    key: str
    sentence: str
    sources: Sequence[str]
    judge: str
    support: Support | None
    reason: str = ""
    left_out: int = 0
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A reply to a part of a record that is not whole yet, and what it took.

    `failure` is set where the reply was of no use, so that it is asked for again.
    """

    key: str
    text: str
    cut: bool
    usage: Usage
    failure: str | None = None


def question_key(text: str) -> str:
    """The key of a question: equal questions are one question."""
    return identify("question", text)


def answer_key(question: str, condition: str, made_with: Mapping[str, str]) -> str:
    """The key of the answer of a condition to the question with this key."""
    made = [part for name in sorted(made_with) for part in (name, made_with[name])]
    return identify("answer", question, condition, *made)


def verdict_key(
    metric: Metric, answers: tuple[str, str], judge: str, repeat: int, made_with: str
) -> str:
    """The key of a verdict on the answers with these two keys, in this order.

    `made_with` identifies the prompt and the options of the judge.
    """
    return identify("verdict", metric, *answers, judge, repeat, made_with)


class Record(Protocol):
    """What all records have."""

    @property
    def key(self) -> str: ...


R = TypeVar("R", bound=Record)
V = TypeVar("V")


class RecordFile(Generic[R]):
    """The records of one kind in a file, which need not exist.

    Raises InputError for a file with a line that is no record of this `kind`, a dataclass.
    """

    def __init__(self, path: Path, kind: type[R]) -> None:
        self.path = path
        self._adapter = TypeAdapter(kind)
        self._records: dict[str, R] = {}
        self._whole = 0  # bytes of the whole lines
        if path.exists():
            whole, end, _cut_off = _content(path).rpartition(b"\n")
            self._whole = len(whole) + len(end)
            advice = "Correct the line, or remove it."
            self._keep(_parsed(whole, self._adapter, str(path), advice))

    def __contains__(self, key: str) -> bool:
        """Whether the record with this key is there and not missing."""
        found = self._records.get(key)
        return found is not None and failure_of(found) is None

    def __getitem__(self, key: str) -> R:
        return self._records[key]

    def __iter__(self) -> Iterator[R]:
        return iter(self._records.values())

    def __len__(self) -> int:
        return len(self._records)

    def add(self, records: Sequence[R]) -> None:
        """Adds records to the file; when this returns, they are on the disk."""
        lines = self._lines(records)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.truncate(self._whole)
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        self._whole += len(lines)
        self._keep(records)

    def replace(self, records: Sequence[R]) -> None:
        """Replaces all records of the file by these."""
        lines = self._lines(records)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, lines)
        self._whole = len(lines)
        self._records.clear()
        self._keep(records)

    def _lines(self, records: Iterable[R]) -> bytes:
        return b"".join(self._adapter.dump_json(record) + b"\n" for record in records)

    def _keep(self, records: Iterable[R]) -> None:
        for record in records:
            self._records.pop(record.key, None)  # the order is that of the last lines
            self._records[record.key] = record


def failure_of(record: object) -> str | None:
    """The reason why a record is missing, None if it is not."""
    return getattr(record, "failure", None)


def read_json(path: Path, kind: type[V]) -> V:
    """Returns the JSON of a file as an instance of a dataclass. Raises InputError for another."""
    content = _content(path).removeprefix(codecs.BOM_UTF8)
    return _validated(content, TypeAdapter(kind), str(path), "Correct it.")


def read_lines(path: Path, kind: type[V]) -> list[V]:
    """Returns the lines of a JSON Lines file that another program wrote; blank lines are left out.

    Raises InputError if the file can't be read, and for a line that is not of this kind.
    """
    content = _content(path).removeprefix(codecs.BOM_UTF8)
    return list(_parsed(content, TypeAdapter(kind), str(path), "Correct it."))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None


def _parsed(content: bytes, adapter: TypeAdapter[V], where: str, advice: str) -> Iterator[V]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield _validated(line, adapter, f"Line {number} of {where}", advice)


def _validated(text: bytes, adapter: TypeAdapter[V], where: str, advice: str) -> V:
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        problem = f"{place}: {first['msg']}" if place else first["msg"]
        if first["type"] == "unexpected_keyword_argument":
            problem = f"it has no field {place}"
        raise InputError(f"{where} is not what it should be: {problem}. {advice}") from None
