"""Reads questions with their passages, in the formats of three data sets of multi-hop questions.

    MuSiQue           {id, question, answer, answer_aliases, answerable,
                       paragraphs: [{title, paragraph_text, is_supporting}]}
    HotpotQA          {_id, question, answer, supporting_facts: [[title, sentence]],
                       context: [[title, [sentence, …]]]}
    2WikiMultiHopQA   the same with {evidences, answer_id}; a file id_aliases.json beside it holds
                      other right answers, one {Q_id, aliases, demonyms} on each line

A file is a JSON list or has one object on each line. The tables of HotpotQA and 2WikiMultiHopQA
that some hosts offer have {title: […], sentences: […]} in place of lists of pairs, or a text that
holds the JSON; these are read, too.
"""

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.retrieval.answer_scores import ScoreRule
from graphrag_neo4j.text import flat, storable

__all__ = ["Dataset", "PassageQuestion", "read_datasets"]

ALIASES: Final = "id_aliases.json"
FORMATS: Final = "the format of MuSiQue, HotpotQA or 2WikiMultiHopQA"


@dataclass(frozen=True, slots=True)
class PassageQuestion:
    """A question, its right answers, and its passages: `needed` are those that answer it.

    A passage is a text whose first line is its title. `rule` says how answers are scored.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    passages: tuple[str, ...]
    needed: frozenset[str]
    rule: ScoreRule


@dataclass(slots=True)
class Dataset:
    """The questions of some files, and all their passages, each once, in their order.

    `unanswerable` counts the questions that were left out, because their passages hold no answer.
    """

    questions: list[PassageQuestion] = field(default_factory=list)
    unanswerable: int = 0

    @property
    def passages(self) -> list[str]:
        """All passages, each once."""
        return list(dict.fromkeys(text for one in self.questions for text in one.passages))


def read_datasets(paths: Iterable[str | Path]) -> Dataset:
    """Reads files of questions.

    Raises InputError for a file that can't be read or has another format, for a question that
    comes twice with other passages, and if no question is left.
    """
    found = Dataset()
    known: dict[str, PassageQuestion] = {}
    for path in map(Path, paths):
        aliases = _aliases(path.with_name(ALIASES))
        for number, value in enumerate(_objects(path), start=1):
            if value.get("answerable") is False:
                found.unanswerable += 1
                continue
            one = _question(value, f"Question {number} of {path}", aliases)
            if known.setdefault(one.id, one) != one:
                raise InputError(f"{path} holds another question with the id {one.id}, too.")
    found.questions = list(known.values())
    if not found.questions:
        raise InputError("The files hold no question that their passages can answer.")
    return found


def _question(
    value: Mapping[str, Any], where: str, aliases: Mapping[str, Sequence[str]]
) -> PassageQuestion:
    try:
        if "paragraphs" in value:
            return _musique(value)
        return _hotpot(value, where, aliases)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        lacks = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(
            f"{where} is not in {FORMATS}: {lacks}. Test sets without answers can't be measured."
        ) from None


def _musique(value: Mapping[str, Any]) -> PassageQuestion:
    paragraphs = [
        (_passage(one["title"], one["paragraph_text"]), bool(one["is_supporting"]))
        for one in value["paragraphs"]
    ]
    return PassageQuestion(
        _text(value["id"]),
        _text(value["question"]),
        (_text(value["answer"]), *map(_text, value.get("answer_aliases", ()))),
        tuple(text for text, _ in paragraphs),
        _some(text for text, supports in paragraphs if supports),
        "squad",
    )


def _hotpot(
    value: Mapping[str, Any], where: str, aliases: Mapping[str, Sequence[str]]
) -> PassageQuestion:
    passages = {title: _passage(title, " ".join(s)) for title, s in _pairs(value, "context")}
    wanted = [title for title, _ in _pairs(value, "supporting_facts")]
    if absent := [title for title in wanted if title not in passages]:
        raise InputError(
            f"{where} needs the passage {absent[0]!r}, which does not stand in its context. Use a "
            "file whose questions bring all their passages, such as HotpotQA's distractor setting."
        )
    return PassageQuestion(
        _text(value["_id"] if "_id" in value else value["id"]),
        _text(value["question"]),
        (_text(value["answer"]), *aliases.get(str(value.get("answer_id")), ())),
        tuple(passages.values()),
        _some(passages[title] for title in wanted),
        "hotpot",
    )


def _pairs(value: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    """Returns the pairs of a list: of a title and sentences, or of a title and a number."""
    given = value[name]
    if isinstance(given, str):
        given = json.loads(given)
    if isinstance(given, Mapping):
        second = given["sentences"] if "sentences" in given else given["sent_id"]
        given = zip(given["title"], second, strict=True)
    return [(_text(title), other) for title, other in given]


def _passage(title: object, text: object) -> str:
    return f"{flat(_text(title))}\n{flat(_text(text))}"


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return storable(value)[0]


def _some(texts: Iterable[str]) -> frozenset[str]:
    found = frozenset(texts)
    if not found:
        raise ValueError("no passage is marked as needed")
    return found


def _objects(path: Path) -> Iterator[Mapping[str, Any]]:
    content = _content(path)
    try:
        if content.lstrip().startswith("["):
            values = json.loads(content)
        else:
            values = [json.loads(line) for line in content.split("\n") if line.strip()]
    except ValueError as error:
        raise InputError(f"{path} is no JSON: {error}. Expected is {FORMATS}.") from None
    for number, value in enumerate(values, start=1):
        if not isinstance(value, Mapping):
            raise InputError(f"Question {number} of {path} is not in {FORMATS}.")
        yield value


def _content(path: Path) -> str:
    try:
        return path.read_bytes().removeprefix(codecs.BOM_UTF8).decode()
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not in UTF-8.") from None


def _aliases(path: Path) -> Mapping[str, Sequence[str]]:
    """Returns other names of answers by the id of the answer; none if there is no such file."""
    if not path.exists():
        return {}
    return {
        str(one["Q_id"]): [*one.get("aliases", ()), *one.get("demonyms", ())]
        for one in _objects(path)
        if "Q_id" in one
    }
