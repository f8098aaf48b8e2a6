"""Measures how good answers are, on one's own documents and with one's own model.

The method is that of the paper (arXiv 2404.16130): questions are made from a description of the
corpus, several conditions answer them, and a judge compares the answers two by two. It adds what
the paper does not measure: the position bias of the judge, and groundedness. An evaluation is a
folder of plain files, one record a line, so each step can be stopped and continued.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphrag_neo4j.extras.evaluate.evaluation import Evaluation

__all__ = ["Evaluation"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class of ours
    """Imports the class when it is first used: the records need neither Neo4j nor a model."""
    from importlib import import_module  # noqa: PLC0415

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("graphrag_neo4j.extras.evaluate.evaluation"), name)
