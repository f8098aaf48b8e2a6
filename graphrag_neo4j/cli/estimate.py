"""`kg-build estimate` estimates the calls, tokens and cost of an index."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import click

from graphrag_neo4j.cli.options import (
    as_json,
    json_option,
    paths_argument,
    read_options,
    reading_of,
    settings_of,
    settings_options,
)
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening, money
from graphrag_neo4j.cli.output.report import tokens_and_cost
from graphrag_neo4j.cli.output.words import counted, named_step, unread
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.estimate import Estimate, StepEstimate
from graphrag_neo4j.indexing.estimate import estimate as estimate_corpus
from graphrag_neo4j.settings import Settings

__all__ = ["estimate"]


@click.command()
@paths_argument
@read_options
@settings_options
@json_option
def estimate(paths: tuple[Path, ...], as_json_: bool, **values: Any) -> None:  # noqa: ANN401 - settings and reading options
    """Estimate the calls, tokens and cost of indexing PATHS.

    The estimate is for an empty graph, so it also counts documents that are already indexed. The
    command calls no model and needs no Neo4j.
    """
    options = reading_of(values)
    settings = settings_of(**values)
    corpus = Corpus.of_paths(paths, options, settings)
    with listening(quiet=as_json_) as listen:
        found = anyio.run(estimate_corpus, corpus, settings, listen)
    if as_json_:
        terminal.json_text(as_json(found))
    else:
        _print(found, settings)
    if found.unreadable:
        raise click.exceptions.Exit(1)


def _print(found: Estimate, settings: Settings) -> None:
    terminal.line(
        f"{counted(found.documents, 'document')}, {counted(found.chunks, 'chunk')}, "
        f"{counted(found.text_tokens, 'token')} of text."
    )
    if found.origin == "extractive":
        terminal.line("The index would be extractive: it needs no model, no calls and no money.")
    else:
        _print_steps(found, settings)
    for flaw in unread(found.unreadable.items()):
        terminal.line(f"{flaw}.", style="red")


def _print_steps(found: Estimate, settings: Settings) -> None:
    total = StepEstimate(
        "total",
        sum(step.calls for step in found.steps),
        sum(step.input_tokens for step in found.steps),
        sum(step.output_tokens for step in found.steps),
        _sum([step.cost for step in found.steps]),
        _sum([step.batch_cost for step in found.steps]),
    )
    columns = ("step", "calls", *tokens_and_cost(), "with --batch")
    terminal.table(columns, [_row(step) for step in (*found.steps, total)])
    terminal.line(
        f"The prices are those of {settings.model_for('extraction')}. The tokens of the prompts "
        "are counted; the lengths of the replies are assumptions. The costs are those of an empty "
        "graph: what is indexed already is not paid for again, nor by `index --batch` what waits "
        "in a batch. `kg-build index … --max-cost 5` stops at $5."
    )
    if not settings.claims:
        terminal.line("Claims are not extracted; --claims extracts them, too.")


def _row(step: StepEstimate) -> Sequence[str]:
    counts = (f"{n:,}" for n in (step.calls, step.input_tokens, step.output_tokens))
    costs = (step.cost, step.batch_cost)
    money_of = ("unknown cost" if cost is None else money(cost) for cost in costs)
    return named_step(step.step), *counts, *money_of


def _sum(costs: Sequence[float | None]) -> float | None:
    return None if None in costs else sum(cost or 0.0 for cost in costs)
