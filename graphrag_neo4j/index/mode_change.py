"""How a graph is read, with a model or without one, and the change from one to the other.

A graph that was made without a model stays so, and a notice tells what a model would cost that read
it; with `with_model` it reads all chunks again that were read extractively. An extractive run
refuses to replace the evidence that a model has read, because that was paid for.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final, TypedDict

from graphrag_neo4j.backends import Backends
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.rows import CountRow, IdRow
from graphrag_neo4j.index.evidence import forget_claims, mark_changed, sweep_entities
from graphrag_neo4j.index.status import RebuildOptions
from graphrag_neo4j.model.events import Listener, Notice
from graphrag_neo4j.model.types import Origin
from graphrag_neo4j.rules import SIGNATURE_PREFIX
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text.strings import money

PAGE: Final = 500
# All signatures that begin with the prefix and a space, as a range that an index can serve.
EXTRACTIVE_RANGE = {"extractive": f"{SIGNATURE_PREFIX} ", "beyond": f"{SIGNATURE_PREFIX}!"}


class ReadByRow(TypedDict):
    """How chunks were read."""

    origin: Origin


class SizeRow(TypedDict):
    """The number of chunks of the graph, and of their tokens."""

    chunks: int
    tokens: int


async def origin_of(graph: Graph) -> Origin | None:
    """Returns "model" where a model has read a chunk of the graph, None where nothing is read."""
    rows = await graph.read("mode_change/read_by", ReadByRow, **EXTRACTIVE_RANGE)
    return rows[0]["origin"] if rows else None


async def chosen_origin(
    graph: Graph, backends: Backends, rebuild: RebuildOptions, listen: Listener
) -> Origin:
    """Returns how a run reads documents: as the graph was made, else as the backends do.

    A notice tells what it would cost to have the model that is set read a graph that was made
    without one. Raises InputError for `with_model` where no model is set.
    """
    settings = backends.settings
    if backends.origin == "extractive":
        if rebuild.with_model:
            raise InputError(
                "No model is set that could read the documents: set OPENAI_API_KEY (or, for your "
                "own endpoint, OPENAI_BASE_URL and KG_MODEL), or leave out --with-model."
            )
        return "extractive"
    if rebuild.with_model or await origin_of(graph) != "extractive":
        return "model"
    [size] = await graph.read("mode_change/size", SizeRow)
    price = price_of_reading(size, settings)
    listen(
        Notice(
            "This graph was made without a model, so documents are read without one. "
            f"--with-model has {settings.model_for('extraction')} read all of it{price}."
        )
    )
    return "extractive"


def price_of_reading(size: SizeRow, settings: Settings) -> str:
    """What it costs to index chunks of this size by a model, where its price is known."""
    # Slow to import.
    from graphrag_neo4j.index.estimate import CorpusSize, steps_of  # noqa: PLC0415

    of_all = CorpusSize(size["chunks"], size["tokens"], size["chunks"])
    costs = [step.cost for step in steps_of(of_all, settings)]
    known = [cost for cost in costs if cost is not None]
    return f" for about {money(sum(known))}" if len(known) == len(costs) else ""


async def refuse_to_lose_model(graph: Graph) -> None:
    """Raises InputError where a model has read a chunk of the graph."""
    if await origin_of(graph) == "model":
        raise InputError(
            "A model has read this graph: set its key and endpoint again, or run `kg-build index "
            "PATHS --again extraction` to replace what it found by an extractive index."
        )


async def mark_read_without_model(graph: Graph) -> int:
    """Makes the chunks pending that were read extractively, and returns their number.

    Their evidence stays until it is replaced.
    """
    rows = await graph.write("mode_change/extraction", CountRow, **EXTRACTIVE_RANGE)
    await graph.write("mode_change/claims", CountRow, **EXTRACTIVE_RANGE)
    return int(rows[0]["n"])


async def forget_extractive_claims(graph: Graph) -> None:
    """Removes the claims of chunks that were read without a model."""
    while rows := await graph.read("mode_change/claimed", IdRow, limit=PAGE, **EXTRACTIVE_RANGE):
        await graph.transact(partial(_forget_claims, [row["id"] for row in rows]))


async def _forget_claims(chunks: Sequence[str], tx: Transaction) -> None:
    entities = await forget_claims(tx, chunks)
    await tx.run("mode_change/unread_claims", chunks=chunks)
    await sweep_entities(tx, entities)
    await mark_changed(tx)
