"""The language of the documents, and what it decides: the sentence encoder and the analyser."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypedDict

import anyio.to_thread

from graphrag_neo4j.backends import Backends, IndexSetup, is_free
from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import (
    ANALYZERS,
    NEUTRAL,
    ensure_fulltext_indexes,
    forget_vectors,
    refuse_other_vectors,
)
from graphrag_neo4j.graph.rows import MadeWithRow
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.model.events import Notice
from graphrag_neo4j.text.languages import language_of

SAMPLE: Final = 100  # chunks whose language is detected
MOST: Final = 0.8  # share of these chunks that must have the same language
SEVERAL: Final = "mul"
"""The language of documents of which no language has nearly all (ISO 639-2)."""
# Languages whose script has no capitals, so that rules don't know their names.
UNCASED: Final = {
    "ar": "Arabic", "he": "Hebrew", "hi": "Hindi", "ko": "Korean", "th": "Thai"
}  # fmt: skip
REPEATED: Final = "found only where a passage repeats them, and have no type"
STATIC: Final = "passages are found by static word vectors and by their words"


class SampleRow(TypedDict):
    """The text of a chunk."""

    text: str


async def settle_vectors(graph: Graph, setup: IndexSetup, *, reembed: bool) -> None:
    """Refuses vectors of another model, unless they are to be made again or cost nothing.

    With a model, vectors that need no endpoint replace those of an endpoint only on demand, as
    these were paid.
    """
    old_model = (await graph.read("embed/known", MadeWithRow))[0]["model"]
    model = setup.embedder.model
    unpaid = is_free(old_model) or (setup.endpoint is None and is_free(model))
    # An empty graph keeps its indexes: Neo4j plans all statements again when one is dropped.
    if reembed or (old_model and old_model != model and unpaid):
        await forget_vectors(graph)
    else:
        await refuse_other_vectors(graph, model, setup.embedder.dimensions)


async def follow_language(
    stage: StageContext, setup: IndexSetup, backends: Backends, *, reembed: bool
) -> IndexSetup:
    """Lets the documents' language decide the analyser and the encoder; returns the new setup.

    The analyser of full-text search is left alone where one is set, and so is the embedder where no
    encoder is wanted. Raises InputError where an encoder is required and can't be used.
    """
    # The ids of chunks are hashes, so the first ones are random ones.
    rows = await stage.graph.read("embed/sample", SampleRow, limit=SAMPLE)
    language = main_language([row["text"] for row in rows]) if rows else None
    if language and backends.settings.fulltext_analyzer is None:
        await ensure_fulltext_indexes(stage.graph, ANALYZERS.get(language, NEUTRAL))
    if language in UNCASED and stage.backend.origin == "extractive":
        found = "not found" if language == "th" else REPEATED
        stage.listen(Notice(f"Without a model, names in {UNCASED[language]} are {found}."))
    if setup.encoder == "no":
        return setup
    if language:
        setup = await _with_encoder(stage, setup, backends, language)
    await settle_vectors(stage.graph, setup, reembed=reembed)
    return setup


async def _with_encoder(
    stage: StageContext, setup: IndexSetup, backends: Backends, language: str
) -> IndexSetup:
    """Returns the setup with the sentence encoder for the documents' language.

    Where there is no encoder for this language, the embedder stays. A notice says what was chosen,
    unless the graph's vectors were made so before.
    """
    before = (await stage.graph.read("embed/known", MadeWithRow))[0]["model"]
    try:
        load = partial(backends.local_embedder, language, stage.listen)
        embedder = await anyio.to_thread.run_sync(load)
        alone = language != SEVERAL
        of = f"in this language ({language})" if alone else "in several languages"
        notice = f"There is no sentence encoder for documents {of}, so {STATIC}"
    except InputError as error:
        if setup.encoder == "required":
            raise InputError(f"{error} Or set KG_EMBEDDING_MODEL=static.") from error
        embedder = None
        notice = f"{str(error).rstrip('.')}. Until then {STATIC}"
    if embedder:
        notice = f"Passages are found by their meaning with the sentence encoder {embedder.model}"
        setup = replace(setup, embedder=embedder)
    if before != setup.embedder.model:
        again = ", and all vectors are made again" if before else ""
        stage.listen(Notice(f"{notice}{again}."))
    return setup


def main_language(texts: Sequence[str]) -> str:
    """Returns the language (ISO 639-1) of nearly all texts, SEVERAL if there is none."""
    votes = Counter(language_of(text, re.findall(r"\w+", text)) for text in texts)
    [(language, count)] = votes.most_common(1)
    return language if count >= MOST * len(texts) else SEVERAL
