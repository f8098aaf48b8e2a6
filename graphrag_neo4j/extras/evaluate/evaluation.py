"""An evaluation as a Python user has it, and the commands of `kg-build eval` use it.

evaluation = Evaluation.from_env("evaluation/")
evaluation.add_questions("questions.csv")
asyncio.run(evaluation.answer(["C0", "SS", "local"]))  # or await it
for one in evaluation.costs():
    print(one.condition, one.context_tokens, one.cost)
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self, Unpack

import anyio.to_thread

from graphrag_neo4j.extras.evaluate import answers, claims, groundedness, judging
from graphrag_neo4j.extras.evaluate import questions as asking
from graphrag_neo4j.extras.evaluate.conditions import parse_condition, parse_conditions
from graphrag_neo4j.extras.evaluate.folder import EvaluationFolder, QuestionRecord
from graphrag_neo4j.extras.evaluate.steps import RemainingWork, StepResult
from graphrag_neo4j.extras.evaluate.tasks.judges import Metric
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.settings.checks import check_path
from graphrag_neo4j.settings.options import SettingsOptions


class Evaluation:
    """An evaluation in a folder. What asks a model or the graph is asynchronous.

    `settings` say which graph and which models are asked; `max_cost` limits each call of a method,
    in US dollars. `folder` of this object holds the plan and the records. All methods add to the
    folder what is not there yet, so each of them can be interrupted and called again. Those that
    write to it raise InputError at once while another command, or another Evaluation, does.
    Raises InputError for a folder that can't be used.
    """

    def __init__(self, folder: str | Path, settings: Settings, listen: Listener = silent) -> None:
        self.folder = EvaluationFolder(Path(check_path(folder, "The folder of an evaluation")))
        self.settings = settings
        self.listen = listen

    @classmethod
    def from_env(
        cls, folder: str | Path, listen: Listener = silent, **settings: Unpack[SettingsOptions]
    ) -> Self:
        """Makes an evaluation with settings from arguments, the environment and `.env`.

        Raises InputError for a setting and a folder that can't be used.
        """
        return cls(folder, load_settings(**settings), listen)

    def add_questions(
        self, source: str | Path | Sequence[str], column: str | None = None
    ) -> list[QuestionRecord]:
        """Adds questions from a file, or from a list of texts. Returns those that are new.

        A file is .txt with a question on each line, or a table with a `column` of questions. Raises
        InputError for a file or a text that can't be used.
        """
        if isinstance(source, str | Path):
            found = asking.read_questions(Path(check_path(source, "A file of questions")), column)
        else:
            found = list({one.key: one for one in map(asking.question_record, source)}.values())
        with self.folder.writing():
            new = [one for one in found if one.key not in self.folder.questions]
            self.folder.change_plan()
            self.folder.questions.add(new)
            return new

    def choose(self, conditions: Sequence[str] | None = None, window: int | None = None) -> None:
        """Writes into the plan which conditions answer, and with which window.

        They are added to those that the plan has; one with the name of an earlier one takes its
        place. None keeps what the plan has. Raises InputError for a text that isn't a condition.
        """
        with self.folder.writing():
            plan = self.folder.plan
            size = plan.window if window is None else window
            texts = {parse_condition(one, size).name: one for one in plan.conditions}
            added = parse_conditions(conditions, size) if conditions is not None else []
            texts |= {one.name: text for one, text in zip(added, conditions or (), strict=True)}
            for text in texts.values():
                parse_condition(text, size).checked(self.settings)
            self.folder.change_plan(conditions=tuple(texts.values()), window=window)

    def import_answers(self, path: str | Path, condition: str) -> answers.ImportedAnswers:
        """Adds the answers of another system from a file, under the name of a `condition`.

        `path` is a file of JSON lines; docs/evaluation.md describes them. Raises InputError for a
        name that means a condition of ours and for a file that can't be used.
        """
        file = Path(check_path(path, "A file of answers"))
        with self.folder.writing():
            return answers.import_answers(self.folder, file, condition)

    def costs(self) -> list[answers.ConditionCosts]:
        """Returns what an answer of each condition takes: Table 2 of the paper, and the money."""
        return answers.condition_costs(self.folder.current_answers().values())

    def judged(self) -> dict[str, list[judging.Judged]]:
        """Returns the verdicts on the answers that count, by judge.

        `statistics.pair_results` and `statistics.pair_tests` read them.
        """
        return judging.judged_by(self.folder.verdicts, self.folder.given_answers())

    def claims(self) -> Mapping[claims.Answered, Sequence[str]]:
        """Returns the claims of each question's and condition's answer, as last found."""
        return claims.claims_in(self.folder)[1]

    async def describe(self) -> str:
        """Returns a description of the documents, which a model drafts from the largest reports.

        It is not saved: give it, or a better one, to `make_questions`. Raises InputError if no
        model is set and if the graph has no reports, and the errors of `query`.
        """
        return await asking.draft_description(self.settings, self.listen)

    async def make_questions(
        self,
        description: str | None = None,
        *,
        personas: int | None = None,
        tasks: int | None = None,
        questions: int | None = None,
    ) -> asking.MadeQuestions:
        """Makes questions about the whole collection, as Algorithm 1 of the paper does.

        `description` says what the documents are; without one, that of the plan is used or, if it
        has none, one is drafted. A model names `personas` users, `tasks` of each, and `questions`
        for each task; the default of each number is 5. Raises InputError if no model is set, and
        the errors of `query`.
        """
        with self.folder.writing():
            about = description or self.folder.plan.description
            about = about or await asking.draft_description(self.settings, self.listen)
            self.folder.change_plan(
                description=about, personas=personas, tasks=tasks, questions=questions
            )
            return await asking.make_questions(self.folder, self.settings, self.listen)

    async def estimate_answers(self) -> RemainingWork:
        """Estimates what the missing answers of the plan take. No model is asked.

        Raises InputError if there are no questions, for a condition that can't be used, and if a
        cost limit is set and a price is not known; GraphError if Neo4j fails.
        """
        async with answers.answer_step(self.folder, self.settings, self.listen) as step:
            return step.estimate()

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
        with self.folder.writing():
            self.choose(conditions, window)
            async with answers.answer_step(self.folder, self.settings, self.listen) as step:
                return await step.complete(self.listen)

    async def estimate_ground(self, *, reports: bool = False, words: bool = False) -> RemainingWork:
        """Estimates what `ground` takes. No model is asked. Raises as `ground`."""
        _, step = await self._to_ground(reports=reports, words=words)
        return await anyio.to_thread.run_sync(step.estimate)

    async def ground(
        self, *, reports: bool = False, words: bool = False
    ) -> list[groundedness.Groundedness]:
        """Judges whether the answers rest on what they cite, and returns the shares by condition.

        With `reports`, the findings of the graph's reports are also judged. A model judges; with
        `words`, or if no model is set, words and vectors do. Sentences that are judged already are
        not judged again. Raises InputError if there is nothing to judge; GraphError, ModelError,
        and BudgetSpentError if `max_cost` is reached.
        """
        with self.folder.writing():
            counted, step = await self._to_ground(reports=reports, words=words)
            await step.complete(self.listen)
            return await anyio.to_thread.run_sync(counted)

    async def _to_ground(
        self, *, reports: bool, words: bool
    ) -> tuple[Callable[[], list[groundedness.Groundedness]], groundedness.SupportStep]:
        """Returns what counts the shares of the judged texts, and the step that judges these."""
        folder, settings = self.folder, self.settings
        texts = await groundedness.texts_to_judge(folder, settings, self.listen, reports=reports)
        given = (texts, folder, settings, groundedness.judge_of(settings, words=words))
        step = await anyio.to_thread.run_sync(groundedness.support_step, *given)
        return partial(groundedness.groundedness_of, *given), step

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
        with self.folder.writing():
            self.folder.change_plan(repeats=repeats)
            step = judging.judge_step(self.folder, self.settings, conditions, metrics)
            return await step.complete(self.listen)

    async def estimate_judge(
        self, metrics: Sequence[Metric] = (), conditions: Sequence[str] = ()
    ) -> RemainingWork:
        """Estimates what `judge` takes with the repeats of the plan. No model is asked."""
        return judging.judge_step(self.folder, self.settings, conditions, metrics).estimate()

    async def find_claims(self) -> StepResult:
        """Finds the claims of all answers, three calls for ten sentences. Raises as `judge`."""
        with self.folder.writing():
            return await claims.claim_step(self.folder, self.settings).complete(self.listen)

    async def estimate_claims(self) -> RemainingWork:
        """Estimates what `find_claims` takes. No model is asked."""
        return claims.claim_step(self.folder, self.settings).estimate()
