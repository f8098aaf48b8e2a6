"""`kg-build serve`: a page, the chat API of OpenAI, REST and MCP, all on one open graph.

In reading order: server, app (the routes), access (who may ask), questions (how many, at what
cost), chat (the API of OpenAI), content (of its messages), tasks (of its clients), rest, lookup and
page (what the page needs), runs (what is read), logs, metrics and probes (what an operator needs).
`kg-build mcp` needs mcp and logs alone, so nothing is imported here.
"""
