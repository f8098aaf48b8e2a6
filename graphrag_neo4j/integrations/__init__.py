"""Other ways in: LangChain, assistants (MCP), and `explore` for Neo4j Browser and the map.

LangChain and MCP each need an extra of this package.
"""
