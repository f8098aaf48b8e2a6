"""Reads a person's own questions, and finds questions that are nearly the same.

A file is .txt with a question on each line, or .csv, .json or .jsonl with a column `question`.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from graphrag_neo4j.arguments import check_text
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.model import QuestionRecord, question_key
from graphrag_neo4j.loaders import ReadOptions, Unreadable, holds_rows, read
from graphrag_neo4j.model import Document
from graphrag_neo4j.query.question import LONGEST_QUESTION
from graphrag_neo4j.text import flat, storable

__all__ = ["near_duplicates", "question_record", "read_questions"]

COLUMNS: Final = ("question", "question_text", "text")
LIST: Final = ".txt"
ALIKE: Final = 0.75  # share of the content words that two questions have in common


def read_questions(path: Path, column: str | None = None) -> list[QuestionRecord]:
    """Returns the questions of a file in their order; a question that comes again counts once.

    `column` is the column of the question in a table; None takes the first of COLUMNS that is
    there. The columns `persona` and `task` are kept. Raises InputError if the file can't be read,
    if a row has no such column, and if there is no question.
    """
    if not path.exists():
        raise InputError(f"There is no file {path}.")
    rows = _rows(path, column) if holds_rows(path) else _lines(path)
    found: dict[str, QuestionRecord] = {}
    for one in rows:
        found.setdefault(one.key, one)
    if not found:
        raise InputError(f"{path} holds no question.")
    return list(found.values())


def question_record(text: str, persona: str = "", task: str = "") -> QuestionRecord:
    """Returns the record of a question. Raises InputError if the text can't be a question."""
    written = flat(check_text(storable(text)[0], "A question"))
    if len(written) > LONGEST_QUESTION:
        raise InputError(
            f"A question has {len(written):,} characters; at most {LONGEST_QUESTION:,} are "
            f"possible. It begins with {written[:60]!r}."
        )
    return QuestionRecord(question_key(written), written, persona, task)


def near_duplicates(
    questions: Sequence[QuestionRecord],
) -> list[tuple[QuestionRecord, QuestionRecord]]:
    """Returns pairs of questions that share most of their content words.

    Each question is paired with one earlier question at most. Words that many questions have do not
    make a pair a candidate, so the time does not grow with the square of the number of questions.
    """
    # This import reads word lists, which takes a moment.
    from graphrag_neo4j.nlp.sentence_ranking import content_words  # noqa: PLC0415

    words = [content_words(one.text) for one in questions]
    often = Counter(word for one in words for word in one)
    held: defaultdict[str, list[int]] = defaultdict(list)
    pairs = []
    for number, own in enumerate(words):
        # Two sets that are so much alike share one of their rarest words (prefix filtering).
        rare = sorted(own, key=lambda word: (often[word], word))
        rare = rare[: len(own) - math.ceil(ALIKE * len(own)) + 1]
        earlier = sorted({other for word in rare for other in held[word]})
        near = (other for other in earlier if _alike(own, words[other]))
        if (first := next(near, None)) is not None:
            pairs.append((questions[first], questions[number]))
        for word in rare:
            held[word].append(number)
    return pairs


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    together = len(one | other)
    return together > 0 and len(one & other) / together >= ALIKE


def _lines(path: Path) -> Iterator[QuestionRecord]:
    if path.suffix.lower() != LIST:
        raise InputError(
            f"{path} is of no kind that holds questions: give a .txt with a question on each "
            "line, or a .csv or .jsonl with a column question."
        )
    for document in _documents(path, ReadOptions()):
        for line in document.text.splitlines():
            if line.strip():
                yield question_record(line)


def _rows(path: Path, column: str | None) -> Iterator[QuestionRecord]:
    for document in _documents(path, ReadOptions(text_column=column or _column(path))):
        if document.text.strip():
            persona, task = (str(document.metadata.get(one) or "") for one in ("persona", "task"))
            yield question_record(document.text, persona, task)


def _column(path: Path) -> str:
    """Returns the column of the questions. Raises InputError if there is none that we know."""
    for name in COLUMNS:
        first = next(read(path, ReadOptions(text_column=name)), None)
        if isinstance(first, Document):
            return name
    raise InputError(
        f"{path} has no column {' or '.join(COLUMNS)} in its first row. Name the column of the "
        "questions by --column."
    )


def _documents(path: Path, options: ReadOptions) -> Iterator[Document]:
    for one in read(path, options):
        if isinstance(one, Unreadable):
            raise InputError(f"{path}: {one.reason}.")
        yield one
