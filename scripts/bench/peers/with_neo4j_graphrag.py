"""Drives neo4j-graphrag, inside an environment of its own, as its documentation shows.

    python with_neo4j_graphrag.py (index|add) HOME FOLDER
    python with_neo4j_graphrag.py ask HOME METHOD QUESTION
    python with_neo4j_graphrag.py count HOME

The pipeline is SimpleKGPipeline, whose default is that the model finds a schema for each document.
Its splitter counts characters. HOME is not used: everything is in Neo4j. `index` reads all
documents of FOLDER, as the pipeline does not know what it has read; `add` reads the newest file.

The pipeline needs APOC. Where Neo4j has none, as the embedded one, relationships are created by a
statement of Neo4j itself, and entities of one name are not merged. Neither asks the model.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import neo4j
from neo4j_graphrag.components import kg_writer
from neo4j_graphrag.components.text_splitters.fixed_size_splitter import FixedSizeSplitter
from neo4j_graphrag.embeddings import OpenAIEmbeddings
from neo4j_graphrag.experimental.pipeline.kg_builder import SimpleKGPipeline
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.indexes import create_fulltext_index, create_vector_index
from neo4j_graphrag.llm import OpenAILLM
from neo4j_graphrag.retrievers import HybridCypherRetriever, HybridRetriever

CHARACTERS = 4.5  # of a token of English, about
VECTORS, WORDS = "chunk_vectors", "chunk_words"
AROUND = """
MATCH (node)<-[:FROM_CHUNK]-(entity)
OPTIONAL MATCH (entity)-[related]-(other)
WITH node, collect(DISTINCT entity.name + ' ' + coalesce(other.name, ''))[..40] AS near
RETURN node.text AS text, near
"""
WITH_APOC = (
    "CALL apoc.merge.relationship(start, row.type, {}, row.properties, end, row.properties) "
    "YIELD rel"
)
WITHOUT_APOC = "MERGE (start)-[rel:$(row.type)]->(end) SET rel += row.properties"
COUNTED = {
    "documents": "MATCH (n:Document) RETURN count(n)",
    "chunks": "MATCH (n:Chunk) RETURN count(n)",
    "entities": "MATCH (n:__Entity__) RETURN count(n)",
    "names": "MATCH (n:__Entity__) RETURN count(DISTINCT n.name)",
    "relationships": "MATCH (:__Entity__)-[r]->(:__Entity__) RETURN count(r)",
}


def main() -> None:
    command, _, *rest = sys.argv[1:]
    login = (os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"])
    with neo4j.GraphDatabase.driver(os.environ["NEO4J_URI"], auth=login) as driver:
        if command == "ask":
            print(_ask(driver, *rest))
        elif command == "count":
            print(json.dumps({name: _number(driver, query) for name, query in COUNTED.items()}))
        else:
            paths = sorted(Path(rest[0]).glob("*.txt"), key=lambda path: path.stat().st_mtime)
            asyncio.run(_read(driver, paths[-1:] if command == "add" else paths))


async def _read(driver: neo4j.Driver, paths: list[Path]) -> None:
    has_apoc = _has_apoc(driver)
    if not has_apoc:
        _write_without_apoc()
    size = int(int(os.environ["BENCH_CHUNK_TOKENS"]) * CHARACTERS)
    overlap = int(int(os.environ["BENCH_CHUNK_OVERLAP"]) * CHARACTERS)
    pipeline = SimpleKGPipeline(
        llm=OpenAILLM(os.environ["BENCH_MODEL"]),
        driver=driver,
        embedder=OpenAIEmbeddings(model=os.environ["BENCH_EMBEDDING"]),
        from_file=False,
        text_splitter=FixedSizeSplitter(chunk_size=size, chunk_overlap=overlap),
        perform_entity_resolution=has_apoc,
    )
    for path in paths:
        await pipeline.run_async(file_path=path.name, text=path.read_text(encoding="utf-8"))
    dimensions = int(os.environ["BENCH_DIMENSIONS"])
    create_vector_index(driver, VECTORS, "Chunk", "embedding", dimensions, "cosine")
    create_fulltext_index(driver, WORDS, "Chunk", ["text"])


def _ask(driver: neo4j.Driver, method: str, question: str) -> str:
    embedder = OpenAIEmbeddings(model=os.environ["BENCH_EMBEDDING"])
    retriever = (
        HybridCypherRetriever(driver, VECTORS, WORDS, AROUND, embedder)
        if method == "hybrid_cypher"
        else HybridRetriever(driver, VECTORS, WORDS, embedder=embedder)
    )
    rag = GraphRAG(retriever, OpenAILLM(os.environ["BENCH_MODEL"]))
    return str(rag.search(query_text=question).answer)


def _has_apoc(driver: neo4j.Driver) -> bool:
    query = "SHOW PROCEDURES YIELD name WHERE name = 'apoc.refactor.mergeNodes' RETURN count(name)"
    return _number(driver, query) > 0


def _write_without_apoc() -> None:
    made = kg_writer.upsert_relationship_query
    kg_writer.upsert_relationship_query = lambda *given, **named: made(*given, **named).replace(
        WITH_APOC, WITHOUT_APOC
    )


def _number(driver: neo4j.Driver, query: str) -> int:
    return int(driver.execute_query(query).records[0][0])


if __name__ == "__main__":
    main()
