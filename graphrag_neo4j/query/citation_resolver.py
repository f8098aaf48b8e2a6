"""Resolves the citations in an answer to elements of the graph and to sentences in documents."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from graphrag_neo4j.context.citations import CitationKind, neutralised, statements
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.query.answer import Citation, Source
from graphrag_neo4j.query.rows import ResolvedRow

__all__ = ["resolve_citations"]

PLACES = 10  # passages that are read from the graph for each citation
NAMED: Final = ("Entities", "Relationships")  # the kinds whose titles are names
MOST_SOURCES = 3  # passages that are kept for each citation: those most similar to the statement


async def resolve_citations(
    graph: Graph, text: str, known: Collection[tuple[CitationKind, int]]
) -> list[Citation]:
    """Returns the citations of an answer's text in their order, with their sources.

    `known` holds the (kind, ref) pairs that were in the context of the answer.
    """
    wanted = statements(text)
    if not wanted:
        return []
    rows = await graph.read(
        "search/resolve",
        ResolvedRow,
        citations=[
            {"kind": kind, "ref": ref, "said": [text for text in stated if text]}
            for (kind, ref), stated in wanted.items()
        ],
        places=PLACES,
    )
    by_ref: dict[tuple[CitationKind, int], list[ResolvedRow]] = {}
    for row in rows:
        by_ref.setdefault((row["kind"], row["ref"]), []).append(row)
    return [
        _citation(one, by_ref.get(one, []), stated, supported=one in known)
        for one, stated in wanted.items()
    ]


def _citation(
    one: tuple[CitationKind, int],
    rows: Sequence[ResolvedRow],
    stated: Sequence[str],
    *,
    supported: bool,
) -> Citation:
    # This import reads word lists, which takes a moment.
    from graphrag_neo4j.query.quote_match import nearest_sources  # noqa: PLC0415

    found = rows[0]["title"] if rows else None
    title = None if found is None else neutralised(found)
    name = title if title and one[0] in NAMED else ""
    sources = nearest_sources(_sources(rows), stated, MOST_SOURCES, name)
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
