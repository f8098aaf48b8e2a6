"""Drives LightRAG, inside an environment of its own, as its documentation shows.

    python with_lightrag.py (index|add) HOME FOLDER
    python with_lightrag.py ask HOME METHOD QUESTION
    python with_lightrag.py count HOME

The stores are its own files, which is the default. Other settings than the default: the endpoint,
the model, the size of a chunk and the calls at once.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from lightrag import LightRAG, QueryParam
from lightrag.llm.openai import openai_complete, openai_embed


def main() -> None:
    command, home, *rest = sys.argv[1:]
    match command:
        case "ask":
            print(asyncio.run(_ask(home, *rest)))
        case "count":
            print(json.dumps(asyncio.run(_count(home))))
        case _:
            asyncio.run(_insert(home, sorted(Path(rest[0]).glob("*.txt"))))


@asynccontextmanager
async def _opened(home: str) -> AsyncIterator[LightRAG]:
    rag = LightRAG(
        working_dir=home,
        llm_model_func=openai_complete,
        llm_model_name=os.environ["BENCH_MODEL"],
        embedding_func=openai_embed,
        llm_model_max_async=int(os.environ["BENCH_CONCURRENCY"]),
        chunk_token_size=int(os.environ["BENCH_CHUNK_TOKENS"]),
        chunk_overlap_token_size=int(os.environ["BENCH_CHUNK_OVERLAP"]),
    )
    await rag.initialize_storages()
    try:
        yield rag
    finally:
        await rag.finalize_storages()


async def _ask(home: str, method: str, question: str) -> str:
    async with _opened(home) as rag:
        return str(await rag.aquery(question, param=QueryParam(mode=method)))


async def _insert(home: str, paths: Sequence[Path]) -> None:
    """Inserts all documents; those that it has read already are left out by LightRAG itself."""
    names = [path.name for path in paths]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    async with _opened(home) as rag:
        await rag.ainsert(texts, ids=names, file_paths=names)


async def _count(home: str) -> dict[str, int]:
    async with _opened(home) as rag:
        graph = rag.chunk_entity_relation_graph
        states = await rag.doc_status.get_status_counts()
        return {
            "documents": states.get("processed", 0),
            "chunks": _chunks(Path(home)),
            "entities": len(await graph.get_all_nodes()),
            "relationships": len(await graph.get_all_edges()),
        }


def _chunks(home: Path) -> int:
    path = home / "kv_store_text_chunks.json"
    return len(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else 0


if __name__ == "__main__":
    main()
