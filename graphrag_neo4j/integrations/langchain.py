"""A retriever for LangChain: the passages that the graph finds for a question.

with GraphRAG.from_env() as rag:
    documents = GraphRAGRetriever(rag=rag).invoke("Who was Marley?")
"""

from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.query.answer import Answer, Source
from graphrag_neo4j.sync_client import GraphRAG

__all__ = ["GraphRAGRetriever"]


class GraphRAGRetriever(BaseRetriever):
    """The chunks that a local or basic answer would be made from, the best first.

    `local`: those that support the entities near the question; `basic`: those nearest to it. A
    Document has the chunk's text and its id; its metadata are `source` and `title` of the document,
    `chunk` (a ref), `start` and `end` (characters of the document) and `rank`, from 1. Asks no chat
    model. Raises what `GraphRAG.query` raises.
    """

    rag: GraphRAG | AsyncGraphRAG = Field(description="An open one; AsyncGraphRAG for ainvoke.")
    method: Literal["local", "basic"] = "local"
    k: int | None = Field(
        default=None, ge=1, description="So many at most; else what the budget takes."
    )
    settings: dict[str, Any] = Field(default={}, description="By name, as max_context_tokens.")

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - as LangChain has it
    ) -> list[Document]:
        if isinstance(self.rag, AsyncGraphRAG):
            raise InputError(
                "A retriever on an AsyncGraphRAG is awaited: call `ainvoke`, or give it a GraphRAG."
            )
        records = self._records(self.rag.query(query, **self._how))
        return _documents(records, self.rag.sources(*(record.ref for record in records)))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if isinstance(self.rag, GraphRAG):  # in a thread
            return await super()._aget_relevant_documents(query, run_manager=run_manager)
        records = self._records(await self.rag.query(query, **self._how))
        return _documents(records, await self.rag.sources(*(record.ref for record in records)))

    @property
    def _how(self) -> dict[str, Any]:
        return {**self.settings, "method": self.method, "context_only": True}

    def _records(self, answer: Answer) -> list[ContextRecord]:
        found = [
            record for shown in answer.context for record in shown.by_kind().get("Sources", [])
        ]
        return found[: self.k]


def _documents(records: Sequence[ContextRecord], places: Sequence[Source]) -> list[Document]:
    ids = {record.ref: record.id for record in records}
    return [
        Document(
            place.text,
            id=ids[place.chunk],
            metadata={
                "source": place.document,
                "title": place.title,
                "chunk": place.chunk,
                "start": place.start,
                "end": place.end,
                "rank": rank,
            },
        )
        for rank, place in enumerate(places, start=1)
    ]
