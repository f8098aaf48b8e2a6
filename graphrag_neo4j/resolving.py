"""What the citations in an answer stand for, and the sentences in documents that say it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from graphrag_neo4j.answers import Citation, Source
from graphrag_neo4j.citations import Kind, statements
from graphrag_neo4j.graph import Graph, Row

__all__ = ["resolve"]

PLACES = 10  # of each citation that are looked up
SHOWN = 3  # of these, those that are nearest to what is said


async def resolve(graph: Graph, text: str, known: Collection[tuple[Kind, int]]) -> list[Citation]:
    """The citations of a text in their order; `known`: those that the answer was made from."""
    wanted = statements(text)
    if not wanted:
        return []
    rows = await graph.read(
        "search/resolve",
        citations=[{"kind": kind, "ref": ref} for kind, ref in wanted],
        places=PLACES,
    )
    by_ref: dict[tuple[Kind, int], list[Row]] = {}
    for row in rows:
        by_ref.setdefault((row["kind"], row["ref"]), []).append(row)
    return [
        _citation(one, by_ref.get(one, []), said, supported=one in known)
        for one, said in wanted.items()
    ]


def _citation(
    one: tuple[Kind, int], rows: Sequence[Row], said: Sequence[str], *, supported: bool
) -> Citation:
    from graphrag_neo4j.quoting import nearest_sources  # noqa: PLC0415 - it reads lists of words

    title = rows[0]["title"] if rows else None
    return Citation(*one, title, supported, nearest_sources(_sources(rows), said, SHOWN))


def _sources(rows: Iterable[Mapping[str, object]]) -> Iterable[Source]:
    for row in rows:
        if row["chunk"] is not None:
            yield Source(
                str(row["source"]),
                str(row["document"]),
                int(str(row["chunk"])),
                int(str(row["start"])),
                int(str(row["end"])),
                str(row["text"]),
            )
