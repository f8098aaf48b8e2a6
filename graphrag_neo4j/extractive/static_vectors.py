"""Static vectors of texts: the mean of the vectors of their tokens.

The vectors are those of the package wordllama. Only its two data files are read. Its code is not
imported, because that would configure logging for the whole process.
"""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extractive import STATIC_VECTORS
from graphrag_neo4j.installing import install_command
from graphrag_neo4j.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

__all__ = ["DIMENSIONS", "static_embedder", "vectors_of"]

DIMENSIONS = 256
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"


def static_embedder() -> Embedder:
    """Returns the embedding model that needs no endpoint."""
    return Embedder(STATIC_VECTORS, DIMENSIONS, _embed)


async def _embed(texts: Sequence[str]) -> list[list[float]]:
    return await anyio.to_thread.run_sync(vectors_of, texts)


def vectors_of(texts: Sequence[str]) -> list[list[float]]:
    """Returns a vector of DIMENSIONS numbers and length 1 for each text.

    A text without a token gets a vector of zeros. Raises InputError if wordllama is not installed.
    """
    import numpy as np  # noqa: PLC0415 - it takes a moment

    tokenizer, table = _model()
    found = []
    for encoded in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False):
        some = table[encoded.ids].astype(np.float32) if encoded.ids else np.zeros((1, DIMENSIONS))
        vector = some.mean(axis=0)
        found.append((vector / (np.linalg.norm(vector) or 1.0)).tolist())
    return found


@cache
def _model() -> "tuple[Tokenizer, NDArray[np.float16]]":
    from safetensors.numpy import load_file  # noqa: PLC0415
    from tokenizers import Tokenizer  # noqa: PLC0415

    folder = _folder()
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    # This tokenizer takes a whole text for a word, and would remember 10,000 of them: up to 70 MB.
    tokenizer.model._resize_cache(0)  # noqa: SLF001 - there is no public way
    # The numbers stay in 16 bits, as the file has them: in 32 bits they take twice the memory.
    return tokenizer, load_file(folder / WEIGHTS)["embedding.weight"]


def _folder() -> Path:
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise InputError(f"The package wordllama is missing: {install_command()}")
    return Path(spec.submodule_search_locations[0])
