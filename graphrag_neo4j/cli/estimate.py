"""`kg-build estimate`: what an index would take."""

from pathlib import Path
from typing import Any

import anyio
import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graphrag_neo4j.cli.options import (
    as_json,
    json_option,
    read_options,
    reading_of,
    settings_of,
    settings_options,
)
from graphrag_neo4j.cli.progress import listening, money
from graphrag_neo4j.corpus import Corpus
from graphrag_neo4j.estimate import Estimate
from graphrag_neo4j.estimate import estimate as estimate_corpus
from graphrag_neo4j.settings import Settings

__all__ = ["estimate"]


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@read_options
@settings_options
@json_option
def estimate(paths: tuple[Path, ...], as_json_: bool, **values: Any) -> None:  # noqa: ANN401 - settings and reading options
    """Say what indexing PATHS would take, as if nothing of them were in the graph yet.

    Asks no model and needs no Neo4j.
    """
    options = reading_of(values)
    settings = settings_of(**values)
    corpus = Corpus.of_paths(paths, options, settings.max_file_mb)
    with listening(quiet=as_json_) as listen:
        found = anyio.run(estimate_corpus, corpus, settings, listen)
    if as_json_:
        click.echo(as_json(found))
    else:
        _print(Console(soft_wrap=True, highlight=False), found, settings)
    if found.unreadable:
        raise click.exceptions.Exit(1)


def _print(console: Console, found: Estimate, settings: Settings) -> None:
    console.print(
        f"{found.documents:,} documents, {found.chunks:,} chunks, "
        f"{found.text_tokens:,} tokens of text."
    )
    if found.origin == "extractive":
        console.print("Without a model: no calls, no cost (an extractive index).")
    else:
        _print_steps(console, found, settings)
    for source, reason in found.unreadable.items():
        console.print(f"[red]{escape(source)}: {escape(reason)}[/]")


def _print_steps(console: Console, found: Estimate, settings: Settings) -> None:
    table = Table("step", "calls", "tokens in", "tokens out", "cost", box=None)
    for step in found.steps:
        table.add_row(
            step.step,
            f"{step.calls:,}",
            f"{step.input_tokens:,}",
            f"{step.output_tokens:,}",
            "unknown" if step.cost is None else money(step.cost),
        )
    costs = [step.cost for step in found.steps]
    total = "unknown" if None in costs else money(sum(cost or 0.0 for cost in costs))
    calls = sum(step.calls for step in found.steps)
    sent = sum(step.input_tokens for step in found.steps)
    replied = sum(step.output_tokens for step in found.steps)
    table.add_section()
    table.add_row("in all", f"{calls:,}", f"{sent:,}", f"{replied:,}", total)
    console.print(table)
    console.print(
        f"With {escape(settings.model_for('extraction'))}; prompts are counted, replies are "
        "assumed. KG_MAX_COST or --max-cost stops an index at a sum."
    )
