"""The backend without a model: names are found by rules, and all that is said is quoted.

Its modules are imported where they are used, because a question needs little of what reading a
chunk does.
"""

from typing import Final

__all__ = ["SIGNATURE_PREFIX", "STATIC_VECTORS"]

SIGNATURE_PREFIX: Final = "extractive"
"""What the signatures of all that this backend has made begin with; they are kept in the graph."""

STATIC_VECTORS: Final = "wordllama-l2-supercat-256"
"""The embedding model of this backend, as the graph names it."""
