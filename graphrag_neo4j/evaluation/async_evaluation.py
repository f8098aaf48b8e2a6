"""An evaluation as a Python user has it; `sync_evaluation` has the same without `await`.

evaluation = AsyncEvaluation.from_env("evaluation/")
evaluation.add_questions("questions.csv")
await evaluation.answer(["C0", "SS", "local:ppr"])
for one in evaluation.costs():
    print(one.condition, one.context_tokens, one.cost)
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Self, Unpack

from graphrag_neo4j.arguments import check_path
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluation.answers.answering import answer_items, answer_missing, opened
from graphrag_neo4j.evaluation.answers.conditions import parse_condition, parse_conditions
from graphrag_neo4j.evaluation.answers.costs import ConditionCosts, condition_costs
from graphrag_neo4j.evaluation.answers.estimate import AnswersEstimate, estimate_answers
from graphrag_neo4j.evaluation.answers.importing import ImportedAnswers, import_answers
from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.groundedness.grounding import grounded, texts_to_ground
from graphrag_neo4j.evaluation.groundedness.judged_sentences import JudgesCompared, compared_in
from graphrag_neo4j.evaluation.groundedness.sentence_support import Groundedness
from graphrag_neo4j.evaluation.judge.comparisons import Judged
from graphrag_neo4j.evaluation.judge.runs import (
    FoundClaims,
    claims_in,
    find_missing_claims,
    items_of_claims,
    judge_missing,
    judged_in,
    verdict_items,
)
from graphrag_neo4j.evaluation.model import Metric, QuestionRecord
from graphrag_neo4j.evaluation.questions.drafting import (
    MadeQuestions,
    draft_description,
    make_questions,
)
from graphrag_neo4j.evaluation.questions.files import question_record, read_questions
from graphrag_neo4j.evaluation.steps import StepResult
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.llm import Meter
from graphrag_neo4j.options import SettingsOptions
from graphrag_neo4j.settings import Settings, load_settings

__all__ = ["AsyncEvaluation"]


class AsyncEvaluation:
    """An evaluation in a folder, for asynchronous code.

    `settings` say which graph and which models are asked; `max_cost` limits each call of a method,
    in US dollars. `folder` of this object holds the plan and the records. All methods add to the
    folder what is not there yet, so each of them can be interrupted and called again. Raises
    InputError for a folder that can't be used.
    """

    def __init__(self, folder: str | Path, settings: Settings, listen: Listener = silent) -> None:
        self.folder = EvaluationFolder(Path(check_path(folder, "The folder of an evaluation")))
        self.settings = settings
        self._listen = listen

    @classmethod
    def from_env(
        cls, folder: str | Path, listen: Listener = silent, **settings: Unpack[SettingsOptions]
    ) -> Self:
        """Makes an evaluation with settings from arguments, the environment and `.env`.

        Raises InputError for a setting and a folder that can't be used.
        """
        return cls(folder, load_settings(**settings), listen)

    async def describe(self) -> str:
        """Returns a description of the documents, which a model drafts from the largest reports.

        It is not saved: give it, or a better one, to `make_questions`. Raises InputError if no
        model is set and if the graph has no reports, and the errors of `query`.
        """
        return await draft_description(self.settings, self._listen)

    async def make_questions(
        self,
        description: str | None = None,
        *,
        personas: int | None = None,
        tasks: int | None = None,
        questions: int | None = None,
    ) -> MadeQuestions:
        """Makes questions about the whole collection, as Algorithm 1 of the paper does.

        `description` says what the documents are; without one, that of the plan is used or, if it
        has none, one is drafted. A model names `personas` users, `tasks` of each, and `questions`
        for each task; the default of each number is 5. Raises InputError if no model is set, and
        the errors of `query`.
        """
        plan = self.folder.plan
        about = description or plan.description or await self.describe()
        self.folder.change_plan(
            description=about, personas=personas, tasks=tasks, questions=questions
        )
        return await make_questions(self.folder, self.settings, self._listen)

    def add_questions(
        self, source: str | Path | Sequence[str], column: str | None = None
    ) -> list[QuestionRecord]:
        """Adds questions from a file, or from a list of texts. Returns those that are new.

        A file is .txt with a question on each line, or a table with a `column` of questions. Raises
        InputError for a file or a text that can't be used.
        """
        if isinstance(source, str | Path):
            found = read_questions(Path(check_path(source, "A file of questions")), column)
        else:
            found = list({one.key: one for one in map(question_record, source)}.values())
        new = [one for one in found if one.key not in self.folder.questions]
        self.folder.change_plan()
        self.folder.questions.add(new)
        return new

    def choose(self, conditions: Sequence[str] | None = None, window: int | None = None) -> None:
        """Writes into the plan which conditions answer, and with which window.

        They are added to those that the plan has; one with the name of an earlier one takes its
        place. None keeps what the plan has. Raises InputError for a text that is no condition.
        """
        plan = self.folder.plan
        size = plan.window if window is None else window
        texts = {parse_condition(one, size).name: one for one in plan.conditions}
        added = parse_conditions(conditions, size) if conditions is not None else []
        texts |= {one.name: text for one, text in zip(added, conditions or (), strict=True)}
        for text in texts.values():
            parse_condition(text, size).checked(self.settings)
        self.folder.change_plan(conditions=tuple(texts.values()), window=window)

    async def estimate_answers(self) -> AnswersEstimate:
        """Estimates what the missing answers of the plan take. No model is asked.

        Raises InputError if there are no questions, for a condition that can't be used, and if a
        cost limit is set and a price is not known; GraphError if Neo4j fails.
        """
        self._need_questions()
        meter = Meter()
        async with opened(self.folder, self.settings, self._listen, meter) as conditions:
            items = await answer_items(self.folder, conditions)
            missing = [item for item in items if item.key not in self.folder.answers]
            return await estimate_answers(items, missing)

    async def answer(
        self, conditions: Sequence[str] | None = None, window: int | None = None
    ) -> StepResult:
        """Has each condition answer each question, and saves each answer as it comes.

        `conditions` are added to those of the plan, and `window` (tokens) replaces its window (see
        `choose`); docs/evaluation.md says how a condition is written. Answers that are there are
        not asked for again, unless something that they depend on has changed. Raises InputError if
        there are no questions and for a condition that can't be used; GraphError, ModelError, and
        BudgetSpentError if `max_cost` is reached.
        """
        self._need_questions()
        self.choose(conditions, window)
        meter = Meter(limit=self.settings.max_cost)
        async with opened(self.folder, self.settings, self._listen, meter) as with_clients:
            items = await answer_items(self.folder, with_clients)
            return await answer_missing(self.folder, items, self._listen, meter)

    def import_answers(self, path: str | Path, condition: str) -> ImportedAnswers:
        """Adds the answers of another system from a file, under the name of a `condition`.

        `path` is a file of JSON lines; docs/evaluation.md describes them. Raises InputError for a
        name that means a condition of ours and for a file that can't be used.
        """
        file = Path(check_path(path, "A file of answers"))
        return import_answers(self.folder, file, condition)

    async def ground(self, *, reports: bool = False, words: bool = False) -> list[Groundedness]:
        """Judges whether the answers rest on what they cite, and returns the shares by condition.

        With `reports`, the findings of the graph's reports are judged, too. A model judges; with
        `words`, or if no model is set, words and vectors do. Sentences that are judged already are
        not judged again. Raises InputError if there is nothing to judge; GraphError, ModelError,
        and BudgetSpentError if `max_cost` is reached.
        """
        texts = await texts_to_ground(
            self.folder, self.settings, reports=reports, listen=self._listen
        )
        return await grounded(texts, self.folder, self.settings, words=words, listen=self._listen)

    def sentence_judges_compared(self) -> list[JudgesCompared]:
        """Returns how far each two judges of `ground` agree, and the sentences where they differ.

        The reports are those that `ground` has judged last.
        """
        return compared_in(self.folder, self.settings)

    async def judge(
        self,
        metrics: Sequence[Metric] = (),
        repeats: int | None = None,
        conditions: Sequence[str] = (),
    ) -> StepResult:
        """Has a model compare the answers, two at a time and in both orders of the answers.

        `metrics` and `conditions` name what is compared; by default it is all. `repeats` replaces
        that of the plan. Raises InputError if no model is set, and if there is nothing to compare;
        ModelError, and BudgetSpentError if `max_cost` is reached.
        """
        self.folder.change_plan(repeats=repeats)
        items = verdict_items(self.folder, self.settings, conditions, metrics)
        return await judge_missing(self.folder, items, self.settings, self._listen)

    async def find_claims(self) -> StepResult:
        """Finds the claims of all answers, three calls for ten sentences. Raises as `judge`."""
        items = items_of_claims(self.folder, self.settings)
        return await find_missing_claims(self.folder, items, self.settings, self._listen)

    def judged(self) -> dict[str, list[Judged]]:
        """Returns the verdicts by judge; `judging.summarised` and `statistics` read them."""
        return judged_in(self.folder)

    def claims(self) -> FoundClaims:
        """Returns the claims of the answers, as the last run has found them."""
        return claims_in(self.folder)

    def costs(self) -> list[ConditionCosts]:
        """Returns what an answer of each condition takes: Table 2 of the paper, and the money."""
        return condition_costs(self.folder.current_answers().values())

    def _need_questions(self) -> None:
        if not len(self.folder.questions):
            raise InputError(
                "The evaluation has no questions yet. `kg-build eval questions FOLDER` makes them."
            )
