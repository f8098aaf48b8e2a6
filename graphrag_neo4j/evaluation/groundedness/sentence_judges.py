"""The judges of groundedness: a model, or words and vectors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

import anyio.to_thread

from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm.evaluation import SupportJudge, SupportVerdict
from graphrag_neo4j.model import LLMTask
from graphrag_neo4j.protocols import RunTask
from graphrag_neo4j.settings import Settings

__all__ = ["ModelJudge", "SentenceJudge", "WordJudge", "judges_named"]

MODEL: Final = "model "
T = TypeVar("T")


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
        return f"{MODEL}{self.judge.model}"

    @property
    def signature(self) -> str:
        """A hash of the model and the prompt."""
        return self.judge.signature

    async def __call__(self, sentence: str, passages: Sequence[str], /) -> SupportVerdict:
        """Returns the verdict on a sentence. Raises ReplyError if the model gives none."""
        return await self.run(self.judge.judge(sentence, passages))


def judges_named(names: Iterable[str], settings: Settings) -> dict[str, SentenceJudge]:
    """Returns the judges that records name, each once: a model with its prompt of now, or words.

    They tell the keys of their verdicts, and can judge nothing.
    """
    return {name: _named(name, settings) for name in dict.fromkeys(names)}


def _named(name: str, settings: Settings) -> SentenceJudge:
    if not name.startswith(MODEL):
        return WordJudge()
    own = settings.changed(judge_model=name.removeprefix(MODEL))
    return ModelJudge(SupportJudge.from_settings(own), _no_run)


async def _no_run(task: LLMTask[T]) -> T:  # noqa: ARG001 - the protocol names it
    raise AssertionError("this judge only names its verdicts")
