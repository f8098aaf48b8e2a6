"""A measurement of retrieval from its files to its result: index, ranks, short answers.

result = await measure_retrieval(read_datasets(["musique.jsonl"]), settings, Path("retrieval"))
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graphrag_neo4j import embedded
from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.evaluation.retrieval.datasets import Dataset
from graphrag_neo4j.evaluation.retrieval.ranking import (
    Recall,
    documents_of,
    index_passages,
    missing_ranks,
    rank_passages,
    recalls_of,
)
from graphrag_neo4j.evaluation.retrieval.short_answers import (
    AnswerQuality,
    answer_shortly,
    missing_answers,
    qualities_of,
)
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.estimate import StepEstimate, estimate, priced
from graphrag_neo4j.loaders import ReadOptions
from graphrag_neo4j.settings import EXTRACTIVE, Settings

__all__ = [
    "Retrieval",
    "estimate_retrieval",
    "measure_retrieval",
    "retrieval_of",
    "retrieval_settings",
]

HOME: Final = "neo4j"  # the folder of the embedded server, in the folder of the measurement
PROMPT: Final = 1_500  # tokens of a prompt without its context
SHORT: Final = 60  # tokens of a short answer


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The result: the recall of each way of searching, and the scores of its short answers.

    `answers` is empty if no short answers were wanted.
    """

    questions: int
    passages: int
    recalls: list[Recall]
    answers: list[AnswerQuality]

    @property
    def missing(self) -> int:
        """The number of searches and answers that are missing."""
        searches = sum(one.missing for one in self.recalls)
        return searches + sum(one.missing for one in self.answers)


def retrieval_settings(settings: Settings, folder: Path) -> Settings:
    """Returns the settings of a measurement: with a graph of its own in the folder.

    With NEO4J_URI, that server is used. Without a model, the index is extractive.
    """
    own = settings if settings.neo4j_uri else settings.changed(home=folder / HOME)
    return own if own.has_model else own.changed(model=EXTRACTIVE)


async def estimate_retrieval(
    dataset: Dataset,
    settings: Settings,
    folder: Path,
    *,
    answers: bool,
    listen: Listener = silent,
) -> list[StepEstimate]:
    """Estimates the calls to a model that are still to be made. It makes none.

    The index counts as made if some ranks are there. Raises InputError if a cost limit is set and a
    price is not known.
    """
    steps: list[StepEstimate] = []
    if settings.has_model and missing_ranks(dataset, settings, folder, all_of_them=True):
        corpus = Corpus.of(documents_of(dataset), ReadOptions())
        steps += (await estimate(corpus, settings, listen)).steps
    if answers and settings.has_model:
        n = missing_answers(dataset, settings, folder)
        sent = n * (PROMPT + settings.max_context_tokens)
        steps.append(priced("answer", n, sent, n * SHORT, settings))
    return steps


async def measure_retrieval(
    dataset: Dataset,
    settings: Settings,
    folder: Path,
    *,
    answers: bool = False,
    listen: Listener = silent,
) -> Retrieval:
    """Measures the retrieval of passages and, with `answers`, the short answers.

    `settings` are those of `retrieval_settings`. The graph, the ranks and the answers are kept in
    the folder; what is there is not made again. A server that was started for this is stopped.
    Raises InputError if the passages can't be indexed, GraphError, ModelError, and
    BudgetSpentError if `max_cost` is reached.
    """
    found = retrieval_of(dataset, settings, folder, answers=answers)
    if found.missing:
        with _stopping(settings):
            async with AsyncGraphRAG(settings, listen) as rag:
                used = await index_passages(rag, dataset)
                await rank_passages(rag, dataset, folder, listen)
                if answers:
                    await answer_shortly(rag, dataset, folder, listen, spent=used.cost)
    return retrieval_of(dataset, settings, folder, answers=answers)


def retrieval_of(dataset: Dataset, settings: Settings, folder: Path, *, answers: bool) -> Retrieval:
    """Returns the result as far as it is in the folder."""
    return Retrieval(
        len(dataset.questions),
        len(dataset.passages),
        recalls_of(dataset, settings, folder),
        qualities_of(dataset, settings, folder) if answers else [],
    )


@contextmanager
def _stopping(settings: Settings) -> Iterator[None]:
    """Stops the embedded server at the end, if it did not run before."""
    ours = not settings.neo4j_uri and embedded.running(settings) is None
    try:
        yield
    finally:
        if ours:
            embedded.stop(settings)
