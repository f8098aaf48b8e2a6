"""The ranks of tokens in the form in which they are published."""

from base64 import b64encode

from graphrag_neo4j.text.tokens import ranks_of


def published(name: str) -> bytes:
    """The file that tiktoken downloads for an encoding. It checks the file's SHA-256."""
    lines = (b"%b %d\n" % (b64encode(token), rank) for token, rank in ranks_of(name).items())
    return b"".join(lines)
