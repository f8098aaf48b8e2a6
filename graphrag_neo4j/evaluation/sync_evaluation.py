"""An evaluation for code without `await`. It runs AsyncEvaluation, in a thread of its own."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Self, TypeVar, Unpack

from anyio.from_thread import start_blocking_portal

from graphrag_neo4j.evaluation.answers.costs import ConditionCosts
from graphrag_neo4j.evaluation.answers.estimate import AnswersEstimate
from graphrag_neo4j.evaluation.answers.importing import ImportedAnswers
from graphrag_neo4j.evaluation.async_evaluation import AsyncEvaluation
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.groundedness.judged_sentences import JudgesCompared
from graphrag_neo4j.evaluation.groundedness.sentence_support import Groundedness
from graphrag_neo4j.evaluation.judge.comparisons import Judged
from graphrag_neo4j.evaluation.judge.runs import FoundClaims
from graphrag_neo4j.evaluation.model import Metric, QuestionRecord
from graphrag_neo4j.evaluation.questions.drafting import MadeQuestions
from graphrag_neo4j.evaluation.steps import StepResult
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.options import SettingsOptions
from graphrag_neo4j.settings import Settings, load_settings

__all__ = ["Evaluation"]

T = TypeVar("T")


class Evaluation:
    """An evaluation in a folder, for code without `await`: see AsyncEvaluation.

    Each method that asks a model first waits for its end. Ctrl-C saves what has arrived.
    """

    def __init__(self, folder: str | Path, settings: Settings, listen: Listener = silent) -> None:
        self._async = AsyncEvaluation(folder, settings, listen)

    @classmethod
    def from_env(
        cls, folder: str | Path, listen: Listener = silent, **settings: Unpack[SettingsOptions]
    ) -> Self:
        """Makes an evaluation with settings from arguments, the environment and `.env`."""
        return cls(folder, load_settings(**settings), listen)

    @property
    def folder(self) -> EvaluationFolder:
        """The plan and the records."""
        return self._async.folder

    def describe(self) -> str:
        """Returns a description of the documents, which a model drafts: see AsyncEvaluation."""
        return _run(self._async.describe)

    def make_questions(
        self,
        description: str | None = None,
        *,
        personas: int | None = None,
        tasks: int | None = None,
        questions: int | None = None,
    ) -> MadeQuestions:
        """Makes questions about the whole collection: see AsyncEvaluation."""
        return _run(
            lambda: self._async.make_questions(
                description, personas=personas, tasks=tasks, questions=questions
            )
        )

    def add_questions(
        self, source: str | Path | Sequence[str], column: str | None = None
    ) -> list[QuestionRecord]:
        """Adds questions from a file or a list, and returns the new ones: see AsyncEvaluation."""
        return self._async.add_questions(source, column)

    def choose(self, conditions: Sequence[str] | None = None, window: int | None = None) -> None:
        """Writes into the plan which conditions answer: see AsyncEvaluation."""
        self._async.choose(conditions, window)

    def estimate_answers(self) -> AnswersEstimate:
        """Estimates what the missing answers take: see AsyncEvaluation."""
        return _run(self._async.estimate_answers)

    def answer(
        self, conditions: Sequence[str] | None = None, window: int | None = None
    ) -> StepResult:
        """Has each condition answer each question: see AsyncEvaluation."""
        return _run(lambda: self._async.answer(conditions, window))

    def import_answers(self, path: str | Path, condition: str) -> ImportedAnswers:
        """Adds the answers of another system: see AsyncEvaluation."""
        return self._async.import_answers(path, condition)

    def ground(self, *, reports: bool = False, words: bool = False) -> list[Groundedness]:
        """Judges whether the answers rest on what they cite: see AsyncEvaluation."""
        return _run(lambda: self._async.ground(reports=reports, words=words))

    def sentence_judges_compared(self) -> list[JudgesCompared]:
        """Returns how far each two judges of `ground` agree: see AsyncEvaluation."""
        return self._async.sentence_judges_compared()

    def judge(
        self,
        metrics: Sequence[Metric] = (),
        repeats: int | None = None,
        conditions: Sequence[str] = (),
    ) -> StepResult:
        """Has a model compare the answers: see AsyncEvaluation."""
        return _run(lambda: self._async.judge(metrics, repeats, conditions))

    def find_claims(self) -> StepResult:
        """Finds the claims of all answers: see AsyncEvaluation."""
        return _run(self._async.find_claims)

    def judged(self) -> dict[str, list[Judged]]:
        """Returns the verdicts by judge: see AsyncEvaluation."""
        return self._async.judged()

    def claims(self) -> FoundClaims:
        """Returns the claims of the answers: see AsyncEvaluation."""
        return self._async.claims()

    def costs(self) -> list[ConditionCosts]:
        """Returns what an answer of each condition takes."""
        return self._async.costs()


def _run(work: Callable[[], Awaitable[T]]) -> T:
    """Runs work in an event loop of its own thread, so that it works in a notebook, too."""
    with start_blocking_portal() as portal:
        return portal.call(work)
