"""What surrounds a question by a walk through the graph: personalised PageRank from what it names.

Three round trips to Neo4j, one after another: where to start (several indexes, at once), the graph
around that, and (at once) what is to be shown of the places where the walk was most.
"""

from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import anyio

from graphrag_neo4j.asking import Asking, escaped
from graphrag_neo4j.flow import first_error
from graphrag_neo4j.graph import Row, nearest, worded_relationships
from graphrag_neo4j.pagerank import pagerank
from graphrag_neo4j.seeds import MOST_PASSAGES, MOST_STATED, Hits, restart

__all__ = ["walk"]

# Entities after one step and after two, and chunks: some thousand edges.
SIZE: Final = {"near": 150, "far": 400, "most": 300}


async def walk(
    asking: Asking, question: str | None, most: Mapping[str, int]
) -> tuple[list[str], Row]:
    """The entities where the walk is most, and around them what `search/neighbourhood` gives.

    `question`: another one than the user's. `most`: of each kind.
    """
    asked, k = question or asking.question, asking.settings.top_k_entities
    hits = await _hits(asking, question)
    weights, passages = hits.entities(asked, k), hits.passages
    rows = await asking.graph.read(
        "search/surroundings", entities=list(weights), chunks=list(passages), **SIZE
    )
    walked = _Walked.over(rows[0], weights, passages)
    entities = walked.entities[:k]
    inner, outward = walked.relationships(entities)
    inner, outward = inner[: most["inner"]], outward[: most["outward"]]
    found = await _together(
        around=asking.graph.read(
            "search/neighbourhood", ids=entities, **dict(most, inner=0, outward=0, chunks=0)
        ),
        related=asking.graph.read("search/relationships", ids=[*inner, *outward]),
        chunks=asking.graph.read("search/chunks", ids=walked.chunks[: most["chunks"]]),
    )
    return entities, {
        **found["around"][0],
        "inner": _in_order(found["related"], inner),
        "outward": _in_order(found["related"], outward),
        "chunks": _in_order(found["chunks"], walked.chunks),
    }


async def _hits(asking: Asking, question: str | None) -> Hits:
    """What the indexes find for a question; by words alone where there is no vector."""
    graph, k = asking.graph, asking.settings.top_k_entities
    asked = question or asking.question
    names, words = escaped(asked, "name"), escaped(asked)
    reads: dict[str, Awaitable[list[Row]]] = {}
    if words:
        reads["named"] = graph.read("search/named", words=names, k=4 * k)
        reads["stated"] = worded_relationships(graph, words, MOST_STATED)
        reads["worded"] = graph.read("search/worded_chunks", words=words, k=MOST_PASSAGES)

    async def by_vector() -> list[Row]:
        vector = await asking.vector(question)
        if vector is None:
            return []
        found.update(
            await _together(
                near=nearest(graph, "entity", vector, 2 * k),
                chunks=nearest(graph, "chunk", vector, MOST_PASSAGES),
            )
        )
        return []

    found: dict[str, list[Row]] = {}
    found |= await _together(**reads, vector=by_vector())
    return Hits(
        found.get("near", []),
        found.get("named", []),
        found.get("stated", []),
        [found.get("chunks", []), found.get("worded", [])],
    )


@dataclass(frozen=True, slots=True)
class _Walked:
    """Entities and chunks, where the walk is most first; `mass` of each; relationships by id."""

    entities: list[str]
    chunks: list[str]
    mass: Mapping[str, float]
    related: Mapping[str, Row]

    @classmethod
    def over(
        cls, around: Row, weights: Mapping[str, float], passages: Mapping[str, float]
    ) -> "_Walked":
        """A walk over what surrounds the entities of these weights and these chunks."""
        mentions = [(row["chunk"], row["entity"], 1.0) for row in around["mentions"]]
        edges = [(row["source"], row["target"], row["weight"]) for row in around["related"]]
        chunks_of = {row["id"]: row["chunks"] for row in around["seeds"]}
        mass = pagerank(edges + mentions, restart(weights, chunks_of, passages))
        order = sorted(mass, key=lambda id_: (-mass[id_], id_))
        chunks = {*passages, *(chunk for chunk, _, _ in mentions)}
        return cls(
            [id_ for id_ in order if id_ not in chunks],
            [id_ for id_ in order if id_ in chunks],
            mass,
            {row["id"]: row for row in around["related"]},
        )

    def relationships(self, entities: Iterable[str]) -> tuple[list[str], list[str]]:
        """The ids of those between these entities, and of all others, as near as their farther
        end."""
        own = set(entities)
        near = {
            id_: min(self.mass.get(row["source"], 0), self.mass.get(row["target"], 0))
            for id_, row in self.related.items()
        }
        order = sorted(near, key=lambda id_: (-near[id_], id_))
        inner = [i for i in order if {self.related[i]["source"], self.related[i]["target"]} <= own]
        return inner, [id_ for id_ in order if id_ not in set(inner)]


async def _together(**reads: Awaitable[list[Row]]) -> dict[str, list[Row]]:
    """The rows of several reads at once."""
    found: dict[str, list[Row]] = {}

    async def read(name: str, rows: Awaitable[list[Row]]) -> None:
        found[name] = await rows

    with first_error():
        async with anyio.create_task_group() as tasks:
            for name, rows in reads.items():
                tasks.start_soon(read, name, rows)
    return found


def _in_order(rows: Iterable[Row], ids: Iterable[str]) -> list[Row]:
    by_id = {row["id"]: row for row in rows}
    return [by_id[id_] for id_ in ids if id_ in by_id]
