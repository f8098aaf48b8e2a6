"""A retriever for LangChain: it returns the passages that the graph finds for a question.

with GraphRAG.from_env() as rag:
    documents = GraphRAGRetriever(rag=rag).invoke("Who was Marley?")
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.client.sync_client import GraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.context import ContextRecord
from graphrag_neo4j.query.answer import Answer, Source


class GraphRAGRetriever(BaseRetriever):
    """Retrieves the chunks from which local or basic search would answer, the best first.

    The method "local" returns chunks that mention the entities of the question; "basic" returns the
    chunks that are most similar to it. Each Document holds the text and the id of a chunk. Its
    metadata are `source` and `title` of the document, `chunk` (the ref of the chunk), `start` and
    `end` (characters of the document) and `rank` (1 for the best). No chat model is called. Raises
    the same errors as `GraphRAG.query`.
    """

    rag: GraphRAG | AsyncGraphRAG = Field(
        description="An open client. `ainvoke` accepts both kinds, `invoke` only a GraphRAG."
    )
    method: Literal["local", "basic"] = "local"
    k: int | None = Field(
        default=None,
        ge=1,
        description="The largest number of documents. By default the token budget limits them.",
    )
    settings: dict[str, Any] = Field(
        default={}, description="Settings for the question by name, such as max_context_tokens."
    )

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - as LangChain has it
    ) -> list[Document]:
        if isinstance(self.rag, AsyncGraphRAG):
            raise InputError(
                "A retriever with an AsyncGraphRAG has no `invoke`: call `ainvoke`, or give it a "
                "GraphRAG."
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
        tables = [table.by_kind().get("Sources", []) for table in answer.context]
        return [*chain.from_iterable(tables)][: self.k]


def _documents(records: Sequence[ContextRecord], places: Sequence[Source]) -> list[Document]:
    ids = {record.ref: record.id for record in records}
    found = []
    for rank, place in enumerate(places, start=1):
        metadata = {name: getattr(place, name) for name in ("title", "chunk", "start", "end")}
        metadata |= {"source": place.document, "rank": rank}
        found.append(Document(place.text, id=ids[place.chunk], metadata=metadata))
    return found
