"""The report of an evaluation: its tables and comparisons as a web page, Markdown and CSV.

    folder ──read_evaluation──▶ Report ──▶ page()       one HTML file
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
from graphrag_neo4j.extras.evaluate.conditions import PAPER
from graphrag_neo4j.extras.evaluate.folder import METRICS, EvaluationFolder
from graphrag_neo4j.extras.evaluate.judging import judged_by
from graphrag_neo4j.extras.evaluate.statistics import preferences
from graphrag_neo4j.extras.evaluate.tables import (
    Cell,
    Results,
    ResultTable,
    explained_once,
    record_tables,
    result_tables,
)
from graphrag_neo4j.extras.evaluate.tasks.judges import DEFINITIONS
from graphrag_neo4j.files import data
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.web.page import CONTROLS, content_policy, packed, shared_parts

LONG: Final = 60  # rows; a longer table is folded
WINNERS: Final = {"tie": 0, "first": 1, "second": 2, None: 3}
SWAPPED: Final = 10
MARKS: Final = re.compile(r"([\\`*_\[\]<>|#~&])")
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Report:
    """The report of an evaluation.

    `facts` are sentences that say what there is. `tables` show the `results`, in the order in which
    they are shown.
    """

    title: str
    facts: Sequence[str]
    tables: Sequence[ResultTable]
    results: Results

    def page(self) -> str:
        """Returns the complete HTML page, which needs no network."""

        def file(name: str) -> str:
            return data(f"evaluation/{name}").read_text(encoding="utf-8")

        # A rule for each whole win rate: the share of the colour in the ground of its cell.
        grounds = [
            f".r{n}{{--hue:var(--{'less' if n < 50 else 'more'});--part:{abs(2 * n - 100)}%}}"
            for n in range(101)
        ]
        shared, script = shared_parts()
        style = file("report.css") + shared + "\n".join(grounds)
        for name in ("answer", "comparison", "found", "main"):
            script += "\n" + file(f"{name}.js")
        parts, links = list[str](), list[str]()
        for name, tables in groupby(explained_once(self.tables), lambda one: one.part):
            at = f"part-{len(parts)}"
            links.append(f'<li><a href="#{at}">{_shown(name)}</a></li>')
            parts.append(f'<section id="{at}"><h2>{_shown(name)}</h2>{_part(tables)}</section>')
        return Template(file("report.html")).substitute(
            title=_shown(self.title),
            policy=content_policy(style, script),
            style=style,
            script=script,
            links="".join(links),
            facts="".join(f"<li>{_shown(fact)}</li>" for fact in self.facts),
            parts="".join(parts),
            data=packed(_comparisons(self)),
        )

    def markdown(self) -> str:
        """Returns the tables as Markdown."""
        lines = [f"# {_plain(self.title)}", "", *(f"- {_plain(fact)}" for fact in self.facts)]
        for part, tables in groupby(explained_once(self.tables), lambda one: one.part):
            lines += ["", f"## {part}"]
            for table in tables:
                lines += ["", f"### {_plain(table.title)}", "", *_markdown_of(table)]
        return "\n".join(lines) + "\n"

    def csv_files(self) -> dict[str, str]:
        """Returns the content of a CSV file for each table with rows, by the name of the file.

        Three more are for the answers, the verdicts, and the judged sentences. Numbers stand there
        as they are: a share is between 0 and 1, and what is not known is empty. A text that a
        spreadsheet would take for a formula gets a quotation mark before it.
        """
        files: dict[str, str] = {}
        for table in filter(lambda one: one.rows, [*self.tables, *record_tables(self.results)]):
            written = io.StringIO(newline="")
            writer = csv.writer(written)
            writer.writerow([column.name for column in table.columns])
            writer.writerows([_safe(value) for value in row] for row in table.rows)
            stem = re.sub(r"[^\w-]+", "-", table.name).strip("-")[:80]
            names = (f"{stem}{f'-{n}' if n > 1 else ''}.csv" for n in range(1, len(files) + 2))
            files[next(name for name in names if name not in files)] = written.getvalue()
        return files


def read_evaluation(folder: str | Path, settings: Settings, *, title: str | None = None) -> Report:
    """Reads the report of the evaluation in a folder.

    `settings` say where your own prompt files are. Raises InputError if the folder holds no
    evaluation or nothing to report yet, or a file that can't be read.
    """
    found = EvaluationFolder.begun(folder)
    answers = list(found.current_answers().values())
    if not (answers or len(found.findings)):
        raise InputError(
            f"{folder} holds no answers yet: `kg-build eval answers {folder}` makes them."
        )
    order = sorted(found.conditions(), key=lambda one: (*PAPER, one).index(one))
    answers.sort(key=lambda one: order.index(one.condition))
    there = [one for one in answers if one.failure is None]
    judged = judged_by(found.verdicts, there)
    names = ", ".join(dict.fromkeys(one.condition for one in there))
    n = sum(one.winner is not None for of in judged.values() for one in of)
    facts = [
        *([f"Documents: {found.plan.description}"] if found.plan.description else []),
        f"Questions: {len(found.questions):,}",
        f"Answers: {len(there):,}" + (f", by {names}" if names else ""),
        f"Verdicts: {n:,}" + (f", by {', '.join(judged)}" if judged else ""),
        *(f"{judge}: {' '.join(preferences(of))}" for judge, of in judged.items()),
    ]
    results = Results(found, settings, answers, judged, order)
    title = title or f"Evaluation: {found.path.resolve().name}"
    return Report(title, facts, result_tables(results), results)


def _shown(text: str) -> str:
    return escape(CONTROLS.sub("\ufffd", text))


def _sentences(text: str) -> str:
    """Returns our own sentences, with commands between ` and ` as code."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", _shown(text))


def _part(tables: Iterable[ResultTable]) -> str:
    """Returns the tables of a part: first those on coloured ground, beside one another."""
    heats, others = list[ResultTable](), list[str]()
    for table in tables:
        head = f"<h3>{_shown(table.title)}</h3>"
        if table.heat:
            heats.append(table)
        elif not table.rows:
            others.append(f'{head}<p class="empty">{_sentences(table.empty)}</p>')
        else:
            note = f'<p class="note">{_sentences(table.told)}</p>' if table.told else ""
            drawn = _drawn(table)
            if len(table.shown) > LONG:
                drawn = f"<details><summary>{len(table.shown):,} rows</summary>{drawn}</details>"
            terms = "".join(
                f"<dt>{_shown(one.name)}</dt><dd>{_shown(one.meaning)}</dd>"
                for one in table.meanings
            )
            drawn += f'<dl class="terms">{terms}</dl>' if terms else ""
            others.append(head + note + drawn)
    maps = "".join(map(_drawn, heats))
    if heats:
        maps = f'<p class="note">{_sentences(heats[0].note)}</p><div class="maps">{maps}</div>'
    return maps + "".join(others)


def _drawn(table: ResultTable) -> str:
    kinds = ["" if one.is_text else ' class="n"' for one in table.columns]
    names = zip(table.columns, kinds, strict=True)
    heads = "".join(f'<th scope="col"{kind}>{_shown(one.name)}</th>' for one, kind in names)
    rows = []
    for shown, row in zip(table.shown, table.rows, strict=False):  # only the first are shown
        cells = [f'<th scope="row">{_shown(shown[0])}</th>']
        for text, value, kind in zip(shown[1:], row[1:], kinds[1:], strict=True):
            ground = f' class="r{round(value)}"' if isinstance(value, float) else ""
            cells.append(f"<td{ground if table.heat else kind}>{_shown(text)}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    title, heat = _shown(table.title), ' class="heat"' if table.heat else ""
    caption = f"<caption>{title}</caption>" if table.heat else ""
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{title}"><table{heat}>{caption}'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _comparisons(report: Report) -> dict[str, object]:
    """Returns the answers and verdicts of the page as JSON values; the scripts read this form.

        questions    [text, persona, task]
        answers      [question, condition, text, [[citation, passage, quote], …], [dead, …]]
        passages     [source, text]
        comparisons  [answer, other answer, [metric, judge, repeat, winner, reason, …]]
        tests        the rows of the table of tests, for each of `judges`

    Each text stands once: numbers are places in these lists, and in `conditions`, `metrics`,
    `judges` and `reasons`. The winner is 0 for a tie, 1 and 2 for the two answers in the order in
    which the judge saw them, 3 for a missing verdict; 10 more if the judge saw the other answer
    first.
    """
    results, there = report.results, report.results.given
    asked, order = list(results.folder.questions), list(results.order)
    number = {one.key: n for n, one in enumerate(asked)}
    passages, reasons = dict[Any, int](), dict[Any, int]()

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
    of_question: dict[str, list[int]] = {}
    for n, one in enumerate(there):
        of_question.setdefault(one.question, []).append(n)
    found: dict[tuple[int, int], list[int]] = {
        pair: [] for of in of_question.values() for pair in combinations(of, 2)
    }
    places = {(one.question, one.condition): n for n, one in enumerate(there)}
    for judge, verdicts in enumerate(results.judged.values()):
        for each in verdicts:
            of = each.comparison
            first, second = (places[of.question, condition] for condition in of.shown)
            found[min(first, second), max(first, second)] += [
                METRICS.index(of.metric),
                judge,
                of.repeat,
                WINNERS[each.winner] + (SWAPPED if second < first else 0),
                place(each.reason, reasons),
            ]
    return {
        "conditions": order,
        "metrics": [[name, DEFINITIONS[name]] for name in METRICS],
        "questions": [[one.text, one.persona, one.task] for one in asked],
        "answers": drawn,
        "comparisons": [[*pair, rows] for pair, rows in found.items()],
        "passages": list(passages),
        "judges": list(results.judged),
        "tests": [one.rows for one in report.tables if one.kind == "tests"],
        "reasons": list(reasons),
    }


def _markdown_of(table: ResultTable) -> list[str]:
    if not table.rows:
        return [table.empty]
    rows = [
        [_plain(one.name) for one in table.columns],
        ["---" if one.is_text else "---:" for one in table.columns],
        *(map(_plain, row) for row in table.shown),
    ]
    meanings = [f"- {one.name}: {one.meaning}." for one in table.meanings]
    return [
        *([_plain(table.told).replace("\\`", "`"), ""] if table.told else []),
        *(f"| {' | '.join(row)} |" for row in rows),
        *(["", *meanings] if meanings else []),
    ]


def _plain(text: str) -> str:
    return MARKS.sub(r"\\\1", CONTROLS.sub(" ", text))


def _safe(value: Cell) -> Cell:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
