"""Static vectors of texts: the mean of the vectors of their tokens.

The two files in `data/static_vectors` are those of the package wordllama 0.2.2 (MIT licence), which
hold the vectors of 32,000 tokens with 256 numbers each, and the tokenizer.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio.to_thread

from graphrag_neo4j.files import data, read_data
from graphrag_neo4j.model.contracts import Embedder
from graphrag_neo4j.settings.installing import needing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

STATIC_VECTORS: Final = "wordllama-l2-supercat-256"
"""The name of this embedding model in the graph."""
DIMENSIONS = 256
TABLE = "embedding.weight"  # its name in the file


def static_embedder() -> Embedder:
    """Returns the embedding model that needs no endpoint. Its first vector loads it."""
    return Embedder(STATIC_VECTORS, DIMENSIONS, _embed)


async def _embed(texts: Sequence[str]) -> list[list[float]]:
    return await anyio.to_thread.run_sync(vectors_of, texts)


def vectors_of(texts: Sequence[str]) -> list[list[float]]:
    """Returns a vector of DIMENSIONS numbers and length 1 for each text.

    A text without a token gets a vector of zeros.
    """
    vectors: list[list[float]] = matrix_of(texts).tolist()
    return vectors


def matrix_of(texts: Sequence[str]) -> "NDArray[np.float32]":
    """Returns the vectors of texts as the rows of a matrix.

    Raises InputError where packages are missing.
    """
    with needing("index", "The search by vectors of words needs"):
        import numpy as np  # noqa: PLC0415 - it takes a moment

        tokenizer, table = _model()
    found = np.zeros((len(texts), DIMENSIONS), np.float32)
    encoded = tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
    for row, one in zip(found, encoded, strict=True):
        if one.ids:
            row[:] = table[one.ids].astype(np.float32).mean(axis=0)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    vectors: NDArray[np.float32] = found / lengths
    return vectors


@cache
def _model() -> "tuple[Tokenizer, NDArray[np.float16]]":
    import numpy as np  # noqa: PLC0415
    from tokenizers import Tokenizer  # noqa: PLC0415
    from tokenizers.pre_tokenizers import Split  # noqa: PLC0415

    tokenizer = Tokenizer.from_str(read_data("static_vectors/tokenizer.json").decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    # It would take a whole text for a word, and remember thousands of them.
    tokenizer.pre_tokenizer = Split("▁", "merged_with_next")
    # The format safetensors: the length of a header, the header in JSON, and the numbers. They stay
    # in 16 bits and in the file, of which only the pages with known tokens take memory.
    path = Path(str(data("static_vectors/vectors.safetensors")))
    with path.open("rb") as file:
        start = 8 + int.from_bytes(file.read(8), "little")
        first, _ = json.loads(file.read(start - 8))[TABLE]["data_offsets"]
    table: NDArray[np.float16] = np.memmap(path, "<f2", "r", offset=start + first)
    return tokenizer, table.reshape(-1, DIMENSIONS)
