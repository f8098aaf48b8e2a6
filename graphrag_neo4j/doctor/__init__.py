"""Checks the requirements of indexing and queries. Each is really tried, and leaves no traces."""

import sys

from graphrag_neo4j.doctor.check import Check
from graphrag_neo4j.doctor.database import check_neo4j
from graphrag_neo4j.doctor.endpoint import check_endpoint
from graphrag_neo4j.doctor.machine import check_python, check_tokenizer
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.settings import Settings

__all__ = ["Check", "examine"]


async def examine(settings: Settings, listen: Listener = silent) -> list[Check]:
    """Runs all checks in order. Starts the embedded server if NEO4J_URI is not set."""
    return [
        check_python(sys.version_info[:2]),
        *await check_neo4j(settings, listen),
        await check_tokenizer(settings.encoding),
        *await check_endpoint(settings),
    ]
