"""Constraints and indexes: made once, then proven to be there.

`IF NOT EXISTS` stays silent when the name is taken by something else, so what Neo4j says it has
is compared with what we need.
"""

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import IndexRow, NamesRow
from graphrag_neo4j.graph.state import refuse_newer, schema_version

__all__ = ["ensure_schema"]

UNIQUE_NODES = (
    ("Document", "id"),
    ("Chunk", "id"),
    ("Chunk", "ref"),
    ("Entity", "id"),
    ("Entity", "ref"),
    ("Claim", "id"),
    ("Claim", "ref"),
    ("Community", "id"),
    ("Community", "ref"),
    ("Finding", "id"),
    ("Build", "id"),
    ("Counter", "id"),
    ("State", "id"),
)
UNIQUE_RELATIONSHIPS = (("STATED", "id"), ("RELATED", "id"), ("RELATED", "ref"))
NODE_INDEXES = (
    ("Document", "source"),
    ("Chunk", "extraction", "ref"),
    ("Chunk", "claims", "ref"),
    ("Chunk", "extraction_with"),
    ("Chunk", "claims_with"),
    ("Entity", "stale"),
    ("Entity", "undescribed", "id"),
    ("Entity", "description_with"),
    ("Community", "stale"),
    ("Community", "report_with"),
    ("Entity", "unembedded", "id"),
    ("Chunk", "unembedded", "id"),
    ("Community", "unembedded", "id"),
    ("Entity", "embedding_flaw"),
    ("Chunk", "embedding_flaw"),
    ("Community", "embedding_flaw"),
)
RELATIONSHIP_INDEXES = (
    ("STATED", "chunk"),
    ("STATED", "pair"),
    ("RELATED", "stale"),
    ("RELATED", "undescribed", "id"),
    ("RELATED", "description_with"),
)
# What an ordinary graph may lack: without claims, or where nothing has failed. A person's query
# that names one of these would get a warning for each.
TYPES = (
    "PART_OF",
    "NEXT",
    "MENTIONS",
    "STATED",
    "RELATED",
    "FROM",
    "SUBJECT",
    "OBJECT",
    "IN_COMMUNITY",
    "PARENT",
    "HAS_FINDING",
    "CITES",
)
PROPERTIES = (
    "source",
    "title",
    "text",
    "index",
    "start",
    "end",
    "name",
    "names",
    "type",
    "description",
    "descriptions",
    "degree",
    "weight",
    "reversed",
    "opposite",
    "level",
    "size",
    "summary",
    "rating",
    "rating_explanation",
    "report",
    "status",
    "start_date",
    "end_date",
    "source_text",
    "subject_text",
    "object_text",
    "extraction_error",
    "claims_error",
    "description_error",
    "report_error",
    "embedding_error",
)


async def ensure_schema(graph: Graph) -> None:
    """Makes what is missing.

    Raises GraphError where something else has one of our names, and for a graph of a newer schema.
    """
    refuse_newer(await schema_version(graph))
    await _name_all(graph)
    wanted = _wanted()
    there = await _there(graph)
    for key, statement in wanted.items():
        if key not in there:
            await graph.run_plain(statement)
    if missing := wanted.keys() - (await _there(graph) if wanted.keys() - there else there):
        names = ", ".join(sorted(f"{label}({', '.join(of)})" for _, label, of in missing))
        raise GraphError(
            f"No index could be made on {names}: something else in this database has its name; "
            "drop that, or use a database of its own."
        )


async def _name_all(graph: Graph) -> None:
    known = set((await graph.read("graph/names", NamesRow))[0]["names"])
    if missing := [name for name in PROPERTIES if name not in known]:
        await graph.write("graph/name_properties", names=missing)
    if missing := [name for name in TYPES if name not in known]:
        await graph.write("graph/name_types", names=missing)


Key = tuple[str, str, tuple[str, ...]]


def _wanted() -> dict[Key, str]:
    made: dict[Key, str] = {}
    for label, name in UNIQUE_NODES:
        made["unique", label, (name,)] = _constraint(f"(x:{label})", label, name)
    for kind, name in UNIQUE_RELATIONSHIPS:
        made["unique", kind, (name,)] = _constraint(f"()-[x:{kind}]-()", kind, name)
    for label, *names in NODE_INDEXES:
        made["index", label, tuple(names)] = _index(f"(x:{label})", label, names)
    for kind, *names in RELATIONSHIP_INDEXES:
        made["index", kind, tuple(names)] = _index(f"()-[x:{kind}]-()", kind, names)
    return made


def _constraint(pattern: str, kind: str, name: str) -> str:
    return (
        f"CREATE CONSTRAINT kg_{kind.lower()}_{name} IF NOT EXISTS "
        f"FOR {pattern} REQUIRE x.{name} IS UNIQUE"
    )


def _index(pattern: str, kind: str, names: list[str]) -> str:
    on = ", ".join(f"x.{name}" for name in names)
    name = "_".join(["kg", kind.lower(), *names])
    return f"CREATE INDEX {name} IF NOT EXISTS FOR {pattern} ON ({on})"


async def _there(graph: Graph) -> set[Key]:
    rows = await graph.read("graph/indexes", IndexRow)
    return {
        ("unique" if row["unique"] else "index", row["label"], tuple(row["properties"]))
        for row in rows
    }
