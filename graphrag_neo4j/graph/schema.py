"""The layout of a graph: its version, its uniqueness constraints and its range indexes.

Before anything is written, the indexes and constraints of the database are compared with all that
a graph needs, also with the indexes for search that are made later: others may have left one that
keeps ours from being made, or that refuses our data. With `IF NOT EXISTS`, Neo4j gives no error
where something else has a name, so the existing ones are read once more afterwards.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final, Literal, TypedDict

from graphrag_neo4j.errors import GraphError
from graphrag_neo4j.graph.connection import Graph, Transaction
from graphrag_neo4j.graph.indexes import FULLTEXT_INDEXES, VECTOR_INDEXES, SearchIndexRow
from graphrag_neo4j.text.strings import identify

SCHEMA_VERSION: Final = 2
# By label or type: the properties that are unique.
UNIQUE_NODES = {
    "Document": ("id",),
    "Chunk": ("id", "ref"),
    "Entity": ("id", "ref"),
    "Claim": ("id", "ref"),
    "Community": ("id", "ref"),
    "Finding": ("id",),
    "Spelling": ("id",),
    "Build": ("id",),
    "Batch": ("id",),
    "BatchRequest": ("id",),
    "Counter": ("id",),
    "State": ("id",),
}
UNIQUE_RELATIONSHIPS = {"STATED": ("id",), "RELATED": ("id", "ref"), "COMPARED": ("id", "ref")}
# By label or type: the indexes, each with its properties. The first five of an Entity and of a
# Spelling find candidates of one name.
NAMES = ("key", "first_word", "last_word", "initials", "unresolved")
NODE_INDEXES = {
    "Document": ("source", "copy_hash", "id_document"),
    "Chunk": (
        *("extraction ref", "claims ref", "extraction_with", "claims_with"),
        *("unembedded id", "embedding_flaw"),
    ),
    "Entity": (
        *(*NAMES, "type", "stale", "unlabelled", "uncompared", "unplaced", "undescribed id"),
        *("description_with", "unembedded id", "embedding_flaw"),
    ),
    "Spelling": (*NAMES, "entity"),
    "Community": ("stale", "lost", "report_with", "behind", "unembedded id", "embedding_flaw"),
    "BatchRequest": ("batch",),
}
RELATIONSHIP_INDEXES = {
    "STATED": ("chunk", "pair"),
    "COMPARED": ("block", "origin"),
    "RELATED": ("stale", "undescribed id", "description_with"),
}
# A graph without claims or failures lacks some of these relationship types and properties. Neo4j
# warns about each unknown name in a query of a user. So all names are made known to Neo4j.
TYPES = (
    *("PART_OF", "NEXT", "MENTIONS", "STATED", "RELATED", "FROM", "SUBJECT", "OBJECT"),
    *("IN_COMMUNITY", "PARENT", "HAS_FINDING", "CITES", "COMPARED", "COPY_OF"),
)
PROPERTIES = (
    *("source", "title", "text", "index", "start", "end", "name", "names", "aliases", "type"),
    *("description", "descriptions", "degree", "weight", "reversed", "opposite", "level", "size"),
    "properties",
    *("summary", "rating", "rating_explanation", "report", "behind", "status", "start_date"),
    *("document", "header", "speaker", "line", "parts", "part_starts"),
    *("end_date", "source_text", "subject_text", "object_text", "extraction_error"),
    *("predicate", "predicates", "opposite_predicates"),
    *("claims_error", "description_error", "report_error", "embedding_error"),
)
# Texts and lists of any length. An index refuses a long one, unless it is for search.
UNLIMITED = (
    *(
        "text",
        "legible",
        "header",
        "metadata",
        "title",
        "names",
        "types",
        "aliases",
        "description",
        "report",
    ),
    *("descriptions", "summary", "rating_explanation", "explanation", "source_text", "embedding"),
    *("subject_text", "object_text", "former_members", "material_hashes"),
)
# By what gets properties of another database: the names that its evidence and it itself have here.
DESCRIBED = (
    *("id", "ref", "stale", "properties", "description", "description_with", "description_hash"),
    *("description_sample", "description_error", "undescribed", "groups", "group_texts"),
)
RESERVED: Mapping[Literal["Entity", "RELATED"], frozenset[str]] = {
    "Entity": frozenset({
        *(*DESCRIBED, *NAMES, "name", "names", "aliases", "type", "types", "descriptions"),
        *("degree", "uncompared", "compare_error", "unlabelled", "unplaced", "placed_weight"),
        *("embedding", "embedding_hash", "embedding_error", "embedding_flaw", "unembedded"),
        *("top_pairs", "top_chunks", "top_claims"),
    }),
    "RELATED": frozenset({
        *(*DESCRIBED, "weight", "strength", "strengths", "reversed", "opposite", "chunk", "pair"),
        *("predicate", "predicates", "opposite_predicates", "descriptions"),
        *("source_spelling", "target_spelling"),
    }),
}  # fmt: skip
PREFIX = "own_"  # of a property of another database whose name is reserved
Key = tuple[str, str, tuple[str, ...]]
"""What is made (a constraint: "unique"; an index: its type), its label or type, its properties."""


class VersionRow(TypedDict):
    """The schema version of a graph."""

    version: int | None


class NamesRow(TypedDict):
    """All names of properties and relationship types in a database."""

    names: list[str]


async def schema_version(graph: Graph) -> int | None:
    """The version of the graph's layout; None for a database that holds no graph of ours."""
    rows = await graph.read("state/version", VersionRow)
    return rows[0]["version"] if rows else None


def refuse_newer_version(version: int | None) -> None:
    """Raises GraphError for the layout of a later release, which this one can't read or write."""
    if version is not None and version > SCHEMA_VERSION:
        raise GraphError(
            f"The graph has schema version {version}, and this program works with versions up to "
            f"{SCHEMA_VERSION}: install the release of graphrag-neo4j that made it, or a later one."
        )


async def begin_graph(tx: Transaction) -> None:
    """Makes the State of a new graph. Raises GraphError for a graph of a later version."""
    [state] = await tx.run("state/begin", VersionRow, version=SCHEMA_VERSION)
    refuse_newer_version(state["version"])


async def ensure_schema(graph: Graph) -> None:
    """Creates the constraints, indexes and names that are missing.

    Raises GraphError if something else in the database has the name of one of them or is in their
    way, if the graph has a later schema version, and if the database holds other data with our
    names and no graph.
    """
    version = await schema_version(graph)
    refuse_newer_version(version)
    if version is None:
        await refuse_foreign(graph)
    wanted = _wanted()
    there = await _there(graph, wanted)
    known = set((await graph.read("graph/names", NamesRow))[0]["names"])
    if unnamed := [name for name in PROPERTIES if name not in known]:
        await graph.write("graph/name_properties", names=unnamed)
    if unnamed := [name for name in TYPES if name not in known]:
        await graph.write("graph/name_types", names=unnamed)
    for key, statement in wanted.items():
        if key not in there:
            await graph.change_schema(statement)
    if missing := wanted.keys() - (await _there(graph, wanted) if wanted.keys() - there else there):
        names = ", ".join(sorted(f"{label}({', '.join(of)})" for _, label, of in missing))
        raise GraphError(
            f"No index could be made on {names}: something else in this database has its name; "
            "drop that, or use another database for this graph."
        )


async def refuse_foreign(graph: Graph) -> None:
    """Raises GraphError if a database without a graph has nodes or relationships named as ours."""
    patterns = [f"(:{label})" for label in UNIQUE_NODES] + [f"()-[:{kind}]->()" for kind in TYPES]
    rows = await graph.run_plain(
        " UNION ".join(
            f"WITH '{one}' AS held WHERE EXISTS {{ {one} }} RETURN held" for one in patterns
        )
    )
    if rows and await schema_version(graph) is None:  # another run may have just begun the graph
        name = f"{graph.database} " if graph.database else ""
        raise GraphError(
            f"The database {name}at {graph.address} holds other data under names that a graph of "
            f"this program uses, such as {rows[0]['held']}: set NEO4J_DATABASE or NEO4J_URI to a "
            "separate database, so that your data stays as it is."
        )


def _wanted() -> dict[Key, str]:
    """The statement that creates each constraint and index."""
    made: dict[Key, str] = {}
    for pattern, unique, indexes in (
        ("(x:{})", UNIQUE_NODES, NODE_INDEXES),
        ("()-[x:{}]-()", UNIQUE_RELATIONSHIPS, RELATIONSHIP_INDEXES),
    ):
        for kind, name in ((kind, name) for kind, names in unique.items() for name in names):
            made["unique", kind, (name,)] = (
                f"CREATE CONSTRAINT kg_{kind.lower()}_{name} IF NOT EXISTS "
                f"FOR {pattern.format(kind)} REQUIRE x.{name} IS UNIQUE"
            )
        for kind, names in ((kind, one.split()) for kind, each in indexes.items() for one in each):
            made["RANGE", kind, tuple(names)] = (
                f"CREATE INDEX {'_'.join(['kg', kind.lower(), *names])} IF NOT EXISTS "
                f"FOR {pattern.format(kind)} ON ({', '.join(f'x.{name}' for name in names)})"
            )
    return made


async def _there(graph: Graph, wanted: Mapping[Key, str]) -> set[Key]:
    """The constraints and indexes of the database.

    Raises GraphError if one that is not ours has the name of one of ours or is in its way.
    """
    named = {"_".join(("kg", kind.lower(), *of)): (what, kind, of) for what, kind, of in wanted}
    named |= {x.name: (x.type, x.label, x.properties) for x in (*VECTOR_INDEXES, *FULLTEXT_INDEXES)}
    found = set()
    for row in await graph.read("graph/search_indexes", SearchIndexRow):
        kind, of = "|".join(row["labels"]), tuple(row["properties"])
        key, ours = ("unique" if row["unique"] else row["type"], kind, of), named.get(row["name"])
        found.add(key)
        if not _is_in_the_way(key, ours, set(named.values())):
            continue
        what = "constraint" if row["unique"] else "index"
        name = row["name"] if re.fullmatch(r"[A-Za-z_]\w*", row["name"]) else f"`{row['name']}`"
        said = f"The {what} {name} on {kind}({', '.join(of)}) is in the way of this graph"
        if ours:
            said = f"{ours[1]}({', '.join(ours[2])}): something else in this database has its name"
            said = f"No index could be made on {said}"
        drop = f"`DROP {what.upper()} {name}` removes it"
        raise GraphError(f"{said}; {drop}, or use another database for this graph.")
    return found


def _is_in_the_way(key: Key, ours: Key | None, wanted: Collection[Key]) -> bool:
    """Whether an index keeps one of ours from being made, or may refuse our data.

    `ours` is the one with its name. An index or constraint like one of ours serves us, unless
    searches name it.
    """
    what, kind, of = key
    if what == "FULLTEXT" and ours and ours[:2] == key[:2] and {*of} <= {*ours[2]}:
        return False  # ours, of an earlier version: it is made again
    if what == "VECTOR" and ours:
        key = (what, kind, of[:1])  # the others only filter
    if ours or what in {"VECTOR", "FULLTEXT"}:
        return key != ours and bool(ours or key in wanted)
    if ("unique", kind, of) in wanted:
        return what == "RANGE"
    held = {*PROPERTIES, "content_hash", *(name for _, _, names in wanted for name in names)}
    refusing = {*UNLIMITED, *held} if what == "unique" else set(UNLIMITED)
    return kind in {*UNIQUE_NODES, *TYPES} and not refusing.isdisjoint(of)


def free_name(kind: Literal["Entity", "RELATED"], name: str) -> str:
    """The name that a property of another database gets here: its own, if that is not reserved.

    >>> free_name("Entity", "released"), free_name("Entity", "type"), free_name("RELATED", "type")
    ('released', 'own_type', 'type')
    """
    own = name
    while own.startswith(PREFIX):  # so that "own_type" is not taken for another one's "type"
        own = own.removeprefix(PREFIX)
    return PREFIX + name if own in RESERVED[kind] else name


def import_signature(step: str) -> str:
    """The signature of all that imports bring: none of our index backends made it."""
    return identify("import", step)
