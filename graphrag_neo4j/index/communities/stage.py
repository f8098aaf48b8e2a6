"""Finds communities with GDS Leiden, writes them as a tree, and keeps the tree up to date.

The first tree is that of Leiden. Where the graph changes later, only the part of the tree that the
change touches is changed (`communities.update`), and a community that lives on keeps its node
with its id, its ref and its report, though members come and go. A run with `fresh` makes the tree
that a first run would make; communities that live on in it also keep their nodes.
"""

from typing import TypedDict

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.communities.tree import Leiden
from graphrag_neo4j.model.events import Listener, Started
from graphrag_neo4j.settings import Settings

IMPORTED = "import"  # the signature of an imported tree


class CommunitiesDueRow(TypedDict):
    """What the communities were made with (None without communities), and whether they are due.

    `updated` says whether they have been changed since they were made, and `unchecked` is the
    weight in the graph that has changed since level 0 was last compared with a fresh one. `degree`
    is the weighted degree that the graph had when its entities were placed; None if not all were.
    """

    made_with: str | None
    due: bool
    updated: bool
    unchecked: float
    degree: float | None


async def find_communities(
    graph: Graph,
    leiden: Leiden,
    listen: Listener,
    *,
    anew: bool = False,
    fresh: bool = False,
    settings: Settings | None = None,
) -> None:
    """Brings the tree of communities up to date with the graph and the settings.

    An imported tree does not depend on the settings. With `fresh`, a tree that has been changed
    since Leiden made it is made by Leiden again, and with `anew` any tree is, imported ones
    included. `settings` say where GDS is; without them it is that of the graph's server. Raises
    GraphError where GDS is needed and missing.
    """
    found = (await graph.read("communities/due", CommunitiesDueRow))[0]
    made = found["made_with"] in (None, IMPORTED, leiden.signature)
    if made and not (found["due"] or anew or (fresh and found["updated"])):
        return
    if anew:
        await graph.write("communities/imported")
    listen(Started("communities"))
    # It brings numpy, which takes a moment to import.
    from graphrag_neo4j.index.communities.run import TreeRun  # noqa: PLC0415

    run = TreeRun(graph, leiden, settings, listen, found["unchecked"])
    # The weights by NPMI of all edges change with each chunk, so no part of the graph is untouched.
    follow = made and not (anew or fresh or leiden.by_npmi)
    if not (follow and found["degree"] is not None and await run.part(found["degree"])):
        await run.whole(follow=follow)
