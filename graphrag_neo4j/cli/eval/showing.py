"""`kg-build eval results`, `report` and `status`: they ask no model and need no Neo4j."""

from collections import Counter
from pathlib import Path
from typing import Final

import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate.folder import EvaluationFolder
from graphrag_neo4j.evaluate.judging import judged_by
from graphrag_neo4j.evaluate.report import read_report
from graphrag_neo4j.evaluate.statistics import preferences
from graphrag_neo4j.evaluate.tables import Table, cost_table, explained_once, result_tables
from graphrag_neo4j.text.files import make_private_folder

FORMATS: Final = ("html", "md", "csv")
folder_argument = click.argument(
    "folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER"
)


def print_table(table: Table) -> None:
    """Prints a table with its title, its note and what its columns mean; nothing without rows."""
    if not table.rows:
        return
    terminal.line()
    terminal.line(table.title, style="bold")
    if table.told:
        terminal.line(table.told.replace("`", ""), style="dim")
    left = [one.name for one in table.columns if one.form == "text"]
    terminal.table([one.name for one in table.columns], table.shown, left=left)
    if meanings := [f"{one.name}: {one.meaning}" for one in table.meanings]:
        terminal.line("; ".join(meanings) + ".", style="dim")


@click.command()
@folder_argument
def results(folder: Path) -> None:
    """Show win rates, their statistics, the bias of each judge, and counts of claims.

    If two judges have judged the groundedness of the same sentences, it also shows how often they
    agree. It asks no model and needs no Neo4j.
    """
    found, settings = EvaluationFolder(folder), options.settings_of()
    answers, order = found.given_answers(), found.conditions()
    judged = judged_by(found.verdicts, answers)
    if not (judged or len(found.claims) or len(found.supports)):
        raise InputError(
            f"{folder} holds no verdicts and no claims. `kg-build eval judge {folder}` and "
            f"`kg-build eval claims {folder}` make them."
        )
    with options.extra_needed("eval", "The results need"):
        tables = result_tables(found, answers, judged, order, settings)
    for judge, verdicts in judged.items():
        terminal.line((judge, "bold"), f": {counted(len(verdicts), 'verdict')}")
        for sentence in preferences(verdicts):
            terminal.line(sentence, style="yellow")
    for table in explained_once(one for one in tables if not one.heat):
        print_table(table)


def _formats(_context: click.Context, _parameter: click.Parameter, given: str) -> list[str]:
    names = [one.strip().casefold() for one in given.split(",")]
    if unknown := [one for one in names if one not in FORMATS]:
        raise InputError(
            f"There is no format {unknown[0]!r}. Write html, md and csv with commas between them."
        )
    return names


@click.command()
@folder_argument
@options.value(
    "-o --output",
    "FILE",
    "The web page to write. Markdown gets the same name with .md, and the CSV files stand in a "
    "folder with this name and -csv.",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("eval.html"),
    callback=options.refuse_unwritable,
)
@options.value(
    "--format formats",
    "html,md,csv",
    "What to write, with commas between.",
    default="html",
    callback=_formats,
)
@options.value("--title", "TEXT", "The title. The default names the folder.")
def report(folder: Path, output: Path, *, formats: list[str], title: str | None) -> None:
    """Write the report of the evaluation in FOLDER: all tables, and both answers side by side.

    The page is one file that works without a network. It asks no model and needs no Neo4j. It
    contains questions, answers and passages of the documents, so give it only to people who are
    allowed to read them.
    """
    with options.extra_needed("eval", "The report needs"):
        found = read_report(folder, options.settings_of(), title=title)
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


@click.command()
@folder_argument
def status(folder: Path) -> None:
    """Show what the evaluation in FOLDER holds, what is missing, and what the answers cost.

    It asks no model and needs no Neo4j.
    """
    found = EvaluationFolder(folder)
    if not found.exists:
        raise InputError(
            f"{folder} holds no evaluation. `kg-build eval questions {folder}` begins one."
        )
    personas = {one.persona for one in found.questions if one.persona}
    made = f", asked by {counted(len(personas), 'persona')}" if personas else ""
    terminal.line(f"{counted(len(found.questions), 'question')}{made}.")
    if found.plan.description:
        terminal.line(f"Documents: {found.plan.description}", style="dim")
    print_table(cost_table(found.current_answers().values()))
    for name, n in found.unanswered().items():
        terminal.line(f"{name}: {counted(n, 'answer')} missing.", style="yellow")
    for judge, n in Counter(one.judge for one in found.verdicts if not one.failure).items():
        terminal.line(f"{counted(n, 'verdict')} by {judge}.")
