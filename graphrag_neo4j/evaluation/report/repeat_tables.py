"""The tables for another person: what is missing, and what the evaluation was made with."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Final

from graphrag_neo4j.evaluation.folder import EvaluationFolder
from graphrag_neo4j.evaluation.judge.comparisons import Judged
from graphrag_neo4j.evaluation.model import AnswerRecord, VerdictRecord, verdict_key
from graphrag_neo4j.evaluation.plan import PAPER
from graphrag_neo4j.evaluation.records import failure_of
from graphrag_neo4j.evaluation.report.tables import Cell, Column, Table
from graphrag_neo4j.ids import identify
from graphrag_neo4j.llm.evaluation import Judge
from graphrag_neo4j.llm.prompts import load_prompt
from graphrag_neo4j.settings import Settings

__all__ = ["missing_table", "repeat_tables"]

MISSING: Final = "What is missing or malformed"
REPEAT: Final = "How to repeat it"
MODEL: Final = "model "
PROMPTS: Final = (
    *("eval_description", "eval_personas", "eval_tasks", "eval_questions", "eval_judge"),
    *("eval_select", "eval_disambiguate", "eval_decompose", "eval_support"),
    *("answer", "map", "map_answer", "reduce", "prime", "rate"),
)


def missing_table(
    folder: EvaluationFolder,
    answers: Sequence[AnswerRecord],
    judged: Mapping[str, Sequence[Judged]],
    supports: Iterable[object],
) -> Table:
    """Returns what is missing, with the reason, and the citations that lead nowhere."""
    current = {one.key for one in answers}
    verdicts = [one for one in folder.verdicts if {one.first, one.second} <= current]
    rows: list[list[Cell]] = [
        *_without_answers(folder, answers),
        *_failures((f"answer of {one.condition}", one) for one in answers),
        *_dead(answers),
        *_failures((f"verdict by {one.judge} on {one.metric}", one) for one in verdicts),
        *_not_judged(folder, answers, judged),
        *_failures(("claims of a part of an answer", one) for one in folder.claims),
        *_failures(("verdict on a cited sentence", one) for one in supports),
    ]
    columns = (Column("what"), Column("how many", "count"), Column("reason"))
    note = (
        "What is missing counts in no table. Run the command that makes it again: it tries again "
        "what failed, and pays for nothing twice."
    )
    title = "Missing or malformed"
    return Table("missing", MISSING, title, columns, rows, note, "Nothing is missing.")


def _without_answers(folder: EvaluationFolder, answers: Sequence[AnswerRecord]) -> list[list[Cell]]:
    given = Counter(one.condition for one in answers)
    names = dict.fromkeys([*(one.name for one in folder.chosen()), *given])
    left = {name: len(folder.questions) - given[name] for name in names}
    return [
        [f"answer of {name}", n, "not asked yet, or the graph does not have this level"]
        for name, n in left.items()
        if n > 0
    ]


def _failures(records: Iterable[tuple[str, object]]) -> list[list[Cell]]:
    reasons = Counter((what, why) for what, one in records if (why := failure_of(one)) is not None)
    return [[what, n, why] for (what, why), n in reasons.most_common()]


def _dead(answers: Iterable[AnswerRecord]) -> list[list[Cell]]:
    dead = Counter[str]()
    for one in answers:
        dead[one.condition] += len(one.dead)
    return [
        [f"place of a citation of {name}", n, "it leads to no text"]
        for name, n in dead.items()
        if n
    ]


def _not_judged(
    folder: EvaluationFolder,
    answers: Iterable[AnswerRecord],
    judged: Mapping[str, Sequence[Judged]],
) -> list[list[Cell]]:
    """Tells how many verdicts of the plan each model has not been asked for."""
    plan, there = folder.plan, [one for one in answers if one.failure is None]
    of_question = Counter(one.question for one in there)
    pairs = sum(n * (n - 1) // 2 for n in of_question.values())
    wanted = pairs * len(plan.metrics) * plan.repeats * 2
    rows: list[list[Cell]] = []
    for judge, verdicts in judged.items():
        asked = sum(
            one.comparison.metric in plan.metrics and one.comparison.repeat <= plan.repeats
            for one in verdicts
        )
        if judge.startswith(MODEL) and asked < wanted:
            rows.append([f"verdict by {judge}", wanted - asked, "not asked yet"])
    return rows


def repeat_tables(
    folder: EvaluationFolder, answers: Sequence[AnswerRecord], settings: Settings
) -> list[Table]:
    """Returns the plan, what each condition was made with, models, prompts and command lines."""
    value = (Column("what"), Column("value"))
    plan = [[name, _written(given)] for name, given in asdict(folder.plan).items()]
    program: list[Cell] = ["version of graphrag-neo4j", version("graphrag-neo4j")]
    return [
        Table("plan", REPEAT, "The plan", value, [program, *plan], "The file evaluation.json."),
        _made_with(answers),
        _judges(folder, answers, settings),
        _prompts(settings),
        _commands(folder),
    ]


def _written(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _made_with(answers: Sequence[AnswerRecord]) -> Table:
    made = Counter(
        (one.condition, name, value)
        for one in answers
        if one.failure is None
        for name, value in one.made_with.items()
    )
    rows: list[list[Cell]] = [
        [condition, name, value, n] for (condition, name, value), n in made.items()
    ]
    columns = (Column("condition"), Column("what"), Column("value"), Column("answers", "count"))
    note = (
        "The settings, models and hashes that each answer depends on. If a name has two values, "
        "something was changed between the answers. Imported answers say nothing about theirs."
    )
    empty = "There are no answers that say what they were made with."
    title = "What the answers were made with"
    return Table("made with", REPEAT, title, columns, rows, note, empty)


def _judges(folder: EvaluationFolder, answers: Sequence[AnswerRecord], settings: Settings) -> Table:
    current = {one.key for one in answers}
    verdicts = [one for one in folder.verdicts if {one.first, one.second} <= current]
    rows: list[list[Cell]] = []
    for judge, n in Counter(one.judge for one in verdicts).items():
        of_judge = [one for one in verdicts if one.judge == judge]
        rows.append(
            [judge, n, max(one.repeat for one in of_judge), _same(judge, of_judge, settings)]
        )
    for (model, made), n in Counter((one.model, one.made_with) for one in folder.claims).items():
        rows.append([f"claims by model {model}", n, None, f"steps with the hash {made[:16]}"])
    columns = (
        Column("judge"),
        Column("records", "count"),
        Column("repeats", "count"),
        Column("prompt"),
    )
    empty = "There are no verdicts and no claims yet."
    return Table("judges", REPEAT, "Judges and their prompts", columns, rows, "", empty)


def _same(judge: str, verdicts: Sequence[VerdictRecord], settings: Settings) -> str:
    """Says how many verdicts of a model were made with the prompt that would be used now."""
    if not judge.startswith(MODEL):
        return "a person, who does not see the conditions"
    signature = Judge(settings.changed(judge_model=judge.removeprefix(MODEL))).signature
    same = sum(
        one.key == verdict_key(one.metric, (one.first, one.second), judge, one.repeat, signature)
        for one in verdicts
    )
    return f"{same:,} of {len(verdicts):,} records are made with the prompt eval_judge listed below"


def _prompts(settings: Settings) -> Table:
    rows = []
    for name in PROMPTS:
        prompt = load_prompt(name, settings.prompts)
        whose = "of the program" if prompt.is_ours else "your own"
        rows.append([name, whose, identify("prompt", prompt.text)[:16]])
    columns = (Column("prompt"), Column("whose"), Column("hash"))
    note = "The prompts as they were when this report was written."
    return Table("prompts", REPEAT, "Prompts", columns, rows, note)


def _commands(folder: EvaluationFolder) -> Table:
    plan, there = folder.plan, shlex.quote(str(folder.path))
    about = f" --about {shlex.quote(plan.description)}" if plan.description else ""
    numbers = f" --personas {plan.personas} --tasks {plan.tasks} --questions {plan.questions}"
    chosen = "".join(f" -c {shlex.quote(one)}" for one in plan.conditions or PAPER)
    lines = [f"kg-build eval questions {there}{about}{numbers}"]
    lines.append(f"kg-build eval answers {there}{chosen} --window {plan.window}")
    judges = dict.fromkeys(one.judge for one in folder.verdicts)
    models = [one.removeprefix(MODEL) for one in judges if one.startswith(MODEL)]
    metrics = "".join(f" --metric {one}" for one in plan.metrics)
    lines += [
        f"kg-build eval judge {there}{metrics} --repeats {plan.repeats} --model {shlex.quote(one)}"
        for one in models
    ]
    claims = dict.fromkeys(one.model for one in folder.claims)
    lines += [f"kg-build eval claims {there} --model {shlex.quote(one)}" for one in claims]
    reports = " --reports" if len(folder.findings) else ""
    lines += [f"kg-build eval ground {there}{reports}", f"kg-build eval report {there}"]
    note = (
        "These commands ask for the same again. The questions that were asked are in "
        "questions.jsonl: copy this file to ask the same ones. Answers of other systems are added "
        "by `kg-build eval import`."
    )
    rows = [[line] for line in lines]
    return Table("commands", REPEAT, "Command lines", (Column("command"),), rows, note)
