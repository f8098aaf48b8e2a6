"""Doors to other programs, each with a dependency of its own: LangChain, MCP."""
