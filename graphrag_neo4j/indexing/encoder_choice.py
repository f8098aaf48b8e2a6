"""Chooses the sentence encoder for the language of the documents, when these are in the graph."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import anyio.to_thread

from graphrag_neo4j.backends import Backends, IndexSetup
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.events import Notice
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.graph.rows import MadeWithRow
from graphrag_neo4j.indexing.preparation import prepare_vectors
from graphrag_neo4j.indexing.rows import SampleRow
from graphrag_neo4j.indexing.stage_context import StageContext
from graphrag_neo4j.nlp.languages import language_of

__all__ = ["main_language", "with_encoder"]

SAMPLE: Final = 100  # chunks whose language is detected
MOST: Final = 0.8  # share of these chunks that must have the same language
STATIC: Final = "passages are found by static word vectors and by their words"


async def with_encoder(
    stage: StageContext, setup: IndexSetup, backends: Backends, *, reembed: bool
) -> IndexSetup:
    """Returns the setup with the sentence encoder for the documents' language, if it is wanted.

    Otherwise, and where there is no encoder for this language, the embedder stays. A notice says
    what was chosen, unless the graph's vectors were made so before. Raises InputError where an
    encoder is required and can't be used.
    """
    if setup.encoder == "no":
        return setup
    before = (await stage.graph.read("embed/known", MadeWithRow))[0]["model"]
    setup, notice = await _chosen(stage, setup, backends)
    if notice and before != setup.embedder.model:
        again = ", and all vectors are made again" if before else ""
        stage.listen(Notice(f"{notice}{again}."))
    await prepare_vectors(stage.graph, setup, reembed=reembed)
    return setup


def main_language(texts: Sequence[str]) -> str | None:
    """Returns the language (ISO 639-1) of nearly all texts, None if they have several or none."""
    if not texts:
        return None
    votes = Counter(language_of(text, re.findall(r"\w+", text)) for text in texts)
    [(language, count)] = votes.most_common(1)
    return language if count >= MOST * len(texts) else None


async def _chosen(
    stage: StageContext, setup: IndexSetup, backends: Backends
) -> tuple[IndexSetup, str]:
    """Returns the setup, and the sentence that says why, without its full stop."""
    texts = await _sample(stage.graph)
    if not texts:
        return setup, ""
    language = main_language(texts)
    load = partial(backends.local_embedder, language or "", stage.listen)
    try:
        embedder = await anyio.to_thread.run_sync(load)
    except InputError as error:
        if setup.encoder == "required":
            raise InputError(f"{error} Or set KG_EMBEDDING_MODEL=static.") from error
        return setup, f"{str(error).rstrip('.')}. Until then {STATIC}"
    if embedder is None:
        of = f"in this language ({language})" if language else "in several languages"
        return setup, f"There is no sentence encoder for documents {of}, so {STATIC}"
    notice = f"Passages are found by their meaning with the sentence encoder {embedder.model}"
    return replace(setup, embedder=embedder), notice


async def _sample(graph: Graph) -> list[str]:
    """Reads the texts of some chunks. Their ids are hashes, so these are random ones."""
    rows = await graph.read("embed/sample", SampleRow, limit=SAMPLE)
    return [row["text"] for row in rows]
