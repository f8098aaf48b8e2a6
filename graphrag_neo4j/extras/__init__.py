"""Other ways in: LangChain, assistants (MCP), `explore` for Neo4j Browser and the map, and `serve`.

LangChain, MCP and `serve` each need an extra of this package.
"""
