"""The extractive backend: it finds names by rules, and all its texts are quoted from documents.

Its modules are imported where they are used, because a question needs only a few of them.
"""

from typing import Final

SIGNATURE_PREFIX: Final = "extractive"
"""The beginning of this backend's signatures. It is stored in graphs, so it must not change."""

DESCRIBED: Final = 160
"""The largest number of tokens of a description: quotations that stand for many need no more."""
