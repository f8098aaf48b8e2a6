"""Makes one entity of each thing: by rules, then by a model where the rules are not certain."""

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import CountRow
from graphrag_neo4j.index.entities.compare import compare
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.entities.resolve import resolve
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.model.events import Listener, Notice
from graphrag_neo4j.settings import Settings


async def tell_names_uncompared(graph: Graph, listen: Listener) -> None:
    """Sends a notice where names of an imported graph were not compared."""
    if (await graph.read("resolve/names_uncompared", CountRow))[0]["n"]:
        listen(
            Notice(
                "The names of this graph have not all been compared with each other: `kg-build "
                "resolve` does it, and makes one entity of several names of one thing."
            )
        )


async def resolve_and_merge(graph: Graph, listen: Listener, *, rules: bool) -> None:
    """Resolves names and merges in turns, until no evidence moves any more."""
    while await resolve(graph, listen, rules=rules):
        await merge(graph, listen, "merge of joined names")


async def resolve_names(stage: StageContext, settings: Settings) -> None:
    """Makes one entity of each thing: by rules, then by a model where rules are not certain."""
    rules = settings.resolve != "off"
    if rules:
        await tell_names_uncompared(stage.graph, stage.listen)
    await resolve_and_merge(stage.graph, stage.listen, rules=rules)
    by_model = settings.resolve == "auto" and not stage.backend.quotes
    while await compare(stage, by_model=by_model):
        await resolve_and_merge(stage.graph, stage.listen, rules=rules)
