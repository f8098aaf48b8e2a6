"""`kg-build estimate` estimates the calls, tokens and cost of an index."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import click

from graphrag_neo4j.cli import options
from graphrag_neo4j.cli.output import terminal
from graphrag_neo4j.cli.output.progress import listening
from graphrag_neo4j.cli.output.words import counted, money, named_step, unread
from graphrag_neo4j.cli.status import tokens_and_cost
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.estimate import Estimate
from graphrag_neo4j.index.estimate import estimate as estimate_corpus
from graphrag_neo4j.settings import Settings

__all__ = ["estimate"]


@click.command()
@options.paths_argument
@options.read_options
@options.settings_options
@options.json_option
def estimate(paths: tuple[Path, ...], as_json_: bool, **values: Any) -> None:  # noqa: ANN401 - settings and reading options
    """Estimate the calls, tokens and cost of indexing PATHS.

    The estimate is for an empty graph, so it also counts documents that are already indexed. The
    command calls no model and needs no Neo4j.
    """
    reading = options.reading_of(values)
    settings = options.settings_of(**values)
    corpus = Corpus.of_paths(paths, reading, settings)
    with listening(quiet=as_json_) as listen:
        found = anyio.run(estimate_corpus, corpus, settings, listen)
    if as_json_:
        terminal.json_text(options.as_json(found))
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
    steps = [
        (named_step(one.step), one.calls, one.input_tokens, one.output_tokens)
        for one in found.steps
    ]
    costs = [(one.cost, one.batch_cost) for one in found.steps]
    calls, *tokens = (sum(column) for column in list(zip(*steps, strict=True))[1:])
    steps.append(("total", calls, *tokens))
    costs.append((_sum([cost for cost, _ in costs]), _sum([batch for _, batch in costs])))
    rows = [
        (name, *(f"{n:,}" for n in counts), *map(money, pair))
        for (name, *counts), pair in zip(steps, costs, strict=True)
    ]
    terminal.table(("step", "calls", *tokens_and_cost(), "with --batch"), rows)
    terminal.line(
        f"The prices are those of {settings.model_for('extraction')}. The tokens of the prompts "
        "are counted; the lengths of the replies are assumptions. The costs are those of an empty "
        "graph: what is indexed already is not paid for again, nor by `index --batch` what waits "
        "in a batch. `kg-build index … --max-cost 5` stops at $5."
    )
    if not settings.claims:
        terminal.line("Claims are not extracted; --claims extracts them, too.")


def _sum(costs: Sequence[float | None]) -> float | None:
    return None if None in costs else sum(cost or 0.0 for cost in costs)
