"""Which of the passages that a question needs each way of searching finds, on data sets of others.

    python scripts/bench/retrieval.py musique_ans_dev.jsonl -o retrieval/     # recall at 2, 5, 10
    python scripts/bench/retrieval.py hotpot_dev.json -o hotpot/ --answers    # short answers, too

    files of questions ──▶ one graph of all passages ──▶ ranks of passages ──▶ recall
                                                    └──▶ short answers ──▶ exact match and F1

The formats are those of three data sets of questions of several steps:

    MuSiQue           {id, question, answer, answer_aliases, answerable,
                       paragraphs: [{title, paragraph_text, is_supporting}]}
    HotpotQA          {_id, question, answer, supporting_facts: [[title, sentence]],
                       context: [[title, [sentence, …]]]}
    2WikiMultiHopQA   the same with {evidences, answer_id}; a file id_aliases.json beside it holds
                      other right answers, one {Q_id, aliases, demonyms} on each line

A file is a JSON list or has one object on each line. Tables that some hosts offer have
{title: […], sentences: […]} in place of lists of pairs, or a text of JSON. All passages become one
graph, with the settings of the environment. The records of the folder are kept, so that the same
command continues. BM25 is the usual baseline, "basic" the search by vectors alone. It needs the
package bm25s. It asks nobody before a model is asked: KG_MAX_COST limits what that may cost.

What several steps lead to is told apart: of the needed passages that are not among the seeds of the
walk (`local`), the share that each way has among its first ten.
"""

import argparse
import dataclasses
import json
import re
import statistics
import string
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest import mock

import anyio
import bm25s  # type: ignore[import-untyped] # it has no types

from graphrag_neo4j import AsyncGraphRAG, Document, GraphRAGError, InputError, Settings, embedded
from graphrag_neo4j.extras.evaluate.folder import RecordFile
from graphrag_neo4j.extras.evaluate.steps import EvaluationStep
from graphrag_neo4j.extras.evaluate.tasks.judges import plain_answer
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.query import graph_expansion, local
from graphrag_neo4j.query.query_context import QueryContext
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.settings.options import QueryOptions
from graphrag_neo4j.text.strings import flat, identify, storable

AT: Final = (2, 5, 10)  # passages
WAYS: Final[Mapping[str, QueryOptions]] = {
    "BM25": {},
    "basic": {"method": "basic"},
    "local": {"method": "local"},
}
# Passages are all that counts for the ranks, and more than ten of them.
local.OF_REPORTS, local.OF_SOURCES = 0.0, 1.0
ROOM: Final[QueryOptions] = {
    "context_only": True,
    "max_context_tokens": 60_000,
}
SHORT: Final[QueryOptions] = {
    "response_type": (
        "Only the short answer: a name, a date, a number, a few words, or yes or no. No sentence, "
        "no explanation and no heading."
    )
}
SOURCES_OF: Final = "MATCH (c:Chunk)-[:PART_OF]->(d) WHERE c.id IN $ids RETURN d.source AS source"
# Settings that change no result.
WITHOUT_EFFECT: Final = re.compile("neo4j_|home|maven|embedded$|openai_|concurr|batch_|max_cost")
PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")
CLOSED: Final = frozenset({"yes", "no", "noanswer"})  # answers that are right as a whole or not


@dataclasses.dataclass(frozen=True, slots=True)
class Question:
    """A question, its right answers, and its passages: `needed` are those that answer it.

    A passage is a text whose first line is its title. `hotpot` tells that answers are scored by the
    rule of HotpotQA and 2WikiMultiHopQA: "yes" and "no" have no F1 with anything but themselves.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    passages: tuple[str, ...]
    needed: frozenset[str]
    hotpot: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Item:
    """A question that is asked in one way of searching; `key` is that of its record."""

    key: str
    question: Question
    way: str

    @property
    def record(self) -> "Measured":
        """The record before it is made."""
        return Measured(self.key)


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """The scores of a question: recall at 2, 5 and 10, or exact match and F1, and its seconds.

    `outside` holds the needed passages that aren't seeds, as numbers: all, and those found at 10.
    """

    key: str
    scores: Sequence[float] = ()
    seconds: float = 0.0
    said: Sequence[str] = ()
    outside: Sequence[int] = ()
    failure: str | None = None


def read_questions(paths: Iterable[Path]) -> tuple[list[Question], int]:
    """Returns the questions of files, and the number that their passages can't answer.

    Raises InputError for another format and without a question.
    """
    known, unanswerable = dict[str, Question](), 0
    for path in paths:
        beside = path.with_name("id_aliases.json")
        aliases = {
            str(one["Q_id"]): [*one.get("aliases", ()), *one.get("demonyms", ())]
            for one in (objects(beside) if beside.exists() else ())
        }
        for number, value in enumerate(objects(path), start=1):
            try:
                if value.get("answerable") is False:
                    unanswerable += 1
                    continue
                one = musique(value) if "paragraphs" in value else hotpot(value, aliases)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                lacks = f"it has no {error}" if isinstance(error, KeyError) else str(error)
                raise InputError(
                    f"Question {number} of {path} is in none of the three formats: {lacks}. Test "
                    "sets without answers can't be measured."
                ) from None
            if not one.needed or known.setdefault(one.id, one) != one:
                raise InputError(f"{path}: {one.id} needs no passage, or is two questions.")
    if not known:
        raise InputError("The files hold no question that their passages can answer.")
    return list(known.values()), unanswerable


def objects(path: Path) -> list[Any]:
    """Returns the JSON objects of a file. Raises InputError if it can't be read."""
    try:
        content = path.read_text("utf-8-sig")
        if content.lstrip().startswith("["):
            return list(json.loads(content))
        return [json.loads(line) for line in content.split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise InputError(f"{path} can't be read as JSON: {error}.") from None


def musique(value: Mapping[str, Any]) -> Question:
    paragraphs = {
        passage(one["title"], one["paragraph_text"]): bool(one["is_supporting"])
        for one in value["paragraphs"]
    }
    right = (text(value["answer"]), *map(text, value.get("answer_aliases", ())))
    needed = frozenset(one for one, supports in paragraphs.items() if supports)
    asked = (text(value["id"]), text(value["question"]))
    return Question(*asked, right, tuple(paragraphs), needed, hotpot=False)


def hotpot(value: Mapping[str, Any], aliases: Mapping[str, Sequence[str]]) -> Question:
    passages = {title: passage(title, " ".join(said)) for title, said in pairs(value, "context")}
    wanted = [title for title, _ in pairs(value, "supporting_facts")]
    if absent := [title for title in wanted if title not in passages]:
        raise ValueError(f"the passage {absent[0]!r} does not stand in its context")
    right = (text(value["answer"]), *aliases.get(str(value.get("answer_id")), ()))
    asked = (text(value["_id"] if "_id" in value else value["id"]), text(value["question"]))
    needed = frozenset(passages[title] for title in wanted)
    return Question(*asked, right, tuple(passages.values()), needed, hotpot=True)


def pairs(value: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    """Returns the pairs of a list: of a title and sentences, or of a title and a number."""
    given = value[name]
    if isinstance(given, str):
        given = json.loads(given)
    if isinstance(given, Mapping):
        second = given["sentences"] if "sentences" in given else given["sent_id"]
        given = zip(given["title"], second, strict=True)
    return [(text(title), other) for title, other in given]


def passage(title: object, body: object) -> str:
    return f"{flat(text(title))}\n{flat(text(body))}"


def text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} isn't text")
    return storable(value)[0]


def normalised(answer: str) -> str:
    return " ".join(ARTICLES.sub(" ", answer.lower().translate(PUNCTUATION)).split())


def score(answer: str, question: Question) -> tuple[float, float]:
    """Returns exact match and F1 of an answer, the best of those with each right answer."""
    said, best = normalised(answer), 0.0
    right = [normalised(one) for one in question.answers]
    for one in right:
        words, wanted = said.split(), one.split()
        shared = sum((Counter(words) & Counter(wanted)).values())
        f1 = 2 * shared / (len(words) + len(wanted)) if words and wanted else 0.0
        if question.hotpot and said != one and not CLOSED.isdisjoint((said, one)):
            f1 = 0.0
        elif not (words or wanted):
            f1 = float(not question.hotpot)  # two empty answers agree, as SQuAD has it
        best = max(best, f1)
    return float(said in right), best


def bm25(passages: Sequence[str]) -> Callable[[str], Awaitable[list[str]]]:
    """Ranks the passages by BM25 with the defaults of the package and English stop words."""
    split = partial(bm25s.tokenize, stopwords="en", show_progress=False)
    index = bm25s.BM25(corpus=list(passages))
    index.index(split(list(passages)), show_progress=False)
    k = min(max(AT), len(passages))

    async def rank(question: str) -> list[str]:
        found, _ = index.retrieve(split([question]), k=k, show_progress=False)
        return [str(one) for one in found[0]]

    return rank


async def seeds_of(rag: AsyncGraphRAG, question: Question, texts: Mapping[str, str]) -> set[str]:
    """The passages among which the walk of `local` starts for a question."""
    noted: list[str] = []
    seeded = graph_expansion._seeds  # noqa: SLF001 - no answer tells where the walk started

    async def note(
        query: QueryContext, text: str | None
    ) -> tuple[dict[str, float], dict[str, float]]:
        entities, chunks = await seeded(query, text)
        noted.extend(chunks)
        return entities, chunks

    walk: QueryOptions = {**WAYS["local"], **ROOM}
    with mock.patch.object(graph_expansion, "_seeds", note):
        await rag.query(question.text, **walk)
    rows = await rag.graph.run_plain(SOURCES_OF, ids=noted)
    return {texts[row["source"]] for row in rows}


async def measure(
    questions: Sequence[Question], settings: Settings, folder: Path, *, answers: bool
) -> dict[str, Any]:
    """Returns the recall of each way and, with `answers`, the scores of its short answers.

    The graph and the records are kept in the folder; what is there is not made again. Raises
    InputError if the passages can't be indexed, and the errors of `index` and `query`.
    """
    passages = list(dict.fromkeys(one for each in questions for one in each.passages))
    given = settings.model_dump(mode="json")
    kept = {name: one for name, one in given.items() if not WITHOUT_EFFECT.match(name)}
    made = identify("passages", json.dumps(kept, sort_keys=True), *sorted(passages))
    texts = {f"passage:{identify('passage', one)}": one for one in passages}
    documents = [Document(one, name, one.partition("\n")[0]) for name, one in texts.items()]
    result: dict[str, Any] = {"questions": len(questions), "passages": len(passages), "answers": []}
    async with AsyncGraphRAG(settings) as rag:
        built = await rag.index(documents)
        if not built.complete or built.status is None:
            raise InputError(f"The passages are not indexed: {built.stopped or 'calls failed.'}")
        if built.status.counts["documents"] != len(passages):
            raise InputError("The graph holds other documents, too. Name a folder of its own.")
        by_bm25 = bm25(passages)
        seeds = {one.id: await seeds_of(rag, one, texts) for one in questions}

        async def rank(item: Item) -> Measured:
            began = time.perf_counter()
            if item.way == "BM25":
                found = await by_bm25(item.question.text)
            else:
                wide: QueryOptions = {**WAYS[item.way], **ROOM}
                context = (await rag.query(item.question.text, **wide)).context
                sources = context[0].by_kind().get("Sources", []) if context else []
                places = await rag.sources(*(record.ref for record in sources))
                found = [texts[place.document] for place in places if place.document in texts]
            seconds, first = time.perf_counter() - began, list(dict.fromkeys(found))[: max(AT)]
            needed = item.question.needed
            recall = [len(needed.intersection(first[:k])) / len(needed) for k in AT]
            titles = [one.partition("\n")[0] for one in first]
            far = needed - seeds[item.question.id]
            outside = len(far), len(far.intersection(first[:10]))
            return Measured(item.key, recall, round(seconds, 4), titles, outside)

        async def answer(item: Item) -> Measured:
            brief: QueryOptions = {**WAYS[item.way], **SHORT}
            found = await rag.query(item.question.text, **brief)
            said = plain_answer(found.text) if found.found else ""
            return Measured(item.key, score(said, item.question), said=[said])

        steps = {"recalls": (rank, 1, list(WAYS))}
        if answers:
            steps["answers"] = (answer, 4 if settings.has_model else 1, list(WAYS)[1:])
        for name, (make, workers, ways) in steps.items():
            items = [
                Item(identify(name, made, way, *map(str, dataclasses.astuple(one))), one, way)
                for way in ways
                for one in questions
            ]
            file = RecordFile(folder / f"{name}.jsonl", Measured)
            await EvaluationStep(name, file, items).run(make, workers=workers, listen=silent)
            result[name] = [
                mean(way, [one for one in items if one.way == way], file) for way in ways
            ]
    return result


def mean(way: str, items: Sequence[Item], file: RecordFile[Measured]) -> dict[str, Any]:
    """Returns the mean scores of a way, and the median of its seconds."""
    there = [file[one.key] for one in items if one.key in file]
    scores = [statistics.fmean(each) for each in zip(*(one.scores for one in there), strict=True)]
    counted = {"way": way, "missing": len(items) - len(there)}
    if file.path.stem == "answers":
        exact, f1 = scores or (0.0, 0.0)
        return counted | {"answers": len(there), "exact": exact, "f1": f1}
    seconds = statistics.median([one.seconds for one in there] or [0.0])
    at = scores or [0.0] * len(AT)
    outside = [sum(each) for each in zip(*(one.outside for one in there), strict=True)]
    return counted | {"questions": len(there), "at": at, "seconds": seconds, "outside": outside}


def main() -> None:
    """Reads the files, measures, and prints a table or JSON. The exit code tells a failure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="keep the index and the records here")
    parser.add_argument("--answers", action="store_true", help="ask for short answers, too")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    given = parser.parse_args()
    try:
        questions, unanswerable = read_questions(given.files)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
            folder = given.output or Path(temporary)
            settings = load_settings()
            own = settings if settings.neo4j_uri else settings.changed(home=folder / "neo4j")
            own = own if own.has_model else own.changed(model="extractive")
            started = not own.neo4j_uri and embedded.running(own) is None
            try:
                found = anyio.run(partial(measure, answers=given.answers), questions, own, folder)
            finally:
                if started:
                    embedded.stop(own)
    except GraphRAGError as error:
        sys.exit(f"Error: {error}")
    if given.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        print(f"{found['questions']:,} questions, {found['passages']:,} passages")
        if unanswerable:
            print(f"{unanswerable:,} questions that the passages can't answer are left out")
        print("               @2     @5    @10     ms missing  no seed: found @10")
        for row in found["recalls"]:
            at = " ".join(f"{one:6.3f}" for one in row["at"])
            far, reached = row["outside"] or (0, 0)
            rest = f"{row['missing']:7} {reached:10,} of {far:,}"
            print(f"{row['way']:>10} {at} {1000 * row['seconds']:6.0f} {rest}")
        for row in found["answers"]:
            scores = f"exact match {row['exact']:.3f}, F1 {row['f1']:.3f}"
            print(f"{row['way']:>10} {scores}, {row['missing']} missing")
    sys.exit(any(row["missing"] for name in ("recalls", "answers") for row in found[name]))


if __name__ == "__main__":
    main()
