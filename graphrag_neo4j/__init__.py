"""GraphRAG on Neo4j: documents to a knowledge graph, its communities, and cited answers.

The public names are those of `__init__.pyi`. Each is imported at its first use, so that the command
line's start-up stays quick.
"""

from typing import Any

import lazy_loader

_public, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
__all__.sort()


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    if name == "__version__":
        from importlib import metadata  # noqa: PLC0415

        return metadata.version("graphrag-neo4j")
    return _public(name)
