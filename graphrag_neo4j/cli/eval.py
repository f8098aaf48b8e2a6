"""`kg-build eval` measures how good answers are.

The commands that ask a model tell what they will take and ask, work, say what was saved if the
work ends early, and end with the reasons of what failed (`_Paying`). `results`, `report` and
`status` ask no model and need no Neo4j.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from getpass import getuser
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio
import click

from graphrag_neo4j.cli import INTERRUPTED, options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import about, summed
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.evaluate import Evaluation
from graphrag_neo4j.extras.evaluate.conditions import PAPER
from graphrag_neo4j.extras.evaluate.folder import METRICS, PLAN, EvaluationFolder
from graphrag_neo4j.extras.evaluate.judging import JudgeItem, blind_items
from graphrag_neo4j.extras.evaluate.questions import check_asking, estimate_questions
from graphrag_neo4j.extras.evaluate.report import read_evaluation
from graphrag_neo4j.extras.evaluate.steps import RemainingWork
from graphrag_neo4j.extras.evaluate.tables import (
    ResultTable,
    cost_table,
    explained_once,
    shares_table,
)
from graphrag_neo4j.extras.evaluate.tasks.judges import DEFINITIONS, Metric, Winner, plain_answer
from graphrag_neo4j.files import make_private_folder
from graphrag_neo4j.index.estimate import StepEstimate
from graphrag_neo4j.llm.endpoint import NO_MODEL
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings.installing import needing
from graphrag_neo4j.text.strings import counted

T = TypeVar("T")
MOST_REASONS: Final = 5
CHOICES: Final[dict[str, Winner]] = {"1": "first", "2": "second", "t": "tie"}
SKIP, QUIT = "s", "q"
# What one of the records of a file is called, and several.
NOUNS: Final = {
    "answers": ("answer", "answers"),
    "verdicts": ("verdict", "verdicts"),
    "claims": ("part of an answer", "parts of answers"),
    "supports": ("cited sentence", "cited sentences"),
    "drafts": ("call", "calls"),
}
UP_TO_50: Final = click.IntRange(1, 50)

folder_argument = click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER"
)
paying_options = options.all_of(
    options.model_option, options.max_cost_option, options.yes_option, options.quiet_option
)
file_argument = click.Path(dir_okay=False, path_type=Path)
metric_option = options.value(
    "--metric metrics",
    None,
    "What to compare; repeat the option for several. [default: all that the plan has]",
    multiple=True,
    type=options.NearestChoice(METRICS),
)
condition_option = options.value(
    "-c --condition conditions",
    "NAME",
    "Compare only these conditions; repeat the option. [default: all with answers]",
    multiple=True,
)


class _InOrder(click.Group):
    def list_commands(self, _context: click.Context) -> list[str]:
        """Returns the names of the commands in the order in which they are used."""
        return list(self.commands)


@click.group(cls=_InOrder)
def eval_group() -> None:
    """Measure how good the answers are, on your own documents and with your own model.

    An evaluation is a FOLDER of plain files, with one record on each line. The commands continue
    what is there, and nothing is paid for twice: first `questions`, then `answers`.
    """


class _Paying:
    """The course of a command that asks a model, with its options --yes and --quiet.

    `values` are its other options, the settings among them; `judge` says that --model names the
    judge, who must be there. Raises InputError for settings that can't be used.
    """

    def __init__(self, folder: Path, values: dict[str, Any], *, judge: bool = False) -> None:
        self.yes, self.quiet = values.pop("yes"), values.pop("quiet")
        if judge:
            values["judge_model"] = values.pop("model")
        self.evaluation = Evaluation(folder, options.settings_of(**values))
        self.folder, self._told = self.evaluation.folder, set[str]()
        click.get_current_context().with_resource(self.folder.writing())
        if judge and not self.evaluation.settings.has_model:
            raise InputError(NO_MODEL)

    def heard(self, work: Callable[[], Coroutine[Any, Any, T]], *, fleeting: bool = False) -> T:
        """Runs work with its progress, which is wiped at the end if it is `fleeting`.

        No notice is told twice.
        """

        async def opened() -> T:
            with listening(quiet=self.quiet, fleeting=fleeting) as listen:

                def hear(event: Event) -> None:
                    if not isinstance(event, Notice) or event.text not in self._told:
                        listen(event)
                    if isinstance(event, Notice):
                        self._told.add(event.text)

                self.evaluation.listen = hear
                return await work()

        with needing("eval", "This needs"):
            return anyio.run(opened)

    def make(
        self,
        file: str,
        estimate: Callable[[], Coroutine[Any, Any, RemainingWork]],
        make: Callable[[], Coroutine[Any, Any, T]],
    ) -> tuple[T, list[str]]:
        """Prints what a step will take and asks, makes its records, and prints what was made.

        `file` is the attribute of the folder that holds them. Returns what `make` returns, and the
        reasons of the records that failed.
        """
        records, noun = getattr(self.folder, file), NOUNS[file]
        before = {one.key: one for one in records}
        todo = self.heard(estimate, fleeting=True)
        if not self.quiet:
            of = f"{todo.there + todo.missing:,}"
            terminal.line(f"{counted(todo.there, *noun)} of {of} are there already.")
        self.confirm(todo.steps, counted(todo.missing, *noun))
        try:
            result = self.heard(make)
        finally:  # also after Ctrl-C, and where the cost limit is reached
            new = [one for one in records if before.get(one.key) is not one]
            if new and not self.quiet:
                saved = sum(one.failure is None for one in new)
                terminal.line(f"{counted(saved, *noun)} saved.")
        return result, [one.failure for one in new if one.failure]

    def confirm(self, steps: Sequence[StepEstimate], what: str) -> None:
        """Tells what the next calls take, and asks whether to go on. Without calls it does nothing.

        `what` says what is made of them, such as "20 answers". Ends the command if the user says
        no.
        """
        calls = sum(one.calls for one in steps)
        if not calls:
            return
        if not self.quiet:
            sent = sum(one.input_tokens for one in steps)
            replied = sum(one.output_tokens for one in steps)
            if len(steps) > 1:
                rows = [
                    (one.step, about(one.calls, one.input_tokens, one.output_tokens, one.cost))
                    for one in steps
                ]
                terminal.table(("", "calls"), rows, left=["calls"])
            cost = summed([one.cost for one in steps])
            terminal.line(f"{what} will take {about(calls, sent, replied, cost)}.")
        options.refuse_unasked(yes=self.yes)
        if not (self.yes or terminal.confirmed("Go on?")):
            terminal.line("Nothing more was done.")
            raise click.exceptions.Exit(1)


def _refuse_failed(file: str, reasons: Sequence[str]) -> None:
    """Ends the command with code 1 if records failed, and prints the most frequent reasons."""
    if not reasons:
        return
    failed = f"{counted(len(reasons), *NOUNS[file])} failed."
    terminal.line(f"{failed} Run the same command again to retry.", style="yellow")
    for reason, times in Counter(reasons).most_common(MOST_REASONS):
        terminal.line(f"  {counted(times, 'time')}: {reason}")
    raise click.exceptions.Exit(1)


@eval_group.command()
@folder_argument
@click.argument("file", required=False, type=file_argument, metavar="[FILE]")
@options.value(
    "--column",
    "NAME",
    "The column of the questions in FILE. The default is question, question_text or text.",
)
@options.value(
    "--about",
    "TEXT",
    "What the documents are, in a few sentences. Without it, a model drafts a description from the "
    "reports of the graph, and you are asked whether it is right.",
)
@options.value("--personas", None, "How many users to imagine. [default: 5]", type=UP_TO_50)
@options.value("--tasks", None, "How many tasks each user has. [default: 5]", type=UP_TO_50)
@options.value(
    "--questions",
    None,
    "How many questions each user asks for each task. [default: 5]",
    type=UP_TO_50,
)
@paying_options
def questions_command(
    folder: Path,
    file: Path | None,
    column: str | None,
    about: str | None,
    **values: Any,  # noqa: ANN401 - numbers of the plan, and settings
) -> None:
    """Make questions, or take your own from a file.

    FILE is a .txt with one question on each line, or a .csv or .jsonl with a column question.
    Without FILE a model imagines users of your documents, tasks of each user, and questions about
    the whole collection for each task (arXiv 2404.16130, Algorithm 1). It reads only a description
    of the documents. Run the same command again to continue or to add questions.
    """
    numbers = {name: values.pop(name) for name in ("personas", "tasks", "questions")}
    paying = _Paying(folder, values)
    evaluation, found, quiet = paying.evaluation, paying.folder, paying.quiet
    if file:
        new = evaluation.add_questions(file, column)
        if not quiet:
            _tell_questions(found, len(new), 0)
        return
    check_asking(evaluation.settings)
    options.refuse_unasked(yes=paying.yes)
    if not (about or found.plan.description):
        about = paying.heard(evaluation.describe, fleeting=True)
    found.change_plan(description=about, **numbers)
    plan = found.plan
    if not quiet:
        terminal.line("The questions are made from this description of the documents:")
        terminal.line(f"  {plan.description}", style="bold")
        terminal.line(f"You can edit it in {folder / PLAN}, or give another by --about.")
    wanted = counted(plan.personas * plan.tasks * plan.questions, "question")
    paying.confirm([estimate_questions(found, evaluation.settings)], f"Up to {wanted}")
    made = paying.heard(evaluation.make_questions, fleeting=True)
    if not quiet:
        _tell_questions(found, len(made.new), made.repeated)
    _refuse_failed("drafts", made.failures)


def _tell_questions(folder: EvaluationFolder, new: int, repeated: int) -> None:
    there = counted(len(folder.questions), "question")
    terminal.line(f"{counted(new, 'new question')}. {there} saved.")
    if repeated:
        terminal.line(f"{counted(repeated, 'repeated question')} left out.")
    if len(folder.questions):
        terminal.line(f"`kg-build eval answers {folder.path}` has them answered.")


@eval_group.command()
@folder_argument
@options.value(
    "-c --condition conditions",
    "CONDITION",
    "A condition that answers; repeat the option for several. C0 to C3, TS and SS are those of the "
    "paper. A method is one, too, with details: global:2, global:dynamic, local, "
    "drift, basic, text. NAME=local,max_context_tokens=4000 sets more and gives it a name. They "
    f"are added to those of earlier runs. [default: {', '.join(PAPER)}]",
    multiple=True,
)
@options.value(
    "--window",
    "TOKENS",
    "The largest context of the conditions of the paper. [default: 8000]",
    type=click.IntRange(min=500),
)
@paying_options
def answers_command(
    folder: Path,
    conditions: tuple[str, ...],
    window: int | None,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Have each condition answer each question.

    An answer is saved as soon as it is there, and is asked for again only if something that it
    depends on has changed: an option, a model, a prompt file, or the graph. Run the same command
    again to continue, and to try failed answers again.
    """
    paying = _Paying(folder, values)
    evaluation = paying.evaluation
    evaluation.choose(conditions or None, window)
    _, reasons = paying.make("answers", evaluation.estimate_answers, evaluation.answer)
    if not paying.quiet:
        _print_table(cost_table(paying.folder.current_answers().values()))
    _refuse_failed("answers", reasons)


@eval_group.command("import")
@folder_argument
@click.argument("file", type=file_argument, metavar="FILE")
@options.value(
    "--condition",
    "NAME",
    "The name of the other system in all tables, such as lightrag.",
    required=True,
)
def import_answers_command(folder: Path, file: Path, condition: str) -> None:
    """Take the answers of another system from a file.

    FILE has one JSON object on each line, with the fields question and answer, and if they are
    known: sources (a list of source and text), calls, input_tokens, output_tokens, context_tokens,
    units, cost and seconds. A question is matched by its text. The exit code is 1 if a line could
    not be used.
    """
    done = Evaluation(folder, options.settings_of()).import_answers(file, condition)
    new = counted(done.new, "new answer")
    terminal.line(f"{new} of {condition}, {done.there:,} were there already.")
    problems = [f"The evaluation has no such question: {text}" for text in done.unmatched]
    problems += [f"The answer is empty: {text}" for text in done.empty]
    terminal.some(problems, str(file), "red", error=True)
    if n := len(done.unanswered):
        left = f"{condition} has no answer to {counted(n, 'question')} of the evaluation."
        terminal.line(left, style="yellow")
    if problems:
        raise click.exceptions.Exit(1)


@eval_group.command()
@folder_argument
@metric_option
@options.value(
    "--repeats",
    "N",
    "How often each comparison is made, in both orders. It is kept. [default: 5]",
    type=click.IntRange(min=1),
)
@condition_option
@paying_options
def judge_command(
    folder: Path,
    metrics: tuple[Metric, ...],
    repeats: int | None,
    conditions: tuple[str, ...],
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Have a model compare the answers.

    Two answers are compared at a time, and in both orders. --model names the judge; without it,
    KG_JUDGE_MODEL and then KG_MODEL are used. A verdict is saved as soon as it is there. Run the
    same command again to continue, and to ask again for verdicts that are missing. `kg-build eval
    results` shows what comes out.
    """
    paying = _Paying(folder, values, judge=True)
    evaluation = paying.evaluation
    paying.folder.change_plan(repeats=repeats)
    _, reasons = paying.make(
        "verdicts",
        lambda: evaluation.estimate_judge(metrics, conditions),
        lambda: evaluation.judge(metrics, conditions=conditions),
    )
    _refuse_failed("verdicts", reasons)


@eval_group.command()
@folder_argument
@paying_options
def claims_command(folder: Path, **values: Any) -> None:  # noqa: ANN401 - settings
    """Find what the answers state.

    Ten sentences take three calls. --model names the model; without it, KG_JUDGE_MODEL and then
    KG_MODEL are used. Run the same command again to continue. `kg-build eval results` counts the
    claims.
    """
    paying = _Paying(folder, values, judge=True)
    it = paying.evaluation
    _refuse_failed("claims", paying.make("claims", it.estimate_claims, it.find_claims)[1])


@eval_group.command()
@folder_argument
@options.flag("--reports", "Also judge the findings of the graph's community reports.")
@options.flag("--words", "Judge by words and vectors, even if a model is set. This costs nothing.")
@paying_options
@options.json_option
def ground_command(
    folder: Path,
    *,
    reports: bool,
    words: bool,
    as_json_: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Measure how far answers and reports rest on what they cite.

    For each condition, the command prints the share of its statements that carry a citation, the
    share of the cited statements that the cited text supports, and the share of the citations that
    lead to no text. A model judges sentence by sentence; its name is the setting KG_JUDGE_MODEL.
    Without a model, words and vectors judge. A sentence is judged once for each judge and text.
    """
    values["quiet"] = values["quiet"] or as_json_
    paying = _Paying(folder, values)
    found, reasons = paying.make(
        "supports",
        lambda: paying.evaluation.estimate_ground(reports=reports, words=words),
        lambda: paying.evaluation.ground(reports=reports, words=words),
    )
    if not as_json_:
        _print_table(shares_table("texts", found))
        _refuse_failed("supports", reasons)
        return
    shares = ("cited_share", "supported_share", "placed_share")
    groups = [dataclasses.asdict(it) | {name: getattr(it, name) for name in shares} for it in found]
    terminal.json_text(options.as_json({"judge": found[0].judge, "groups": groups}))
    raise click.exceptions.Exit(int(any(one.missing for one in found)))


@eval_group.command()
@folder_argument
@options.value(
    "--name", "NAME", "Your name in the records. The default is your user name on this computer."
)
@metric_option
@condition_option
@options.value("--most", "N", "Stop after this many verdicts.", type=click.IntRange(min=1))
def verdict_command(
    folder: Path,
    name: str | None,
    metrics: tuple[Metric, ...],
    conditions: tuple[str, ...],
    most: int | None,
) -> None:
    """Compare answers yourself, without seeing who gave them.

    You see the question and two answers in random order, without their citations. Each verdict is
    saved at once. Stop by q or Ctrl-C, and run the same command again to go on. The verdicts tell
    how far a judging model agrees with you.
    """
    if not terminal.can_ask():
        raise InputError("A person must type the verdicts: run the command in a terminal.")
    found = EvaluationFolder(folder)
    click.get_current_context().with_resource(found.writing())
    todo = blind_items(found, name or getuser(), metrics, conditions)
    given, code = 0, 0
    try:
        for number, item in enumerate(todo[:most], start=1):
            choice = _choice(item, f"{number:,} of {len(todo):,}")
            if choice == QUIT:
                break
            if choice != SKIP:
                found.verdicts.add([dataclasses.replace(item.record, winner=CHOICES[choice])])
                given += 1
    except (KeyboardInterrupt, click.Abort):
        code = INTERRUPTED
    left = counted(len(todo) - given, "comparison")
    terminal.line(f"{counted(given, 'verdict')} saved, {left} left.")
    raise click.exceptions.Exit(code)


def _choice(item: JudgeItem, place: str) -> str:
    """Shows a comparison, and returns what the person has typed."""
    metric = item.record.metric
    terminal.line()
    terminal.line(f"Comparison {place}: {metric}", style="bold")
    terminal.line(DEFINITIONS[metric])
    terminal.line()
    terminal.line((f"Question: {item.question}", "bold"))
    for number, answer in enumerate((item.first, item.second), start=1):
        terminal.line()
        terminal.line(f"Answer {number}", style="bold")
        for line in plain_answer(answer.text).splitlines():
            terminal.line((line, ""))
    terminal.line()
    while True:
        asked = "Which answer is better? 1, 2, t (tie), s (skip), q (quit): "
        typed = terminal.prompt(asked).strip().casefold()
        if typed in {*CHOICES, SKIP, QUIT}:
            return typed
        terminal.line("Type 1, 2, t, s or q.")


def _print_table(table: ResultTable) -> None:
    """Prints a table with its title, its note and what its columns mean; nothing without rows."""
    if not table.rows:
        return
    terminal.line()
    terminal.line(table.title, style="bold")
    if table.told:
        terminal.line(table.told.replace("`", ""), style="dim")
    left = [one.name for one in table.columns if one.is_text]
    terminal.table([one.name for one in table.columns], table.shown, left=left)
    if meanings := [f"{one.name}: {one.meaning}" for one in table.meanings]:
        terminal.line("; ".join(meanings) + ".", style="dim")


@eval_group.command()
@folder_argument
def results_command(folder: Path) -> None:
    """Show what the verdicts and the claims say.

    These are win rates, their statistics, the bias of each judge, and counts. It asks no model and
    needs no Neo4j.
    """
    with needing("eval", "The results need"):
        found = read_evaluation(folder, options.settings_of())
    for fact in found.facts:
        terminal.line(fact)
    shown = [one for one in found.tables if not one.heat and one.name != "made with"]
    for table in explained_once(shown):
        _print_table(table)


def _formats(_context: click.Context, _parameter: click.Parameter, given: str) -> list[str]:
    names = [one.strip().casefold() for one in given.split(",")]
    if not set(names) <= {"html", "md", "csv"}:
        raise InputError(f"--format {given}: write html, md and csv with commas between them.")
    return names


@eval_group.command()
@folder_argument
@options.page_option(
    "eval.html",
    "The web page to write. Markdown gets the same name with .md, and the CSV files stand in a "
    "folder with this name and -csv.",
)
@options.value(
    "--format formats",
    "html,md,csv",
    "What to write, with commas between.",
    default="html",
    callback=_formats,
)
@options.value("--title", "TEXT", "The title. The default names the folder.")
def report_command(folder: Path, output: Path, *, formats: list[str], title: str | None) -> None:
    """Write the report: a web page, Markdown or CSV.

    It holds all tables, and shows both answers of a comparison side by side. The page is one file
    that works without a network. It asks no model and needs no Neo4j. It contains questions,
    answers and passages of the documents, so give it only to people who are allowed to read them.
    """
    with needing("eval", "The report needs"):
        found = read_evaluation(folder, options.settings_of(), title=title)
    if "html" in formats:
        content = found.page().encode(errors="replace")
        options.write_output(output, content)
        size = f"{len(content) / 1e6:,.1f} MB"
        terminal.line(f"The report is in {output} ({size}). Open this file in a web browser.")
    if "md" in formats:
        path = output.with_suffix(".md")
        options.write_output(path, found.markdown().encode(errors="replace"))
        terminal.line(f"The tables as Markdown are in {path}.")
    if "csv" in formats:
        tables, files = output.with_name(f"{output.stem}-csv"), found.csv_files()
        try:
            make_private_folder(tables)
        except OSError as error:
            reason = f"{tables} can't be made: {error.strerror}."
            raise InputError(f"{reason} Name another file.") from None
        for name, text in files.items():
            options.write_output(tables / name, text.encode("utf-8-sig", errors="replace"))
        terminal.line(f"{counted(len(files), 'CSV file')} are in {tables}.")


@eval_group.command("status")
@folder_argument
def evaluation_status_command(folder: Path) -> None:
    """Show what there is, what is missing, and what it cost.

    It asks no model and needs no Neo4j.
    """
    found = EvaluationFolder.begun(folder)
    personas = {one.persona for one in found.questions if one.persona}
    made = f", asked by {counted(len(personas), 'persona')}" if personas else ""
    terminal.line(f"{counted(len(found.questions), 'question')}{made}.")
    if found.plan.description:
        terminal.line(f"Documents: {found.plan.description}", style="dim")
    _print_table(cost_table(found.current_answers().values()))
    for name, n in found.unanswered().items():
        terminal.line(f"{name}: {counted(n, 'answer')} missing.", style="yellow")
    for judge, n in Counter(one.judge for one in found.verdicts if not one.failure).items():
        terminal.line(f"{counted(n, 'verdict')} by {judge}.")
