"""What the citations in an answer stand for, and the sentences in documents that say it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from graphrag_neo4j.context.citations import CitationKind, neutralised, statements
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.query.answer import Citation, Source
from graphrag_neo4j.query.rows import ResolvedRow

__all__ = ["resolve_citations"]

PLACES = 10  # of each citation that are looked up
NAMED: Final = ("Entities", "Relationships")  # whose titles are names
SHOWN = 3  # of these, those that are nearest to what is said


async def resolve_citations(
    graph: Graph, text: str, known: Collection[tuple[CitationKind, int]]
) -> list[Citation]:
    """The citations of a text in their order; `known`: those that the answer was made from."""
    wanted = statements(text)
    if not wanted:
        return []
    rows = await graph.read(
        "search/resolve",
        ResolvedRow,
        citations=[
            {"kind": kind, "ref": ref, "said": [text for text in said if text]}
            for (kind, ref), said in wanted.items()
        ],
        places=PLACES,
    )
    by_ref: dict[tuple[CitationKind, int], list[ResolvedRow]] = {}
    for row in rows:
        by_ref.setdefault((row["kind"], row["ref"]), []).append(row)
    return [
        _citation(one, by_ref.get(one, []), said, supported=one in known)
        for one, said in wanted.items()
    ]


def _citation(
    one: tuple[CitationKind, int],
    rows: Sequence[ResolvedRow],
    said: Sequence[str],
    *,
    supported: bool,
) -> Citation:
    from graphrag_neo4j.query.quote_match import nearest_sources  # noqa: PLC0415 - it reads lists of words

    found = rows[0]["title"] if rows else None
    title = None if found is None else neutralised(found)
    name = title if title and one[0] in NAMED else ""
    sources = nearest_sources(_sources(rows), said, SHOWN, name)
    return Citation(*one, title, supported, sources)


def _sources(rows: Iterable[Mapping[str, object]]) -> Iterable[Source]:
    for row in rows:
        if row["chunk"] is not None:
            start, end = int(str(row["start"])), int(str(row["end"]))
            yield Source(
                str(row["source"]),
                neutralised(str(row["document"])),
                int(str(row["chunk"])),
                start,
                end,
                str(row["text"]),
                (start, end) if row["placed"] else None,
            )
