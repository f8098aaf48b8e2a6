"""The commands of `kg-build eval` that make records, by asking a model or a person.

Those that pay tell what they will take and ask, work, say what was saved if the work ends early,
and end with the reasons of what failed (`_make`).
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from getpass import getuser
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.eval.showing import folder_argument, print_table
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import counted, money
from graphrag_neo4j.errors import BudgetSpentError, InputError, ReplyError
from graphrag_neo4j.evaluate import AsyncEvaluation
from graphrag_neo4j.evaluate.conditions import PAPER
from graphrag_neo4j.evaluate.folder import METRICS, PLAN, EvaluationFolder, RecordFile
from graphrag_neo4j.evaluate.judging import JudgeItem, blind_items
from graphrag_neo4j.evaluate.questions import check_asking, estimate_questions
from graphrag_neo4j.evaluate.steps import CallEstimate, Estimate
from graphrag_neo4j.evaluate.tables import cost_table, shares_table
from graphrag_neo4j.llm.endpoint import NO_MODEL
from graphrag_neo4j.llm.evaluate.judges import DEFINITIONS, Metric, Winner, plain_answer
from graphrag_neo4j.model.events import Event, Notice
from graphrag_neo4j.settings import Settings

__all__ = ["answers", "claims", "ground", "import_", "judge", "questions", "verdict"]

T = TypeVar("T")
INTERRUPTED: Final = 130
LISTED: Final = 10  # questions of a file that are listed one by one
MOST_REASONS: Final = 5
CHOICES: Final[dict[str, Winner]] = {"1": "first", "2": "second", "t": "tie"}
SKIP, QUIT = "s", "q"
UP_TO_50: Final = options.Number(least=1, most=50)

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


def _heard(
    evaluation: AsyncEvaluation,
    work: Callable[[], Coroutine[Any, Any, T]],
    kept: Callable[[], str],
    *,
    quiet: bool,
    fleeting: bool = False,
    told: set[str] | None = None,
) -> T:
    """Runs work of an evaluation with its progress, which is wiped at the end if it is `fleeting`.

    `kept` says what the folder holds, such as "37 answers saved." It is told, with how to go on,
    after Ctrl-C and where the cost limit is reached. `told` holds the notices that were told
    before: they are not told again, and new ones are added.
    """
    known = set[str]() if told is None else told

    async def opened() -> T:
        with listening(quiet=quiet, fleeting=fleeting) as listen:

            def hear(event: Event) -> None:
                if isinstance(event, Notice) and event.text in known:
                    return
                if isinstance(event, Notice):
                    known.add(event.text)
                listen(event)

            evaluation.listen = hear
            return await work()

    go_on = "Run the same command again to continue."
    try:
        return options.run(opened)
    except KeyboardInterrupt:
        terminal.line(f"The command was interrupted. {kept()} {go_on}", error=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BudgetSpentError as error:
        terminal.line(f"Error: {error} {kept()} {go_on}", error=True)
        raise click.exceptions.Exit(1) from None


def _make(
    evaluation: AsyncEvaluation,
    records: RecordFile[Any],
    noun: tuple[str, str],
    estimate: Callable[[], Coroutine[Any, Any, Estimate]],
    make: Callable[[], Coroutine[Any, Any, T]],
    *,
    yes: bool,
    quiet: bool,
) -> tuple[T, list[str]]:
    """Tells what a step will take and asks, makes its records, and tells what was made.

    `noun` names one of the `records`, and several. Returns what `make` returns, and the reasons of
    the records that failed.
    """
    before, told = {one.key: one for one in records}, set[str]()

    def new() -> list[Any]:
        return [one for one in records if before.get(one.key) is not one]

    def made() -> str:
        return counted(sum(one.failure is None for one in new()), *noun)

    def kept() -> str:
        return f"{made()} saved."

    todo = _heard(evaluation, estimate, kept, quiet=quiet, fleeting=True, told=told)
    if not quiet:
        of = f"{todo.there + todo.missing:,}"
        terminal.line(f"{counted(todo.there, *noun)} of {of} are there already.")
    _confirm(todo.steps, counted(todo.missing, *noun), yes=yes, quiet=quiet)
    result = _heard(evaluation, make, kept, quiet=quiet, told=told)
    if new() and not quiet:
        terminal.line(kept())
    return result, [one.failure for one in new() if one.failure]


def _confirm(steps: Sequence[CallEstimate], what: str, *, yes: bool, quiet: bool) -> None:
    """Tells what the next calls take, and asks whether to go on. Without calls it does nothing.

    `what` says what is made of them, such as "20 answers". Ends the command if the user says no.
    """
    calls = sum(step.calls for step in steps)
    if not calls:
        return
    if not quiet:
        rows = [
            (
                it.step,
                *(f"{n:,}" for n in (it.calls, it.input_tokens, it.output_tokens)),
                _cost([it]),
            )
            for it in steps
        ]
        if len(rows) > 1:
            terminal.table(("", "calls", "tokens in", "tokens out", "cost"), rows)
        sent, replied = sum(it.input_tokens for it in steps), sum(it.output_tokens for it in steps)
        terminal.line(
            f"{what} will take about {counted(calls, 'call')} with {sent:,} input tokens and "
            f"{replied:,} output tokens: {_cost(steps)}."
        )
    options.refuse_unasked(yes=yes)
    if not (yes or terminal.confirmed("Go on?")):
        terminal.line("Nothing more was done.")
        raise click.exceptions.Exit(1)


def _cost(steps: Sequence[CallEstimate]) -> str:
    if any(step.cost is None for step in steps):
        return "unknown cost"
    return f"about {money(sum(step.cost or 0 for step in steps))}"


def _refuse_failed(reasons: Sequence[str], *noun: str) -> None:
    """Ends the command with code 1 if records failed, and tells the most frequent reasons."""
    if not reasons:
        return
    failed = f"{counted(len(reasons), *noun)} failed."
    terminal.line(f"{failed} Run the same command again to retry.", style="yellow")
    for reason, times in Counter(reasons).most_common(MOST_REASONS):
        terminal.line(f"  {counted(times, 'time')}: {reason}")
    raise click.exceptions.Exit(1)


@click.command()
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
@options.home_option
@paying_options
def questions(
    folder: Path,
    file: Path | None,
    *,
    column: str | None,
    about: str | None,
    personas: int | None,
    tasks: int | None,
    questions: int | None,
    yes: bool,
    quiet: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Make the questions of the evaluation in FOLDER, or take your own from FILE.

    FILE is a .txt with one question on each line, or a .csv or .jsonl with a column question.
    Without FILE a model imagines users of your documents, tasks of each user, and questions about
    the whole collection for each task (arXiv 2404.16130, Algorithm 1). It reads only a description
    of the documents. Run the same command again to continue or to add questions.
    """
    evaluation = AsyncEvaluation(folder, options.settings_of(**values))
    settings, found = evaluation.settings, evaluation.folder
    if file:
        new = evaluation.add_questions(file, column)
        if not quiet:
            _tell_questions(found, len(new), 0)
        return
    check_asking(settings)
    options.refuse_unasked(yes=yes)
    if not (about or found.plan.description):
        try:
            about = _heard(
                evaluation,
                evaluation.describe,
                lambda: "Nothing was saved.",
                quiet=quiet,
                fleeting=True,
            )
        except ReplyError as error:
            reason = str(error).rstrip(".")
            raise InputError(
                f"There is no description of the documents, since {reason}. Describe them yourself "
                "by --about."
            ) from None
    found.change_plan(description=about, personas=personas, tasks=tasks, questions=questions)
    plan = found.plan
    if not quiet:
        terminal.line("The questions are made from this description of the documents:")
        terminal.line(f"  {plan.description}", style="bold")
        terminal.line(f"You can edit it in {folder / PLAN}, or give another by --about.")
    wanted = counted(plan.personas * plan.tasks * plan.questions, "question")
    _confirm([estimate_questions(found, settings)], f"Up to {wanted}", yes=yes, quiet=quiet)
    made = _heard(
        evaluation,
        evaluation.make_questions,
        lambda: _saved(found),
        quiet=quiet,
        fleeting=True,
    )
    if not quiet:
        _tell_questions(found, len(made.new), made.repeated)
    _refuse_failed(made.reasons, "call")


def _saved(folder: EvaluationFolder) -> str:
    n = len(folder.questions)
    return f"{counted(n, 'question')} {'is' if n == 1 else 'are'} saved."


def _tell_questions(folder: EvaluationFolder, new: int, repeated: int) -> None:
    """Tells how many questions there are."""
    terminal.line(f"{counted(new, 'new question')}. {_saved(folder)}")
    if repeated:
        terminal.line(
            f"{counted(repeated, 'question is a repetition', 'questions are repetitions')} of "
            "others and left out."
        )
    if len(folder.questions):
        terminal.line(f"`kg-build eval answers {folder.path}` has them answered.")


@click.command()
@folder_argument
@options.value(
    "-c --condition conditions",
    "CONDITION",
    "A condition that answers; repeat the option for several. C0 to C3, TS and SS are those of the "
    "paper. A method is one, too, with details: global:2, global:dynamic, local:ppr, local:hop, "
    "drift, basic, text. NAME=local,top_k_entities=20 sets more and gives it a name. They are "
    f"added to those of earlier runs. [default: {', '.join(PAPER)}]",
    multiple=True,
)
@options.value(
    "--window",
    "TOKENS",
    "The largest context of the conditions of the paper. [default: 8000]",
    type=options.Number(least=500),
)
@options.home_option
@paying_options
def answers(
    folder: Path,
    *,
    conditions: tuple[str, ...],
    window: int | None,
    yes: bool,
    quiet: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Have each condition answer each question of the evaluation in FOLDER.

    An answer is saved as soon as it is there, and is asked for again only if something that it
    depends on has changed: an option, a model, a prompt file, or the graph. Run the same command
    again to continue, and to try failed answers again.
    """
    evaluation = AsyncEvaluation(folder, options.settings_of(**values))
    evaluation.choose(conditions or None, window)
    noun = ("answer", "answers")
    _, reasons = _make(
        evaluation,
        evaluation.folder.answers,
        noun,
        evaluation.estimate_answers,
        evaluation.answer,
        yes=yes,
        quiet=quiet,
    )
    if not quiet:
        print_table(cost_table(evaluation.folder.current_answers().values()))
    _refuse_failed(reasons, *noun)


@click.command("import")
@folder_argument
@click.argument("file", type=file_argument, metavar="FILE")
@options.value(
    "--condition",
    "NAME",
    "The name of the other system in all tables, such as lightrag.",
    required=True,
)
def import_(folder: Path, file: Path, condition: str) -> None:
    """Take the answers of another system from FILE, to judge them beside the others in FOLDER.

    FILE has one JSON object on each line, with the fields question and answer, and if they are
    known: sources (a list of source and text), calls, input_tokens, output_tokens, context_tokens,
    units, cost and seconds. A question is matched by its text. The exit code is 1 if a line could
    not be used.
    """
    done = AsyncEvaluation(folder, options.settings_of()).import_answers(file, condition)
    new = counted(done.new, "new answer")
    terminal.line(f"{new} of {condition}, {done.there:,} were there already.")
    problems = {
        "The evaluation has no such question": done.unmatched,
        "The answer is empty": done.empty,
    }
    for problem, texts in problems.items():
        lines = [f"{problem}: {text}" for text in texts[:LISTED]]
        if len(texts) > LISTED:
            lines.append(f"{problem}: … and {len(texts) - LISTED:,} more.")
        for line in lines:
            terminal.line(line, style="red", error=True)
    if n := len(done.unanswered):
        left = f"{condition} has no answer to {counted(n, 'question')} of the evaluation."
        terminal.line(left, style="yellow")
    if done.unmatched or done.empty:
        raise click.exceptions.Exit(1)


def _judging_settings(model: str | None, **values: Any) -> Settings:  # noqa: ANN401 - settings
    """Returns the settings of a command in which a model judges; `model` is its --model.

    Raises InputError if no model is set.
    """
    settings = options.settings_of(judge_model=model, **values)
    if not settings.has_model:
        raise InputError(NO_MODEL)
    return settings


@click.command()
@folder_argument
@metric_option
@options.value(
    "--repeats",
    "N",
    "How often each comparison is made, in both orders. It is kept. [default: 5]",
    type=options.Number(least=1),
)
@condition_option
@paying_options
def judge(
    folder: Path,
    *,
    metrics: tuple[Metric, ...],
    repeats: int | None,
    conditions: tuple[str, ...],
    yes: bool,
    quiet: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Have a model compare the answers in FOLDER, two at a time and in both orders.

    --model names the judge; without it, KG_JUDGE_MODEL and then KG_MODEL are used. A verdict is
    saved as soon as it is there. Run the same command again to continue, and to ask again for
    verdicts that are missing. `kg-build eval results` shows what comes out.
    """
    evaluation = AsyncEvaluation(folder, _judging_settings(**values))
    evaluation.folder.change_plan(repeats=repeats)
    noun = ("verdict", "verdicts")
    _, reasons = _make(
        evaluation,
        evaluation.folder.verdicts,
        noun,
        lambda: evaluation.estimate_judge(metrics, conditions),
        lambda: evaluation.judge(metrics, conditions=conditions),
        yes=yes,
        quiet=quiet,
    )
    _refuse_failed(reasons, *noun)


@click.command()
@folder_argument
@paying_options
def claims(folder: Path, *, yes: bool, quiet: bool, **values: Any) -> None:  # noqa: ANN401 - settings
    """Find the claims that the answers in FOLDER make, three calls for ten sentences.

    --model names the model; without it, KG_JUDGE_MODEL and then KG_MODEL are used. Run the same
    command again to continue. `kg-build eval results` counts the claims.
    """
    evaluation = AsyncEvaluation(folder, _judging_settings(**values))
    noun = ("part of an answer", "parts of answers")
    _, reasons = _make(
        evaluation,
        evaluation.folder.claims,
        noun,
        evaluation.estimate_claims,
        evaluation.find_claims,
        yes=yes,
        quiet=quiet,
    )
    _refuse_failed(reasons, *noun)


@click.command()
@folder_argument
@options.flag("--reports", "Also judge the findings of the graph's community reports.")
@options.flag("--words", "Judge by words and vectors, even if a model is set. This costs nothing.")
@options.home_option
@paying_options
@options.json_option
def ground(
    folder: Path,
    *,
    reports: bool,
    words: bool,
    yes: bool,
    quiet: bool,
    as_json_: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Measure how far the answers in FOLDER rest on what they cite.

    For each condition, the command tells the share of its statements that carry a citation, the
    share of the cited statements that the cited text supports, and the share of the citations that
    lead to no text. A model judges sentence by sentence; its name is the setting KG_JUDGE_MODEL.
    Without a model, words and vectors judge. A sentence is judged once for each judge and text.
    """
    evaluation = AsyncEvaluation(folder, options.settings_of(**values))
    noun = ("cited sentence", "cited sentences")
    found, reasons = _make(
        evaluation,
        evaluation.folder.supports,
        noun,
        lambda: evaluation.estimate_ground(reports=reports, words=words),
        lambda: evaluation.ground(reports=reports, words=words),
        yes=yes,
        quiet=quiet or as_json_,
    )
    if not as_json_:
        print_table(shares_table("texts", found))
        _refuse_failed(reasons, *noun)
        return
    shares = ("cited_share", "supported_share", "placed_share")
    groups = [dataclasses.asdict(it) | {name: getattr(it, name) for name in shares} for it in found]
    terminal.json_text(options.as_json({"judge": found[0].judge, "groups": groups}))
    raise click.exceptions.Exit(int(any(one.missing for one in found)))


@click.command()
@folder_argument
@options.value(
    "--name",
    "NAME",
    "Your name in the records. The default is your user name on this computer.",
)
@metric_option
@condition_option
@options.value("--most", "N", "Stop after this many verdicts.", type=options.Number(least=1))
def verdict(
    folder: Path,
    *,
    name: str | None,
    metrics: tuple[Metric, ...],
    conditions: tuple[str, ...],
    most: int | None,
) -> None:
    """Compare answers of the evaluation in FOLDER yourself, two at a time.

    You see the question and two answers in random order, without their citations and without the
    names of their conditions. Each verdict is saved at once. Stop by q or Ctrl-C, and run the same
    command again to go on. The verdicts tell how far a judging model agrees with you.
    """
    if not terminal.can_ask():
        raise InputError("A person must type the verdicts: run the command in a terminal.")
    found = EvaluationFolder(folder)
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
    terminal.line(f"Question: {item.question}", style="bold")
    for number, answer in enumerate((item.first, item.second), start=1):
        terminal.line()
        terminal.line(f"Answer {number}", style="bold")
        for line in plain_answer(answer.text).splitlines():
            terminal.line(line)
    terminal.line()
    while True:
        asked = "Which answer is better? 1, 2, t (tie), s (skip), q (quit): "
        typed = terminal.prompt(asked).strip().casefold()
        if typed in {*CHOICES, SKIP, QUIT}:
            return typed
        terminal.line("Type 1, 2, t, s or q.")
