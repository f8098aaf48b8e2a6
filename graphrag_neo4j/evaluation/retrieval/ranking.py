"""Retrieval: which of the passages that a question needs each way of searching finds.

    files of questions ──▶ one graph of all passages ──▶ ranks of passages ──▶ recall at 2, 5, 10
                                                    └──▶ short answers ──▶ exact match and F1

BM25 is beside our methods as the usual baseline; "basic" is the search by vectors alone. Global and
drift search read reports, so they have no rank of passages. The records of a run are kept: a
question is asked again only if the passages, the way or a setting has changed.
"""

import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import bm25s  # type: ignore[import-untyped] # it has no types

from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.records import Record, RecordFile
from graphrag_neo4j.evaluation.retrieval.datasets import Dataset, PassageQuestion
from graphrag_neo4j.evaluation.steps import Step, StepResult, make_missing
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.ids import identify
from graphrag_neo4j.model import Document, Usage
from graphrag_neo4j.options import QueryOptions
from graphrag_neo4j.settings import Settings

__all__ = [
    "AT",
    "BM25",
    "RANKS",
    "WAYS",
    "RankRecord",
    "Recall",
    "Search",
    "by_way",
    "documents_of",
    "index_passages",
    "made_of",
    "missing_ranks",
    "rank_passages",
    "recalls_of",
]

AT: Final = (2, 5, 10)  # passages
RANKS: Final = "ranks.jsonl"
BM25: Final = "BM25"
WAYS: Final[Mapping[str, QueryOptions]] = {
    "basic": {"method": "basic"},
    "local:hop": {"method": "local", "expand": "hop"},
    "local:ppr": {"method": "local", "expand": "ppr"},
}
"""Our ways of searching that find passages, with their options."""
# Passages are all that counts here, and more than ten of them.
ROOM: Final[QueryOptions] = {
    "context_only": True,
    "max_context_tokens": 60_000,
    "text_unit_prop": 1.0,
    "community_prop": 0.0,
}
# Settings that say where and how fast something is done, but change no result.
WITHOUT_EFFECT: Final = frozenset(
    {
        "neo4j_uri",
        "neo4j_username",
        "neo4j_password",
        "neo4j_database",
        "neo4j_release",
        "home",
        "maven_url",
        "embedded",
        "openai_api_key",
        "openai_base_url",
        "concurrency",
        "batch_poll_seconds",
        "batch_requests",
        "max_cost",
        "max_cost_a_day",
    }
)
R = TypeVar("R", bound=Record)
Rank = Callable[[str], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class RankRecord:
    """The first passages that a way of searching finds for a question, the best first.

    `recall` holds the share of the needed passages among the first 2, 5 and 10. `seconds` is the
    time of the search.
    """

    key: str
    question: str
    way: str
    passages: Sequence[str]
    recall: Sequence[float]
    seconds: float
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """The mean recall at 2, 5 and 10 of a way of searching, and the median seconds of a question.

    `missing` counts the questions whose search failed; they do not count in the mean.
    """

    way: str
    questions: int
    missing: int
    at: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Search:
    """A question that is asked in one way of searching; `key` is that of its record."""

    key: str
    question: PassageQuestion
    way: str


def documents_of(dataset: Dataset) -> list[Document]:
    """Returns the passages of a data set as documents."""
    return [
        Document(text, f"passage:{identify('passage', text)}", text.partition("\n")[0])
        for text in dataset.passages
    ]


def made_of(dataset: Dataset, settings: Settings) -> str:
    """Returns a hash of the passages and of all settings that may change a result."""
    given = settings.model_dump_json(exclude=set(WITHOUT_EFFECT))
    return identify("passages", given, *sorted(dataset.passages))


async def index_passages(rag: AsyncGraphRAG, dataset: Dataset) -> Usage:
    """Indexes all passages into one graph, or brings it up to date; returns what that took.

    Raises InputError if the index is not complete, or if the graph holds other documents, too.
    """
    built = await rag.index(documents_of(dataset))
    if not built.complete or built.status is None:
        raise InputError(
            f"The passages are not indexed yet: {built.stopped or 'some calls have failed.'} Run "
            "the same command again to continue."
        )
    if built.status.counts["documents"] != len(dataset.passages):
        raise InputError(
            "The graph holds documents that are no passages of these files. Name a folder, or a "
            "database, that holds nothing else."
        )
    return Usage.total(built.usage.values())


async def rank_passages(
    rag: AsyncGraphRAG, dataset: Dataset, folder: Path, listen: Listener = silent
) -> StepResult:
    """Searches for the passages of each question in each way, and saves the ranks.

    The graph of the client must hold the passages. Questions are asked one after the other, so that
    their time can be compared. Raises GraphError if Neo4j fails, and ModelError if the vectors need
    a model that can't be used.
    """
    texts = {one.source: one.text for one in documents_of(dataset)}
    ranks = {BM25: _bm25(dataset.passages)}
    ranks |= {way: partial(_found, rag, texts, how) for way, how in WAYS.items()}

    async def make(item: Search) -> RankRecord:
        began = time.perf_counter()
        found = list(dict.fromkeys(await ranks[item.way](item.question.text)))
        return _record(item, found[: max(AT)], time.perf_counter() - began)

    def missing(item: Search, failure: str) -> RankRecord:
        return RankRecord(item.key, item.question.id, item.way, (), (), 0.0, failure)

    step = Step("passages", _file(folder), make, missing)
    return await make_missing(step, _searches(dataset, rag.settings), workers=1, listen=listen)


def missing_ranks(dataset: Dataset, settings: Settings, folder: Path, *, all_of_them: bool) -> bool:
    """Tells whether ranks are missing: all of them, or some."""
    file = _file(folder)
    absent = [one.key not in file for one in _searches(dataset, settings)]
    return all(absent) if all_of_them else any(absent)


def recalls_of(dataset: Dataset, settings: Settings, folder: Path) -> list[Recall]:
    """Returns the recall of each way, from the saved ranks."""
    there = by_way(_searches(dataset, settings), _file(folder))
    return [_mean(way, found) for way, found in there.items()]


def by_way(searches: Sequence[Search], file: RecordFile[R]) -> dict[str, list[R | None]]:
    """Returns the records of each way of searching, None for those that are missing."""
    found: dict[str, list[R | None]] = {}
    for one in searches:
        record = file[one.key] if one.key in file else None  # noqa: SIM401 - it is no dict
        found.setdefault(one.way, []).append(record)
    return found


def _mean(way: str, found: Sequence[RankRecord | None]) -> Recall:
    known = [one for one in found if one is not None]
    columns = zip(*(one.recall for one in known), strict=True)
    at = tuple(statistics.fmean(column) for column in columns) or (0.0,) * len(AT)
    seconds = statistics.median([one.seconds for one in known] or [0.0])
    return Recall(way, len(known), len(found) - len(known), at, seconds)


def _searches(dataset: Dataset, settings: Settings) -> list[Search]:
    made = made_of(dataset, settings)
    return [
        Search(identify("ranks", made, way, one.id, one.text, *sorted(one.needed)), one, way)
        for way in (BM25, *WAYS)
        for one in dataset.questions
    ]


def _file(folder: Path) -> RecordFile[RankRecord]:
    return RecordFile(folder / RANKS, RankRecord)


def _record(item: Search, found: Sequence[str], seconds: float) -> RankRecord:
    needed = item.question.needed
    recall = [len(needed.intersection(found[:k])) / len(needed) for k in AT]
    titles = [text.partition("\n")[0] for text in found]
    return RankRecord(item.key, item.question.id, item.way, titles, recall, round(seconds, 4))


async def _found(
    rag: AsyncGraphRAG, texts: Mapping[str, str], how: QueryOptions, question: str
) -> list[str]:
    """Returns the passages in the context of an answer, the best first."""
    wide: QueryOptions = {**how, **ROOM}
    answer = await rag.query(question, **wide)
    sources = answer.context[0].by_kind().get("Sources", []) if answer.context else []
    places = await rag.sources(*(record.ref for record in sources))
    return [texts[place.document] for place in places if place.document in texts]


def _bm25(passages: Sequence[str]) -> Rank:
    """Ranks the passages by BM25 with the defaults of the package and English stop words."""
    split = partial(bm25s.tokenize, stopwords="en", show_progress=False)
    index = bm25s.BM25(corpus=list(passages))
    index.index(split(list(passages)), show_progress=False)
    k = min(max(AT), len(passages))

    async def rank(question: str) -> list[str]:
        found, _ = index.retrieve(split([question]), k=k, show_progress=False)
        return [str(text) for text in found[0]]

    return rank
