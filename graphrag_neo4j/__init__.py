"""GraphRAG on Neo4j."""
