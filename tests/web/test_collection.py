"""What the pages call the documents of a graph."""

from pathlib import Path
from typing import Final

from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.web.collection import read_collection_name
from tests.support.wiping import wipe

NAMES: Final = {
    "": "",
    "file:///My%20tales/1 file:///My%20tales/old/2": "My tales",
    "file:///a/1.txt file:///b/2.txt": "2 documents",
    "file:///C:/1.txt file:///C:/2.txt": "2 documents",
    "tales/1.txt tales/2.txt": "tales",
    "file:///a/all.csv#1 file:///a/all.csv#2": "all.csv",
    "https://example.org/1 https://example.org/2": "example.org",
    "file:///a/tales/1.txt file:///a/tales-2/2.txt": "a",
    "tales/1.txt tales/2.txt UPLOADS/3.txt": "tales",
    "UPLOADS/1.txt UPLOADS/2.txt": "2 documents",
    "file:///a/1.txt": "1.txt (One tale)",
}
CREATE: Final = """UNWIND $sources AS source
CREATE (:Document:KgBuild {source: source, name: split(source, '/')[-1], title: 'One tale'})"""


async def test_documents_are_called_by_what_they_share(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    settings = alone.changed(home=tmp_path / "home")
    uploads = Uploads(settings).folder.resolve().as_uri()
    for sources, name in NAMES.items():
        await wipe(graph)
        await graph.run_plain(CREATE, sources=sources.replace("UPLOADS", uploads).split())
        assert await read_collection_name(graph, settings) == name
