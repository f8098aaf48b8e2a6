"""Writes a report as one web page, which needs no network.

The tables are plain HTML. The answers and verdicts are packed data, and a script draws a comparison
when it is asked for. Texts of documents and models never become HTML.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from string import Template
from typing import Final

from graphrag_neo4j.evaluation.report.tables import Cell, Column, Table, explained_once, formatted
from graphrag_neo4j.resources import data
from graphrag_neo4j.visualization.web_page import CONTROLS, content_policy, packed

__all__ = ["page_of"]

LONG: Final = 60  # rows; a longer table is folded
SOURCES: Final = ("answer", "comparison", "main")


def page_of(
    title: str, facts: Sequence[str], tables: Sequence[Table], content: Mapping[str, object]
) -> str:
    """Returns the complete HTML page. `content` is what `comparisons_data` returns."""
    style = _file("report.css") + _grounds()
    script = "\n".join(_file(f"{name}.js") for name in SOURCES)
    parts = [
        (name, list(group)) for name, group in groupby(explained_once(tables), lambda one: one.part)
    ]
    return Template(_file("report.html")).substitute(
        title=_shown(title),
        policy=content_policy(style, script),
        style=style,
        script=script,
        links="".join(
            f'<li><a href="#part-{n}">{_shown(name)}</a></li>' for n, (name, _) in enumerate(parts)
        ),
        facts="".join(f"<li>{_shown(fact)}</li>" for fact in facts),
        parts="".join(_part(n, name, of_part) for n, (name, of_part) in enumerate(parts)),
        data=packed(content),
    )


def _file(name: str) -> str:
    return data(f"evaluation/{name}").read_text(encoding="utf-8")


def _grounds() -> str:
    """Returns a rule for each whole win rate: the share of the colour in the ground of its cell."""
    above = (f".r{n}{{--hue:var(--more);--part:{2 * n - 100}%}}" for n in range(50, 101))
    below = (f".r{n}{{--hue:var(--less);--part:{100 - 2 * n}%}}" for n in range(50))
    return "\n".join([*below, *above])


def _shown(text: str) -> str:
    return escape(CONTROLS.sub("\ufffd", text))


def _sentences(text: str) -> str:
    """Returns our own sentences, with commands between ` and ` as code."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", _shown(text))


def _part(n: int, name: str, tables: Sequence[Table]) -> str:
    heats = [_heat(one) for one in tables if one.heat]
    maps = ""
    if heats:
        note = "".join(one.note for one in tables if one.heat)
        maps = f'<p class="note">{_sentences(note)}</p><div class="maps">{"".join(heats)}</div>'
    others = "".join(_table(one) for one in tables if not one.heat)
    return f'<section id="part-{n}"><h2>{_shown(name)}</h2>{maps}{others}</section>'


def _table(table: Table) -> str:
    head = f"<h3>{_shown(table.title)}</h3>"
    if not table.rows:
        return f'{head}<p class="empty">{_sentences(table.empty)}</p>'
    told = " ".join(filter(None, (table.note, table.left_out)))
    note = f'<p class="note">{_sentences(told)}</p>' if told else ""
    rows = "".join(f"<tr>{_cells(row, table.columns)}</tr>" for row in table.shown)
    drawn = (
        f'<div class="wide" tabindex="0" role="region" aria-label="{_shown(table.title)}"><table>'
        f"<thead><tr>{_heads(table.columns)}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    if len(table.shown) > LONG:
        drawn = f"<details><summary>{len(table.shown):,} rows</summary>{drawn}</details>"
    return f"{head}{note}{drawn}{_meanings(table.columns)}"


def _meanings(columns: Sequence[Column]) -> str:
    terms = "".join(
        f"<dt>{_shown(one.name)}</dt><dd>{_shown(one.meaning)}</dd>"
        for one in columns
        if one.meaning
    )
    return f'<dl class="terms">{terms}</dl>' if terms else ""


def _heads(columns: Sequence[Column]) -> str:
    return "".join(
        f'<th scope="col"{_kind(column)}>{_shown(column.name)}</th>' for column in columns
    )


def _kind(column: Column) -> str:
    return "" if column.form == "text" else ' class="n"'


def _cells(row: Sequence[Cell], columns: Sequence[Column]) -> str:
    shown = [_shown(formatted(value, one.form)) for value, one in zip(row, columns, strict=True)]
    rest = (
        f"<td{_kind(one)}>{text}</td>" for text, one in zip(shown[1:], columns[1:], strict=True)
    )
    return f'<th scope="row">{shown[0]}</th>{"".join(rest)}'


def _heat(table: Table) -> str:
    rows = "".join(
        f'<tr><th scope="row">{_shown(str(row[0]))}</th>{"".join(map(_square, row[1:]))}</tr>'
        for row in table.rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{_shown(table.title)}">'
        f'<table class="heat"><caption>{_shown(table.title)}</caption><thead><tr>'
        f"{_heads(table.columns)}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _square(rate: Cell) -> str:
    if not isinstance(rate, float):
        return f"<td>{formatted(None, 'text')}</td>"
    return f'<td class="r{round(rate)}">{formatted(rate, "one decimal")}</td>'
