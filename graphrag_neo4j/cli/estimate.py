"""`kg-build estimate`: what an index would take."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import click

from graphrag_neo4j.cli import terminal
from graphrag_neo4j.cli.options import (
    as_json,
    json_option,
    read_options,
    reading_of,
    settings_options,
)
from graphrag_neo4j.cli.progress import money
from graphrag_neo4j.corpus import Corpus
from graphrag_neo4j.estimate import Estimate
from graphrag_neo4j.estimate import estimate as estimate_corpus
from graphrag_neo4j.settings import Settings, load_settings

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
    corpus = Corpus.of_paths(paths, reading_of(values))
    settings = load_settings(**values)
    found = anyio.run(estimate_corpus, corpus, settings)
    if as_json_:
        terminal.json_text(as_json(found))
    else:
        _print(found, settings)
    if found.unreadable:
        raise click.exceptions.Exit(1)


def _print(found: Estimate, settings: Settings) -> None:
    terminal.line(
        f"{found.documents:,} documents, {found.chunks:,} chunks, "
        f"{found.text_tokens:,} tokens of text."
    )
    rows: list[Sequence[str]] = [
        (
            step.step,
            f"{step.calls:,}",
            f"{step.input_tokens:,}",
            f"{step.output_tokens:,}",
            "unknown" if step.cost is None else money(step.cost),
        )
        for step in found.steps
    ]
    costs = [step.cost for step in found.steps]
    total = "unknown" if None in costs else money(sum(cost or 0.0 for cost in costs))
    calls = sum(step.calls for step in found.steps)
    sent = sum(step.input_tokens for step in found.steps)
    replied = sum(step.output_tokens for step in found.steps)
    rows.append(("in all", f"{calls:,}", f"{sent:,}", f"{replied:,}", total))
    terminal.table(("step", "calls", "tokens in", "tokens out", "cost"), rows)
    terminal.line(
        f"With {settings.model_for('extraction')}; prompts are counted, replies are "
        "assumed. KG_MAX_COST or --max-cost stops an index at a sum."
    )
    for source, reason in found.unreadable.items():
        terminal.line(f"{source}: {reason}", style="red")
