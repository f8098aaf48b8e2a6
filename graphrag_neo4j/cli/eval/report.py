"""`kg-build eval report` writes the report of an evaluation."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from graphrag_neo4j.cli.eval.options import extra_needed, folder_argument
from graphrag_neo4j.cli.options import refuse_unwritable, settings_of, write_output
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.files import make_private_folder

if TYPE_CHECKING:
    from graphrag_neo4j.evaluation.report import Report

__all__ = ["report"]

FORMATS: Final = ("html", "md", "csv")


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
@click.option(
    "--retrieval",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="The folder of `kg-build eval retrieval`, if it is another one.",
)
def report(
    folder: Path, output: Path, *, formats: list[str], title: str | None, retrieval: Path | None
) -> None:
    """Write the report of the evaluation in FOLDER: all tables, and both answers side by side.

    The page is one file that works without a network. It asks no model and needs no Neo4j. It
    contains questions, answers and passages of the documents, so give it only to people who are
    allowed to read them.
    """
    found = _read(folder, title, retrieval)
    for name in dict.fromkeys(formats):
        for line in WRITERS[name](found, output):
            terminal.line(line)


def _read(folder: Path, title: str | None, retrieval: Path | None) -> "Report":
    with extra_needed("The report needs the package {name}"):
        from graphrag_neo4j.evaluation.report import read_report  # noqa: PLC0415
    return read_report(folder, settings_of(), title=title, retrieval=retrieval)


def _html(found: "Report", output: Path) -> Iterator[str]:
    content = found.page().encode(errors="replace")
    write_output(output, content)
    size = f"{len(content) / 1e6:,.1f} MB"
    yield f"The report is in {output} ({size}). Open this file in a web browser."


def _markdown(found: "Report", output: Path) -> Iterator[str]:
    path = output.with_suffix(".md")
    write_output(path, found.markdown().encode(errors="replace"))
    yield f"The tables as Markdown are in {path}."


def _csv(found: "Report", output: Path) -> Iterator[str]:
    folder = output.with_name(f"{output.stem}-csv")
    files = found.csv_files()
    try:
        make_private_folder(folder)
    except OSError as error:
        raise InputError(f"{folder} can't be made: {error.strerror}. Name another file.") from None
    for name, text in files.items():
        write_output(folder / name, text.encode("utf-8-sig", errors="replace"))
    yield f"{counted(len(files), 'CSV file')} are in {folder}."


WRITERS: Final[dict[str, Callable[[Any, Path], Iterator[str]]]] = {
    "html": _html,
    "md": _markdown,
    "csv": _csv,
}
