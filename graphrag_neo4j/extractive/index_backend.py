"""The extractive index backend: its LLM tasks need no model, but select and quote sentences."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.extractive import SIGNATURE_PREFIX
from graphrag_neo4j.extractive.extraction import claims_of, extract
from graphrag_neo4j.extractive.reports import report_of
from graphrag_neo4j.model import (
    ChunkText,
    Claims,
    DescribedThing,
    Extraction,
    LLMTask,
    NamePair,
    NameVerdict,
    Origin,
    Step,
    WrittenReport,
)
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.text import identify
from graphrag_neo4j.text.files import hash_of_data
from graphrag_neo4j.text.sentence_ranking import best_first, centrality, quality

__all__ = ["ExtractiveIndexBackend"]

# The packages whose words and tables decide what is read.
READERS = ("regex", "rjieba", "simplemma", "stopwordsiso", "tiktoken")
VERSION = 5  # increase it with every change that changes the results for a text
GOOD = 0.1  # score for each point of a sentence's quality


class ExtractiveIndexBackend:
    """Extracts entities and claims, and makes descriptions and reports, by rules.

    `longest`: tokens of a description, counted by `count`. A signature begins with "extractive".
    """

    def __init__(self, longest: int, count: Callable[[str], int]) -> None:
        self._longest, self._count = longest, count

    @property
    def origin(self) -> Origin:
        """Always "extractive", because all texts are quotations."""
        return "extractive"

    @property
    def quotes(self) -> bool:
        """True: the reports quote the sources."""
        return True

    def signature(self, step: Step) -> str:
        """Returns the version of these rules, and a hash of all else that decides a step.

        These are its settings, the word lists, and the versions of the packages that read words.
        """
        settings = [self._longest] if step == "summary" else []
        return f"{SIGNATURE_PREFIX} {VERSION} {identify(step, *settings, *_readers())}"

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        """Extracts the entities that a chunk names, and those that it names together."""
        yield from ()
        return extract(chunk.text)

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]:
        """Extracts claims: who did what, with a date or an amount."""
        yield from ()
        return Claims(claims_of(chunk.text))

    @property
    def summary_batch(self) -> int:
        """Always 1: no request is made that several things could share."""
        return 1

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        """Returns for each thing the most central sentences of its descriptions, one on a line."""
        yield from ()
        return [self._most_central(thing) for thing in things]

    def _most_central(self, thing: DescribedThing) -> str:
        texts = sorted({line for text in thing.descriptions for line in text.splitlines() if line})
        central, name = centrality(texts), thing.name.casefold()
        scores = {
            text: central[text] + GOOD * (quality(text) + (name in text.casefold()))
            for text in texts
        }
        lines: list[str] = []
        for text in best_first(scores):
            if lines and self._count("\n".join([*lines, text])) > self._longest:
                break
            lines.append(text)
        return "\n".join(lines)

    def report(self, _context: str, material: ReportMaterial) -> LLMTask[WrittenReport]:
        """Makes a report of quotations from the report material."""
        yield from ()
        return report_of(material)

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        """Decides nothing: without a model, only rules join names."""
        yield from ()
        return [None] * len(pairs)


@cache
def _readers() -> tuple[str, ...]:
    """Returns the versions of the packages that read words, and a hash of our word lists."""
    versions = [f"{name} {version(name)}" for name in READERS]
    return (*versions, hash_of_data("words", "names", "lexicon"))
