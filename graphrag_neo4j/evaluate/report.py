"""The report of an evaluation: its tables and comparisons as a web page, Markdown and CSV.

    folder ──read_report──▶ Report ──▶ page()       one HTML file
                                   ├─▶ markdown()   its tables
                                   └─▶ csv_files()  one file for each table, answers and verdicts

It asks no model and needs no Neo4j, but the extra `eval`. The tables of the page are plain HTML;
its answers and verdicts are packed data, and a script draws a comparison when asked for. Texts of
documents and models become neither HTML nor Markdown nor a formula.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations, groupby
from pathlib import Path
from string import Template
from typing import Any, Final

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate.answer_claims import claims_in
from graphrag_neo4j.evaluate.conditions import PAPER
from graphrag_neo4j.evaluate.folder import EvaluationFolder
from graphrag_neo4j.evaluate.groundedness import compared_in
from graphrag_neo4j.evaluate.judging import judged_by
from graphrag_neo4j.evaluate.records import METRICS, AnswerRecord, QuestionRecord, VerdictRecord
from graphrag_neo4j.evaluate.statistics import preferences
from graphrag_neo4j.evaluate.tables import (
    Cell,
    Table,
    agreement_table,
    claim_tables,
    cost_table,
    explained_once,
    formatted,
    groundedness_tables,
    missing_table,
    record_tables,
    repeat_tables,
    verdict_tables,
)
from graphrag_neo4j.integrations.explore.web_page import CONTROLS, content_policy, packed
from graphrag_neo4j.llm.evaluate.judges import DEFINITIONS
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.files import data

__all__ = ["Report", "comparisons_data", "read_report"]

LONG: Final = 60  # rows; a longer table is folded
# Of all answers, passages and reasons together: with more, the page gives the reasons of the first
# repeat only, and stays below 10 MB. A character of English takes about 0.46 bytes there.
MOST_CHARACTERS: Final = 20_000_000
WINNERS: Final = {"tie": 0, "first": 1, "second": 2, None: 3}
SWAPPED: Final = 10
MARKS: Final = re.compile(r"([\\`*_\[\]<>|#~&])")
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Report:
    """The report of an evaluation.

    `facts` are sentences that say what there is. `tables` are in the order in which they are shown.
    """

    title: str
    facts: Sequence[str]
    tables: Sequence[Table]
    folder: EvaluationFolder
    settings: Settings
    answers: Sequence[AnswerRecord]
    verdicts: Sequence[VerdictRecord]
    conditions: Sequence[str]

    def page(self) -> str:
        """Returns the complete HTML page, which needs no network."""
        return _page_of(
            self.title,
            self.facts,
            self.tables,
            questions=self.folder.questions,
            answers=self.answers,
            verdicts=self.verdicts,
            order=self.conditions,
        )

    def markdown(self) -> str:
        """Returns the tables as Markdown."""
        return _markdown_of(self.title, self.facts, self.tables)

    def csv_files(self) -> dict[str, str]:
        """Returns the content of a CSV file for each table, by the name of the file.

        Three more are for the answers, the verdicts, and the judged sentences.
        """
        records = record_tables(self.folder, self.answers, self.verdicts, self.settings)
        return _csv_of([*self.tables, *records])


def read_report(folder: str | Path, settings: Settings, *, title: str | None = None) -> Report:
    """Reads the report of the evaluation in a folder.

    `settings` say where your own prompt files are. Raises InputError if the folder holds no
    evaluation or nothing to report yet, or a file that can't be read.
    """
    found = EvaluationFolder(folder)
    if not found.exists:
        raise InputError(
            f"{folder} holds no evaluation. `kg-build eval questions {folder}` begins one."
        )
    answers = list(found.current_answers().values())
    if not (answers or len(found.findings)):
        raise InputError(
            f"There is nothing to report in {folder}, since it holds no answers: "
            f"`kg-build eval answers {folder}` makes them."
        )
    given = found.conditions()
    order = [one for one in PAPER if one in given] + [one for one in given if one not in PAPER]
    answers.sort(key=lambda one: order.index(one.condition))
    verdicts, judged = _current(found, answers), judged_by(found.verdicts, answers)
    there = [one for one in answers if one.failure is None]
    names = ", ".join(dict.fromkeys(one.condition for one in there))
    n = sum(one.failure is None for one in verdicts)
    facts = [
        *([f"Documents: {found.plan.description}"] if found.plan.description else []),
        f"Questions: {len(found.questions):,}",
        f"Answers: {len(there):,}" + (f", by {names}" if names else ""),
        f"Verdicts: {n:,}" + (f", by {', '.join(judged)}" if judged else ""),
        *(f"{judge}: {' '.join(preferences(of))}" for judge, of in judged.items()),
    ]
    tables = [
        *verdict_tables(judged, order),
        agreement_table(judged, compared_in(found, settings)),
        *claim_tables(claims_in(found), judged, order),
        *groundedness_tables(found, answers, settings),
        cost_table(answers),
        missing_table(found, answers),
        *repeat_tables(found, answers),
    ]
    name = title or f"Evaluation: {found.path.resolve().name}"
    return Report(name, facts, tables, found, settings, answers, verdicts, order)


def _current(folder: EvaluationFolder, answers: Sequence[AnswerRecord]) -> list[VerdictRecord]:
    """Returns the verdicts that count: those on these answers, of each comparison the last one."""
    question = {one.key: one.question for one in answers if one.failure is None}
    last = {
        (one.judge, one.metric, one.repeat, one.first, one.second): one
        for one in folder.verdicts
        if one.first in question and question[one.first] == question.get(one.second)
    }
    return list(last.values())


def _page_of(
    title: str,
    facts: Sequence[str],
    tables: Sequence[Table],
    *,
    questions: Iterable[QuestionRecord],
    answers: Sequence[AnswerRecord],
    verdicts: Sequence[VerdictRecord],
    order: Sequence[str],
) -> str:
    """Returns the complete HTML page. `order` is that of the conditions."""

    def file(name: str) -> str:
        return data(f"evaluation/{name}").read_text(encoding="utf-8")

    # A rule for each whole win rate: the share of the colour in the ground of its cell.
    grounds = [
        f".r{n}{{--hue:var(--{'less' if n < 50 else 'more'});--part:{abs(2 * n - 100)}%}}"
        for n in range(101)
    ]
    style = file("report.css") + "\n".join(grounds)
    script = "\n".join(file(f"{name}.js") for name in ("answer", "comparison", "main"))
    parts = groupby(explained_once(tables), lambda one: one.part)
    drawn = {name: _part(list(of_part)) for name, of_part in parts}
    sections = (
        f'<section id="part-{n}"><h2>{_shown(name)}</h2>{part}</section>'
        for n, (name, part) in enumerate(drawn.items())
    )
    links = (f'<li><a href="#part-{n}">{_shown(name)}</a></li>' for n, name in enumerate(drawn))
    return Template(file("report.html")).substitute(
        title=_shown(title),
        policy=content_policy(style, script),
        style=style,
        script=script,
        links="".join(links),
        facts="".join(f"<li>{_shown(fact)}</li>" for fact in facts),
        parts="".join(sections),
        data=packed(comparisons_data(questions, answers, verdicts, order)),
    )


def _shown(text: str) -> str:
    return escape(CONTROLS.sub("\ufffd", text))


def _sentences(text: str) -> str:
    """Returns our own sentences, with commands between ` and ` as code."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", _shown(text))


def _part(tables: Sequence[Table]) -> str:
    """Returns the tables of a part: first those on coloured ground, beside one another."""
    heats, maps = [one for one in tables if one.heat], ""
    if heats:
        drawn = "".join(_drawn(one, f"<caption>{_shown(one.title)}</caption>") for one in heats)
        maps = f'<p class="note">{_sentences(heats[0].note)}</p><div class="maps">{drawn}</div>'
    return maps + "".join(_table(one) for one in tables if not one.heat)


def _table(table: Table) -> str:
    head = f"<h3>{_shown(table.title)}</h3>"
    if not table.rows:
        return f'{head}<p class="empty">{_sentences(table.empty)}</p>'
    note = f'<p class="note">{_sentences(table.told)}</p>' if table.told else ""
    drawn = _drawn(table)
    if len(table.shown) > LONG:
        drawn = f"<details><summary>{len(table.shown):,} rows</summary>{drawn}</details>"
    terms = "".join(
        f"<dt>{_shown(one.name)}</dt><dd>{_shown(one.meaning)}</dd>"
        for one in table.columns
        if one.meaning
    )
    return f"{head}{note}{drawn}" + (f'<dl class="terms">{terms}</dl>' if terms else "")


def _drawn(table: Table, caption: str = "") -> str:
    kinds = ["" if one.form == "text" else ' class="n"' for one in table.columns]
    heads = "".join(
        f'<th scope="col"{kind}>{_shown(one.name)}</th>'
        for one, kind in zip(table.columns, kinds, strict=True)
    )
    rows = []
    for row in table.shown:
        cells = []
        for value, one, kind in zip(row, table.columns, kinds, strict=True):
            text = _shown(formatted(value, one.form))
            ground = f' class="r{round(value)}"' if isinstance(value, float) else ""
            cells.append(f"<td{ground if table.heat else kind}>{text}</td>")
        first = cells[0].replace("<td", '<th scope="row"', 1).replace("</td>", "</th>")
        rows.append(f"<tr>{first}{''.join(cells[1:])}</tr>")
    heat = ' class="heat"' if table.heat else ""
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{_shown(table.title)}">'
        f"<table{heat}>{caption}<thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def comparisons_data(
    questions: Iterable[QuestionRecord],
    answers: Sequence[AnswerRecord],
    verdicts: Sequence[VerdictRecord],
    order: Sequence[str],
) -> dict[str, object]:
    """Returns the answers and verdicts of the page as JSON values; the scripts read this form.

        questions    [text, persona, task]
        answers      [question, condition, text, [[citation, passage, quote], …], [dead, …]]
        passages     [source, text]
        comparisons  [answer, other answer, [metric, judge, repeat, winner, reason, …]]

    Each text stands once: numbers are places in these lists, and in `conditions`, `metrics`,
    `judges` and `reasons`. The winner is 0 for a tie, 1 and 2 for the two answers in the order in
    which the judge saw them, 3 for a missing verdict; 10 more if the judge saw the other answer
    first. With `kept`, only the reasons up to this repeat are there.
    """
    asked = list(questions)
    number = {one.key: n for n, one in enumerate(asked)}
    there = [one for one in answers if one.failure is None]
    passages, judges, reasons = dict[Any, int](), dict[Any, int](), dict[Any, int]()

    def place(value: object, known: dict[Any, int]) -> int:
        return known.setdefault(value, len(known))

    drawn = [
        [
            *(number[one.question], order.index(one.condition), one.text),
            [[of.citation, place((of.source, of.text), passages), of.quote] for of in one.sources],
            list(one.dead),
        ]
        for one in there
    ]
    texts = [*(one.text for one in there), *(text for _, text in passages)]
    size = sum(map(len, texts)) + sum(len(one.reason) for one in verdicts)
    kept = 1 if size > MOST_CHARACTERS else 0
    of_question: dict[str, list[int]] = {}
    for n, one in enumerate(there):
        of_question.setdefault(one.question, []).append(n)
    found: dict[tuple[int, int], list[int]] = {
        pair: [] for of in of_question.values() for pair in combinations(of, 2)
    }
    places = {one.key: n for n, one in enumerate(there)}
    for each in verdicts:
        first, second = places[each.first], places[each.second]
        found[min(first, second), max(first, second)] += [
            METRICS.index(each.metric),
            place(each.judge, judges),
            each.repeat,
            WINNERS[each.winner] + (SWAPPED if second < first else 0),
            place(each.failure or ("" if kept and each.repeat > kept else each.reason), reasons),
        ]
    return {
        "conditions": list(order),
        "metrics": [[name, DEFINITIONS[name]] for name in METRICS],
        "questions": [[one.text, one.persona, one.task] for one in asked],
        "answers": drawn,
        "comparisons": [[*pair, rows] for pair, rows in found.items()],
        "passages": list(passages),
        "judges": list(judges),
        "reasons": list(reasons),
        "kept": kept,
    }


def _markdown_of(title: str, facts: Sequence[str], tables: Iterable[Table]) -> str:
    """Returns the tables as a Markdown document."""
    lines = [f"# {_plain(title)}", "", *(f"- {_plain(fact)}" for fact in facts)]
    part = ""
    for table in explained_once(tables):
        if table.part != part:
            part = table.part
            lines += ["", f"## {part}"]
        lines += ["", f"### {_plain(table.title)}", ""]
        if not table.rows:
            lines.append(table.empty)
            continue
        columns = table.columns
        if table.told:
            lines += [_plain(table.told).replace("\\`", "`"), ""]
        lines.append(_row(_plain(one.name) for one in columns))
        lines.append(_row("---" if one.form == "text" else "---:" for one in columns))
        for row in table.shown:
            cells = (formatted(value, one.form) for value, one in zip(row, columns, strict=True))
            lines.append(_row(map(_plain, cells)))
        meanings = [f"- {one.name}: {one.meaning}." for one in columns if one.meaning]
        lines += ["", *meanings] if meanings else []
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return MARKS.sub(r"\\\1", CONTROLS.sub(" ", text))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _csv_of(tables: Iterable[Table]) -> dict[str, str]:
    """Returns the content of a CSV file for each table that has rows, by the name of the file.

    Numbers stand there as they are: a share is between 0 and 1, and what is not known is empty. A
    text that a spreadsheet would take for a formula gets a quotation mark before it.
    """
    files: dict[str, str] = {}
    for table in tables:
        if not table.rows:
            continue
        written = io.StringIO(newline="")
        writer = csv.writer(written)
        writer.writerow([column.name for column in table.columns])
        writer.writerows([_safe(value) for value in row] for row in table.rows)
        stem = re.sub(r"[^\w-]+", "-", table.name).strip("-")[:80]
        names = (f"{stem}{f'-{n}' if n > 1 else ''}.csv" for n in range(1, len(files) + 2))
        files[next(name for name in names if name not in files)] = written.getvalue()
    return files


def _safe(value: Cell) -> Cell:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
