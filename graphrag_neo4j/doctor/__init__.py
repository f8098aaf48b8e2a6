"""Is everything there that a build needs? Each thing is tried for real; nothing is left behind."""

import sys

from graphrag_neo4j.doctor.check import Check
from graphrag_neo4j.doctor.database import check_neo4j
from graphrag_neo4j.doctor.endpoint import check_endpoint
from graphrag_neo4j.doctor.machine import check_python, check_tokenizer
from graphrag_neo4j.events import Listener, silent
from graphrag_neo4j.settings import Settings

__all__ = ["Check", "examine"]


async def examine(settings: Settings, listen: Listener = silent) -> list[Check]:
    """All checks, in order; the embedded server is started if no other one is set."""
    return [
        check_python(sys.version_info[:2]),
        *await check_neo4j(settings, listen),
        await check_tokenizer(settings.encoding),
        *await check_endpoint(settings),
    ]
