"""Creates the uniqueness constraints and range indexes of the graph, and checks that they exist.

With `IF NOT EXISTS`, Neo4j gives no error where something else has the name of a constraint or an
index. So the existing ones are read afterwards and compared with those that are needed.
"""

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.rows import IndexRow, NamesRow
from graphrag_neo4j.graph.state import refuse_other_version, schema_version

__all__ = ["ensure_schema", "refuse_foreign"]

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
    ("Spelling", "id"),
    ("Build", "id"),
    ("Batch", "id"),
    ("BatchRequest", "id"),
    ("Counter", "id"),
    ("State", "id"),
)
UNIQUE_RELATIONSHIPS = (
    ("STATED", "id"),
    ("RELATED", "id"),
    ("RELATED", "ref"),
    ("COMPARED", "id"),
    ("COMPARED", "ref"),
)
NODE_INDEXES = (
    ("Document", "source"),
    ("Chunk", "extraction", "ref"),
    ("Chunk", "claims", "ref"),
    ("Chunk", "extraction_with"),
    ("Chunk", "claims_with"),
    ("Entity", "stale"),
    ("Entity", "unresolved"),
    ("Entity", "uncompared"),
    ("Entity", "key"),
    ("Entity", "first_word"),
    ("Entity", "last_word"),
    ("Entity", "initials"),
    ("Spelling", "unresolved"),
    ("Spelling", "key"),
    ("Spelling", "first_word"),
    ("Spelling", "last_word"),
    ("Spelling", "initials"),
    ("Spelling", "entity"),
    ("Entity", "undescribed", "id"),
    ("Entity", "description_with"),
    ("Community", "stale"),
    ("Community", "report_with"),
    ("Community", "behind"),
    ("Entity", "unembedded", "id"),
    ("Chunk", "unembedded", "id"),
    ("Community", "unembedded", "id"),
    ("BatchRequest", "batch"),
    ("Entity", "embedding_flaw"),
    ("Chunk", "embedding_flaw"),
    ("Community", "embedding_flaw"),
)
RELATIONSHIP_INDEXES = (
    ("STATED", "chunk"),
    ("STATED", "pair"),
    ("COMPARED", "block"),
    ("COMPARED", "origin"),
    ("RELATED", "stale"),
    ("RELATED", "undescribed", "id"),
    ("RELATED", "description_with"),
)
# A graph without claims or failures lacks some of these relationship types and properties. Neo4j
# warns about each unknown name in a query of a user. So all names are made known to Neo4j.
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
    "COMPARED",
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
    "aliases",
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
    "behind",
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
    """Creates the constraints, indexes and names that are missing.

    Raises GraphError if something else in the database has the name of one of them, if the graph
    has another schema version, and if the database holds other data with our names and no graph.
    """
    version = await schema_version(graph)
    refuse_other_version(version)
    if version is None:
        await refuse_foreign(graph)
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
            "drop that, or use another database for this graph."
        )


async def refuse_foreign(graph: Graph) -> None:
    """Raises GraphError if a database without a graph has nodes or relationships named as ours."""
    labels = dict.fromkeys(label for label, _ in UNIQUE_NODES)
    patterns = [f"(:{label})" for label in labels] + [f"()-[:{kind}]->()" for kind in TYPES]
    rows = await graph.run_plain(
        " UNION ".join(
            f"WITH '{one}' AS held WHERE EXISTS {{ {one} }} RETURN held" for one in patterns
        )
    )
    if rows:
        name = f"{graph.database} " if graph.database else ""
        raise GraphError(
            f"The database {name}at {graph.address} holds other data under names that a graph of "
            f"this program uses, such as {rows[0]['held']}: set NEO4J_DATABASE or NEO4J_URI to a "
            "database of its own, so that your data stays as it is."
        )


async def _name_all(graph: Graph) -> None:
    """Makes Neo4j know the names of all properties and relationship types."""
    known = set((await graph.read("graph/names", NamesRow))[0]["names"])
    if missing := [name for name in PROPERTIES if name not in known]:
        await graph.write("graph/name_properties", names=missing)
    if missing := [name for name in TYPES if name not in known]:
        await graph.write("graph/name_types", names=missing)


Key = tuple[str, str, tuple[str, ...]]
"""A constraint ("unique") or an index ("index"), its label or type, and its properties."""


def _wanted() -> dict[Key, str]:
    """The statement that creates each constraint and index."""
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
    """The constraints and indexes of the database."""
    rows = await graph.read("graph/indexes", IndexRow)
    return {
        ("unique" if row["unique"] else "index", row["label"], tuple(row["properties"]))
        for row in rows
    }
