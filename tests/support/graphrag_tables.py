"""Indexes of microsoft/graphrag for tests, a real one and a small one made up, and their import."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.extras.importing import ImportSummary
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import dump
from graphrag_neo4j.model.events import Event, Started
from graphrag_neo4j.settings import Settings
from tests.support.paths import DATA

CAROL = DATA / "christmas_carol" / "tables"
Row = dict[str, Any]


@cache
def carol(table: str) -> list[Row]:
    rows: list[Row] = pq.read_table(CAROL / f"{table}.parquet").to_pylist()
    return rows


TEXT = "Ada met Charles in London. Charles built an engine. Ada wrote a programme for it."
SMALL: Mapping[str, list[Row]] = {
    "documents": [{"id": "d", "title": "ada.txt", "text": TEXT}],
    "text_units": [
        {"id": "u0", "human_readable_id": 0, "text": TEXT[:51], "document_ids": ["d"]},
        {"id": "u1", "human_readable_id": 1, "text": TEXT[27:], "document_ids": ["d"]},
    ],
    "entities": [
        {"id": "e0", "human_readable_id": 0, "title": "ADA", "type": "PERSON",
         "description": "A writer.", "text_unit_ids": ["u0", "u1"]},
        {"id": "e1", "human_readable_id": 1, "title": "CHARLES", "type": "PERSON",
         "description": "A builder.", "text_unit_ids": ["u0", "u1"]},
        {"id": "e2", "human_readable_id": 2, "title": "Ada", "type": "WRITER",
         "description": "She wrote.", "text_unit_ids": ["u1"]},
        {"id": "e3", "human_readable_id": 3, "title": "LONDON", "type": "GEO",
         "description": "A town.", "text_unit_ids": ["u0"]},
        {"id": "e4", "human_readable_id": 4, "title": "NOWHERE", "type": "GEO",
         "description": "Nothing names it.", "text_unit_ids": []},
    ],
    "relationships": [
        {"human_readable_id": 0, "source": "ADA", "target": "CHARLES", "description": "They met.",
         "weight": 12.0, "text_unit_ids": ["u0", "u1"]},
        {"human_readable_id": 1, "source": "CHARLES", "target": "Ada", "weight": 5.0,
         "description": "He met her.", "text_unit_ids": ["u0"]},
        {"human_readable_id": 2, "source": "CHARLES", "target": "ENGINE", "weight": 8.0,
         "description": "He built it.", "text_unit_ids": ["u1"]},
        {"human_readable_id": 3, "source": "ADA", "target": "Ada", "weight": 1.0,
         "description": "Herself.", "text_unit_ids": ["u0"]},
    ],
    "communities": [
        {"community": 0, "level": 0, "parent": -1, "entity_ids": ["e0", "e1", "e2", "e3"]},
        {"community": 1, "level": 1, "parent": 0, "entity_ids": ["e3", "e1", "e0"]},
        {"community": 2, "level": 2, "parent": 1, "entity_ids": ["e0", "e1"]},
        {"community": 3, "level": 0, "parent": -1, "entity_ids": ["e4"]},
    ],
    "community_reports": [
        {"community": 0, "title": "Ada's", "rank": 5.0, "rating_explanation": "So so.",
         "summary": "Of Ada [Data: Entities (2, 0, 9); Reports (1)].",
         "findings": [{"summary": "They met", "explanation": "So [Data: Relationships (1, 3)]."}]},
        {"community": 2, "title": "Two", "summary": "Two [Data: Sources (1); Papers (4)].",
         "rank": 4.0, "rating_explanation": "", "findings": []},
        {"community": 1, "title": "Again", "summary": "The same.",
         "rank": 4.0, "rating_explanation": "", "findings": []},
        {"community": 3, "title": "Of nobody", "summary": "Nothing.",
         "rank": 1.0, "rating_explanation": "", "findings": []},
    ],
}  # fmt: skip

Write = Callable[..., Path]


async def brought(alone: Settings, folder: Path = CAROL) -> ImportSummary:
    async with AsyncGraphRAG(alone) as rag:
        return await rag.import_graphrag(folder)


async def column(graph: Graph, query: str, **parameters: object) -> list[Any]:
    return [row["x"] for row in await graph.run_plain(query, **parameters)]


async def pairs_of(graph: Graph, query: str) -> list[tuple[Any, Any]]:
    return [(row["a"], row["b"]) for row in await graph.run_plain(query)]


async def everything(graph: Graph) -> tuple[Any, list[tuple[Any, Any]]]:
    """The dump, and what has which ref."""
    refs = await pairs_of(
        graph,
        "MATCH (n) WHERE n.ref IS NOT NULL RETURN n.id AS a, n.ref AS b "
        "UNION MATCH ()-[r:RELATED]->() RETURN r.id AS a, r.ref AS b",
    )
    return await dump(graph), sorted(refs)


async def interrupted(alone: Settings, folder: Path, stage: str) -> None:
    """An import that fails when it has done something in a stage."""
    reached: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Started):
            reached.append(event.stage)
        elif reached[-1] == stage:
            raise ConnectionError("lost")

    async with AsyncGraphRAG(alone, listen) as rag:
        with pytest.raises(ConnectionError):
            await rag.import_graphrag(folder)


def write_small(folder: Path, **tables: list[Row] | None) -> Path:
    """Writes the small index; a table given as None is left out, others replace ours."""
    folder.mkdir(exist_ok=True)
    for name, rows in {**SMALL, **tables}.items():
        if rows is not None:
            pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder
