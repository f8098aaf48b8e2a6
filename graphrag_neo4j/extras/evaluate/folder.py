"""The folder of an evaluation: what the user asked for, and its records, one on each line.

evaluation.json          what the user asked for; a person may edit it
drafts.jsonl             personas, tasks and questions as a model gave them
questions.jsonl          the questions
answers.jsonl            the answers of all conditions, also those of other systems
verdicts.jsonl           the verdicts of judges and of people
claims.jsonl             the claims of the answers
groundedness.jsonl       whether cited sentences are supported
findings.jsonl           the findings of the graph's reports that were judged last
unfinished.jsonl         replies to parts of answers that are not whole yet
unfinished_claims.jsonl  the same for claims

lock                     is held by the command that writes; the others are refused, or only read

Each record has a key, and is only added: where two lines have one key, the later one counts. A line
that was cut off when its run was killed is removed; any other line that can't be read is an error.
"""

import codecs
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, Literal, Protocol, TypeVar, get_args

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.evaluate.conditions import PAPER, Condition, parse_conditions
from graphrag_neo4j.extras.evaluate.tasks.claims import SentenceClaims
from graphrag_neo4j.extras.evaluate.tasks.judges import Metric, Support, Winner
from graphrag_neo4j.files import one_writer, write_whole
from graphrag_neo4j.model.types import Usage
from graphrag_neo4j.text.strings import identify

METRICS: Final[tuple[Metric, ...]] = get_args(Metric)
PLAN: Final = "evaluation.json"
DraftKind = Literal["personas", "tasks", "questions"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the user asked for, so that a later command continues with it.

    `description` says what the corpus is, for the questions. `personas`, `tasks` (of each persona)
    and `questions` (for each task) are the numbers of Algorithm 1. `conditions` answer the
    questions (see `parse_condition`); without any, those of the paper do. `window` is the largest
    number of tokens of each context of the conditions of the paper. `metrics` are what a judge
    compares, `repeats` times.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}
    description: str = ""
    personas: int = 5
    tasks: int = 5
    questions: int = 5
    conditions: tuple[str, ...] = ()
    window: int = 8_000
    metrics: tuple[Metric, ...] = METRICS
    repeats: int = 5


@dataclass(frozen=True, slots=True)
class DraftRecord:
    """A list that a model gave: personas, the tasks of a persona, or questions for a task."""

    key: str
    kind: DraftKind
    texts: Sequence[str] = ()
    persona: str = ""
    task: str = ""
    failure: str | None = None

    @property
    def record(self) -> "DraftRecord":
        """This list: nothing else is needed to make it."""
        return self


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What an answer took: a number is None where it is not known.

    `context_tokens` counts the tokens of the context, and `units` its records (reports or
    passages). `cost` is in US dollars.
    """

    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    context_tokens: int | None = None
    units: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerRecord(Effort):
    """The answer of a condition to a question.

    `question` is the key of the question. `made_with` says what the condition stands for: its
    options, the models, and a hash of the graph and the prompts. `dead` holds the citations that
    lead to no place, and `misquoted` the quotations that are in nothing that is cited beside them.
    `failure` says why there is no answer.
    """

    key: str
    question: str
    condition: str
    text: str = ""
    made_with: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[CitedSource] = ()
    dead: Sequence[str] = ()
    misquoted: Sequence[str] = ()
    notices: Sequence[str] = ()
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """The verdict on two answers to a question under one metric.

    `first` and `second` are the keys of the answers, in the order in which the judge saw them.
    `judge` is "model NAME" or "person NAME". `repeat` counts from 1. `winner` is None where there
    isn't a verdict; `failure` then says why.
    """

    key: str
    question: str
    metric: Metric
    first: str
    second: str
    judge: str
    repeat: int
    winner: Winner | None = None
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
    support: Support | None = None
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


class Record(Protocol):
    """What all records have."""

    @property
    def key(self) -> str: ...


R = TypeVar("R", bound=Record)
V = TypeVar("V")


class RecordFile(Generic[R]):
    """The records of one kind in a file, which need not exist; it is read when it is first used.

    Then InputError is raised for a line that isn't a record of this `kind`, a dataclass.
    """

    def __init__(self, path: Path, kind: type[R]) -> None:
        self.path, self._kind = path, kind
        self._whole = 0  # bytes of the whole lines

    @cached_property
    def _adapter(self) -> TypeAdapter[R]:
        return TypeAdapter(self._kind)

    @cached_property
    def _records(self) -> dict[str, R]:
        if not self.path.exists():
            return {}
        whole, end, _cut_off = _content(self.path).rpartition(b"\n")
        self._whole = len(whole) + len(end)
        lines = _parsed(whole, self._adapter, str(self.path), "Correct the line, or remove it.")
        return _last({}, lines)

    def __contains__(self, key: str) -> bool:
        """Whether the record with this key is there and not missing."""
        found = self._records.get(key)
        return found is not None and getattr(found, "failure", None) is None

    def __getitem__(self, key: str) -> R:
        return self._records[key]

    def __iter__(self) -> Iterator[R]:
        return iter(self._records.values())

    def __len__(self) -> int:
        return len(self._records)

    def add(self, records: Iterable[R]) -> None:
        """Adds records to the file; when this returns, they are on the disk."""
        known, added = self._records, list(records)
        lines = self._lines(added)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.truncate(self._whole)
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        self._whole += len(lines)
        _last(known, added)

    def replace(self, records: Sequence[R]) -> None:
        """Replaces all records of the file by these."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, self._lines(records))
        self.__dict__.pop("_records", None)  # they are read again

    def remove(self) -> None:
        """Removes the file with its records."""
        self.path.unlink(missing_ok=True)
        self._whole, self._records = 0, {}

    def _lines(self, records: Iterable[R]) -> bytes:
        return b"".join(self._adapter.dump_json(record) + b"\n" for record in records)


def _last(known: dict[str, R], records: Iterable[R]) -> dict[str, R]:
    """Adds records by their keys, in the order of the last one with each key."""
    for one in records:
        known.pop(one.key, None)
        known[one.key] = one
    return known


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


class EvaluationFolder:
    """The plan and the records of an evaluation.

    The folder need not exist. Whoever changes something in it does so in `writing`. Raises
    InputError if it is not a folder, and for a file that can't be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{self.path} is not a folder. Name the folder of an evaluation.")
        self._lock = FileLock(self.path / "lock")
        self._read()

    def _read(self) -> None:
        self.plan, plan = Plan(), self.path / PLAN
        if plan.exists():
            content = _content(plan).removeprefix(codecs.BOM_UTF8)
            self.plan = _validated(content, TypeAdapter(Plan), str(plan), "Correct it.")
        self.drafts = RecordFile(self.path / "drafts.jsonl", DraftRecord)
        self.questions = RecordFile(self.path / "questions.jsonl", QuestionRecord)
        self.answers = RecordFile(self.path / "answers.jsonl", AnswerRecord)
        self.verdicts = RecordFile(self.path / "verdicts.jsonl", VerdictRecord)
        self.claims = RecordFile(self.path / "claims.jsonl", ClaimsRecord)
        self.supports = RecordFile(self.path / "groundedness.jsonl", SupportRecord)
        self.findings = RecordFile(self.path / "findings.jsonl", AnswerRecord)
        self.unfinished = RecordFile(self.path / "unfinished.jsonl", CallRecord)
        self.unfinished_claims = RecordFile(self.path / "unfinished_claims.jsonl", CallRecord)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keeps the folder for this object, which first reads anew what others have written.

        It may be entered again meanwhile. Raises InputError at once if another command, or another
        object, writes to the folder.
        """
        begins = not self._lock.is_locked
        with one_writer(self.path, self._lock):
            if begins:
                self._read()
            yield

    @classmethod
    def begun(cls, path: str | Path) -> "EvaluationFolder":
        """Returns a folder in which an evaluation was begun. Raises InputError for another."""
        found = cls(path)
        if not any(
            it.exists() for it in (found.path / PLAN, found.questions.path, found.findings.path)
        ):
            raise InputError(
                f"{path} holds no evaluation. `kg-build eval questions {path}` begins one."
            )
        return found

    def change_plan(self, **given: Any) -> None:  # noqa: ANN401 - fields of the plan
        """Changes the plan and writes it if it differs. None keeps a value.

        Raises InputError if the folder can't be written.
        """
        there = {name: value for name, value in given.items() if value is not None}
        changed = replace(self.plan, **there)
        if changed == self.plan and (self.path / PLAN).exists():
            return
        text = json.dumps(asdict(changed), ensure_ascii=False, indent=2) + "\n"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            write_whole(self.path / PLAN, text.encode())
        except OSError as error:
            reason = error.strerror or error
            raise InputError(
                f"{self.path} can't be written: {reason}. Name another folder."
            ) from None
        self.plan = changed

    def current_answers(self) -> dict[tuple[str, str], AnswerRecord]:
        """Returns the answers that count, by the key of the question and the condition.

        Those of one condition come before those of the next. Of several answers of a condition to
        a question, this is the last one. Answers to questions that are no longer there are left
        out. An answer with a `failure` is missing.
        """
        found = {
            (one.question, one.condition): one
            for one in self.answers
            if one.question in self.questions
        }
        order = {name: n for n, name in enumerate(self.conditions())}
        return dict(sorted(found.items(), key=lambda one: order[one[0][1]]))

    def given_answers(self) -> list[AnswerRecord]:
        """Returns the answers that count and are not missing."""
        return [one for one in self.current_answers().values() if one.failure is None]

    def chosen(self) -> list[Condition]:
        """Returns the conditions of the plan. Raises InputError if one of them is wrong."""
        return parse_conditions(self.plan.conditions or PAPER, self.plan.window)

    def conditions(self, given: Sequence[str] = ()) -> list[str]:
        """Returns the given conditions or, without any, all that have answers: the plan's first.

        Raises InputError for a given condition that has no answers.
        """
        answered = dict.fromkeys(one.condition for one in self.answers)
        chosen = [one.name for one in self.chosen() if one.name in answered]
        known = list(dict.fromkeys([*chosen, *answered]))
        if unknown := [one for one in given if one not in known]:
            has = ", ".join(known) or "none"
            raise InputError(
                f"The condition {unknown[0]} has no answers. Those with answers: {has}."
            )
        return list(dict.fromkeys(given)) or known

    def unanswered(self) -> dict[str, int]:
        """Returns the number of answers that are missing, by condition.

        Those are the conditions of the plan and of other systems. A folder with nothing but
        imported answers, and no plan of its own, lacks no answers of the paper's conditions.
        """
        given = dict.fromkeys(self.conditions(), 0)
        for one in self.given_answers():
            given[one.condition] += 1
        ours = any("imported" not in one.made_with for one in self.answers)
        if self.plan.conditions or ours or not given:
            given = {**{one.name: 0 for one in self.chosen()}, **given}
        left = {name: len(self.questions) - n for name, n in given.items()}
        return {name: n for name, n in left.items() if n}

    def bring_forward(self, keys: Iterable[str]) -> None:
        """Makes these answers, which are in the file, the ones that count.

        This is needed after a setting or a graph is again what it was before.
        """
        current = {one.key for one in self.current_answers().values()}
        if earlier := [
            self.answers[key] for key in keys if key in self.answers and key not in current
        ]:
            self.answers.add(earlier)
