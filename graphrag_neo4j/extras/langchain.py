"""A retriever for LangChain: it returns the passages that the graph finds for a question.

with GraphRAG.from_env() as rag:
    documents = GraphRAGRetriever(rag=rag).invoke("Who was Marley?")
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, Literal, get_args

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import run_in_executor
from pydantic import Field

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.client.sync_client import GraphRAG
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.model.context import ContextRecord
from graphrag_neo4j.query.answer import Answer, Source
from graphrag_neo4j.settings.checks import check_choice, check_number, refuse_unknown

Retrieval = Literal["local", "basic"]
PER_CALL: Final = ("k", "method", "where")  # what `invoke` takes beside the question


class GraphRAGRetriever(BaseRetriever):
    """Retrieves the chunks from which local or basic search would answer, the best first.

    The method "local" returns chunks that mention the entities of the question; "basic" returns the
    chunks that are most similar to it. Each Document holds the text and the id of a chunk. Its
    metadata are `source` and `title` of the document, `chunk` (the ref of the chunk), `start` and
    `end` (characters of the document) and `rank` (1 for the best). No chat model is called.

    `invoke` and `ainvoke` also take `k`, `method` and `where` (conditions on documents) for one
    call. Raises the same errors as `GraphRAG.query`, and InputError for another keyword.
    """

    rag: GraphRAG | AsyncGraphRAG = Field(
        description="An open client. `ainvoke` accepts both kinds, `invoke` only a GraphRAG."
    )
    method: Retrieval = "local"
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
        **given: Any,  # noqa: ANN401 - checked
    ) -> list[Document]:
        if isinstance(self.rag, AsyncGraphRAG):
            raise InputError(
                "A retriever with an AsyncGraphRAG has no `invoke`: call `ainvoke`, or give it a "
                "GraphRAG."
            )
        k, how = self._how(given)
        records = _records(self.rag.query(query, **how), k)
        return _documents(records, self.rag.sources(*(record.ref for record in records)))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        **given: Any,  # noqa: ANN401 - checked
    ) -> list[Document]:
        if isinstance(self.rag, GraphRAG):
            in_thread = partial(self._get_relevant_documents, run_manager=run_manager.get_sync())
            return await run_in_executor(None, in_thread, query, **given)
        k, how = self._how(given)
        records = _records(await self.rag.query(query, **how), k)
        return _documents(records, await self.rag.sources(*(record.ref for record in records)))

    def _how(self, given: Mapping[str, Any]) -> tuple[int | None, dict[str, Any]]:
        """The number of documents, and how the question is asked, with what a call gives."""
        refuse_unknown(given, PER_CALL, "argument of `invoke`")
        if (k := given.get("k", self.k)) is not None:
            check_number(k, "k", 1)
        check_choice("method", method := given.get("method", self.method), get_args(Retrieval))
        where = {"where": given["where"]} if "where" in given else {}
        return k, {**self.settings, **where, "method": method, "context_only": True}


def _records(answer: Answer, k: int | None) -> list[ContextRecord]:
    tables = [table.by_kind().get("Sources", []) for table in answer.context]
    return [*chain.from_iterable(tables)][:k]


def _documents(records: Sequence[ContextRecord], places: Sequence[Source]) -> list[Document]:
    ids = {record.ref: record.id for record in records}
    found = []
    for rank, place in enumerate(places, start=1):
        metadata = {name: getattr(place, name) for name in ("title", "chunk", "start", "end")}
        metadata |= {"source": place.document, "rank": rank}
        found.append(Document(place.text, id=ids[place.chunk], metadata=metadata))
    return found
