"""What the pages call the documents of a graph."""

from os.path import commonprefix
from typing import TypedDict
from urllib.parse import unquote

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.model.passage import called
from graphrag_neo4j.settings import Settings


class CollectionRow(TypedDict):
    """The number of documents, and the first and the last source of those that are no uploads.

    `name` and `title` are those of the document if there is only one.
    """

    n: int
    name: str | None
    title: str | None
    first: str | None
    last: str | None


async def read_collection_name(graph: Graph, settings: Settings) -> str:
    """The name of the place that all documents come from, or how many they are; "" without any.

    The place is the file of which all are rows, or the innermost folder that holds all of them.
    Uploads don't count for it. A single document has its own name and title.
    """
    uploads = Uploads(settings).folder.resolve().as_uri()
    [row] = await graph.read("map/collection", CollectionRow, uploads=uploads)
    if row["n"] == 1:
        return called(row["name"] or "", row["title"] or "")
    shared = commonprefix([row["first"] or "", row["last"] or ""])  # noqa: RUF071 - cut at a "/" next
    file, of_rows, _ = shared.partition("#")
    place = file if of_rows else file.rpartition("/")[0]
    name = unquote(place.rpartition("/")[2])
    if name and name[-1] != ":":  # which ends a drive, or what an address begins with
        return name
    return f"{row['n']:,} documents" if row["n"] else ""
