"""Measures how good answers are, on one's own documents and with one's own model.

The method is that of the paper (arXiv 2404.16130): questions are made from a description of the
corpus, several conditions answer them, and a judge compares the answers two by two. It adds what
the paper does not measure: the position bias of the judge, groundedness, and retrieval. An
evaluation is a folder of plain files, one record a line, so each step can be stopped and continued.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphrag_neo4j.evaluation.async_evaluation import AsyncEvaluation
    from graphrag_neo4j.evaluation.sync_evaluation import Evaluation

__all__ = ["AsyncEvaluation", "Evaluation"]

# Imported when first used: the pure parts of this package need neither Neo4j nor a model.
_LATER = {
    "AsyncEvaluation": "graphrag_neo4j.evaluation.async_evaluation",
    "Evaluation": "graphrag_neo4j.evaluation.sync_evaluation",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class of ours
    from importlib import import_module  # noqa: PLC0415

    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
