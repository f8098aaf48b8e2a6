"""The connection to Neo4j. Every statement of the package is run by it."""
