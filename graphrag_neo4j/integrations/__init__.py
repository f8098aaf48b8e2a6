"""Integrations with LangChain and with assistants (MCP). Each needs its own optional dependency."""
