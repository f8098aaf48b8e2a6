"""`kg-build eval retrieval` measures which passages are found for questions of several steps."""

import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from graphrag_neo4j.cli.eval.course import confirm, run_heard
from graphrag_neo4j.cli.eval.options import extra_needed, paying_options
from graphrag_neo4j.cli.options import as_json, json_option, settings_of
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.retrieval import print_retrieval
from graphrag_neo4j.cli.output.words import counted
from graphrag_neo4j.evaluation.retrieval.datasets import Dataset, read_datasets
from graphrag_neo4j.events import Listener
from graphrag_neo4j.indexing.estimate import StepEstimate
from graphrag_neo4j.settings import Settings

__all__ = ["retrieval"]


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILES...",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help=(
        "Keep the index and the results in FOLDER, so that the same command continues there. By "
        "default they are deleted at the end."
    ),
)
@click.option(
    "--answers",
    is_flag=True,
    help="Also ask for short answers, and tell their exact match and F1.",
)
@paying_options
@json_option
def retrieval(
    files: tuple[Path, ...],
    *,
    output: Path | None,
    answers: bool,
    yes: bool,
    quiet: bool,
    as_json_: bool,
    **values: Any,  # noqa: ANN401 - settings
) -> None:
    """Measure which of the passages that a question needs are found.

    FILES hold questions with their passages, in the format of MuSiQue, HotpotQA or 2WikiMultiHopQA.
    All passages are indexed into a graph of their own. The command tells the recall among the
    first 2, 5 and 10 passages: for vectors alone (basic), for local search with one hop and with
    PageRank, and for BM25.
    """
    settings = settings_of(**values)
    dataset = read_datasets(files)
    quiet = quiet or as_json_
    if not quiet:
        _tell_questions(dataset)
    with _folder(output) as folder:
        work = _Work(dataset, settings, folder, answers=answers, quiet=quiet)
        confirm(work.estimate(), _what(dataset, answers=answers), yes=yes, quiet=quiet)
        missing = work.measure(as_json_=as_json_)
    if missing:
        raise click.exceptions.Exit(1)


class _Work:
    """A measurement with its options."""

    def __init__(
        self, dataset: Dataset, settings: Settings, folder: Path, *, answers: bool, quiet: bool
    ) -> None:
        with extra_needed("The package {name} is missing"):
            from graphrag_neo4j.evaluation.retrieval import runs  # noqa: PLC0415 - needs bm25s
        self._run = runs
        self._settings = runs.retrieval_settings(settings, folder)
        self._dataset, self._folder = dataset, folder
        self._answers, self._quiet = answers, quiet

    def estimate(self) -> list[StepEstimate]:
        """Estimates the calls that are still to be made."""

        steps: list[StepEstimate] = run_heard(
            self._of(self._run.estimate_retrieval), self._saved, quiet=self._quiet, fleeting=True
        )
        return steps

    def measure(self, *, as_json_: bool) -> int:
        """Measures, and prints the result; returns the number of missing results."""
        found = run_heard(self._of(self._run.measure_retrieval), self._saved, quiet=self._quiet)
        if as_json_:
            terminal.json_text(as_json(dataclasses.asdict(found)))
        else:
            print_retrieval(found)
        return int(found.missing)

    def _of(self, work: Callable[..., Any]) -> Callable[[Listener], Any]:
        """Returns work on this measurement, which waits for a listener."""
        return lambda listen: work(
            self._dataset, self._settings, self._folder, answers=self._answers, listen=listen
        )

    def _saved(self) -> str:
        found = self._run.retrieval_of(
            self._dataset, self._settings, self._folder, answers=self._answers
        )
        done = sum(one.questions for one in found.recalls)
        done += sum(one.answers for one in found.answers)
        return f"{counted(done, 'result')} {'is' if done == 1 else 'are'} in {self._folder}."


@contextmanager
def _folder(output: Path | None) -> Iterator[Path]:
    """Yields the folder of a measurement: the given one, or one that is deleted at the end."""
    if output is not None:
        yield output
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _what(dataset: Dataset, *, answers: bool) -> str:
    passages = counted(len(dataset.passages), "passage")
    return f"{passages} and the short answers" if answers else passages


def _tell_questions(dataset: Dataset) -> None:
    terminal.line(
        f"{counted(len(dataset.questions), 'question')}, "
        f"{counted(len(dataset.passages), 'passage')}."
    )
    if n := dataset.unanswerable:
        terminal.line(
            f"{counted(n, 'question')} that the passages can't answer "
            f"{'was' if n == 1 else 'were'} left out."
        )
