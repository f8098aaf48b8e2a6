"""Writes the answers of neo4j-graphrag 1.22 (with its extra openai) to the questions.

OPENAI_API_KEY=… NEO4J_URI=… NEO4J_PASSWORD=… \
    python neo4j_graphrag_answers.py study/questions.jsonl neo4j-graphrag.jsonl

It searches the chunks of a graph that kg-build has made, by their vectors.
"""

import json
import os
import sys
import time
from pathlib import Path

import neo4j
from neo4j_graphrag.embeddings import OpenAIEmbeddings
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.llm import OpenAILLM
from neo4j_graphrag.retrievers import VectorCypherRetriever
from neo4j_graphrag.types import RetrieverResultItem

CHUNKS = 10
FOUND = "MATCH (node)-[:PART_OF]->(d:Document) RETURN node.text AS text, d.source AS source"


def item(row: neo4j.Record) -> RetrieverResultItem:
    return RetrieverResultItem(content=row["text"], metadata={"source": row["source"]})


def main(questions: Path, target: Path) -> None:
    login = (os.environ.get("NEO4J_USERNAME", "neo4j"), os.environ["NEO4J_PASSWORD"])
    embedder = OpenAIEmbeddings(model="text-embedding-3-small")
    with (
        neo4j.GraphDatabase.driver(os.environ["NEO4J_URI"], auth=login) as driver,
        target.open("w", encoding="utf-8") as file,
    ):
        retriever = VectorCypherRetriever(
            driver, "kg_chunk_vector", FOUND, embedder=embedder, result_formatter=item
        )
        rag = GraphRAG(retriever, OpenAILLM("gpt-4.1-mini"))
        for line in questions.read_text("utf-8").splitlines():
            written = answer(rag, json.loads(line)["text"])
            file.write(json.dumps(written, ensure_ascii=False) + "\n")


def answer(rag: GraphRAG, question: str) -> dict[str, object]:
    began = time.perf_counter()
    found = rag.search(question, retriever_config={"top_k": CHUNKS}, return_context=True)
    seconds = time.perf_counter() - began
    items = found.retriever_result.items
    return {
        "question": question,
        "answer": found.answer,
        "sources": [{"source": one.metadata["source"], "text": one.content} for one in items],
        "units": len(items),
        "seconds": seconds,
    }


main(Path(sys.argv[1]), Path(sys.argv[2]))
