"""The judges of groundedness: a model, or words and vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import anyio.to_thread

from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm.evaluation import SupportJudge, SupportVerdict
from graphrag_neo4j.protocols import RunTask

__all__ = ["ModelJudge", "SentenceJudge", "WordJudge"]


class SentenceJudge(Protocol):
    """Judges whether passages support a sentence.

    `signature` identifies the rules, or the model and its prompt. A call raises ReplyError where
    there is no verdict.
    """

    @property
    def name(self) -> str: ...

    @property
    def signature(self) -> str: ...

    async def __call__(self, sentence: str, passages: Sequence[str], /) -> SupportVerdict: ...


@dataclass(frozen=True, slots=True)
class WordJudge:
    """Judges by words and vectors. It needs no model."""

    name: str = "words"

    @property
    def signature(self) -> str:
        """A hash of the version of the rules."""
        from graphrag_neo4j.evaluation.groundedness.word_support import WORDS_VERSION  # noqa: PLC0415

        return identify("words", WORDS_VERSION)

    async def __call__(self, sentence: str, passages: Sequence[str], /) -> SupportVerdict:
        """Returns the verdict on a sentence."""
        # This import reads word lists and vectors, which takes a moment.
        from graphrag_neo4j.evaluation.groundedness.word_support import support_by_words  # noqa: PLC0415

        return await anyio.to_thread.run_sync(support_by_words, sentence, passages)


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Judges by a model. `run` runs its tasks."""

    judge: SupportJudge
    run: RunTask = field(repr=False)

    @property
    def name(self) -> str:
        """The judge as records name it."""
        return f"model {self.judge.model}"

    @property
    def signature(self) -> str:
        """A hash of the model and the prompt."""
        return self.judge.signature

    async def __call__(self, sentence: str, passages: Sequence[str], /) -> SupportVerdict:
        """Returns the verdict on a sentence. Raises ReplyError if the model gives none."""
        return await self.run(self.judge.judge(sentence, passages))
