"""`kg-build eval results`, `report` and `status`: they ask no model and need no Neo4j."""

from collections import Counter
from pathlib import Path
from typing import Final

import click

from graphrag_neo4j.cli.eval.course import extra_needed, folder_argument, print_table
from graphrag_neo4j.cli.options import refuse_unwritable, settings_of, write_output
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.evaluate.answer_claims import claims_in
from graphrag_neo4j.evaluate.folder import EvaluationFolder
from graphrag_neo4j.evaluate.groundedness import compared_in
from graphrag_neo4j.evaluate.judging import judged_by
from graphrag_neo4j.evaluate.tables import (
    agreement_table,
    claim_tables,
    cost_table,
    explained_once,
    groundedness_tables,
    verdict_tables,
)
from graphrag_neo4j.text.files import make_private_folder

__all__ = ["report", "results", "status"]

FORMATS: Final = ("html", "md", "csv")
EXAMPLES: Final = 5  # sentences on which two judges differ


@click.command()
@folder_argument
def results(folder: Path) -> None:
    """Show win rates, their statistics, the bias of each judge, and counts of claims.

    If two judges have judged the groundedness of the same sentences, it also shows how often they
    agree. It asks no model and needs no Neo4j.
    """
    found, settings = EvaluationFolder(folder), settings_of()
    answers, order = found.given_answers(), found.conditions()
    judged = judged_by(found.verdicts, answers)
    if not (judged or len(found.claims) or len(found.supports)):
        raise InputError(
            f"{folder} holds no verdicts and no claims. `kg-build eval judge {folder}` and "
            f"`kg-build eval claims {folder}` make them."
        )
    with extra_needed("The results need the package {name}"):
        from graphrag_neo4j.evaluate.statistics import preferences  # noqa: PLC0415

        tables = [
            *verdict_tables(judged, order),
            agreement_table(judged, compared_in(found, settings)),
            *claim_tables(claims_in(found), judged, order),
            *(groundedness_tables(found, answers, settings) if len(found.supports) else ()),
        ]
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
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("eval.html"),
    callback=refuse_unwritable,
    show_default=True,
    metavar="FILE",
    help=(
        "The web page to write. Markdown gets the same name with .md, and the CSV files stand in a "
        "folder with this name and -csv."
    ),
)
@click.option(
    "--format",
    "formats",
    default="html",
    callback=_formats,
    show_default=True,
    metavar="html,md,csv",
    help="What to write, with commas between.",
)
@click.option("--title", metavar="TEXT", help="The title. The default names the folder.")
def report(folder: Path, output: Path, *, formats: list[str], title: str | None) -> None:
    """Write the report of the evaluation in FOLDER: all tables, and both answers side by side.

    The page is one file that works without a network. It asks no model and needs no Neo4j. It
    contains questions, answers and passages of the documents, so give it only to people who are
    allowed to read them.
    """
    with extra_needed("The report needs the package {name}"):
        from graphrag_neo4j.evaluate.report import read_report  # noqa: PLC0415
    found = read_report(folder, settings_of(), title=title)
    if "html" in formats:
        content = found.page().encode(errors="replace")
        write_output(output, content)
        size = f"{len(content) / 1e6:,.1f} MB"
        terminal.line(f"The report is in {output} ({size}). Open this file in a web browser.")
    if "md" in formats:
        path = output.with_suffix(".md")
        write_output(path, found.markdown().encode(errors="replace"))
        terminal.line(f"The tables as Markdown are in {path}.")
    if "csv" in formats:
        tables, files = output.with_name(f"{output.stem}-csv"), found.csv_files()
        try:
            make_private_folder(tables)
        except OSError as error:
            reason = f"{tables} can't be made: {error.strerror}."
            raise InputError(f"{reason} Name another file.") from None
        for name, text in files.items():
            write_output(tables / name, text.encode("utf-8-sig", errors="replace"))
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
