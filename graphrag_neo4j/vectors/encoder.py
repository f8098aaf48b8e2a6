"""Sentence encoders: small models on this machine that give a text a vector by its meaning.

They are the models bge-small of the Beijing Academy of Artificial Intelligence (MIT licence), with
weights of 8 bits. Each is an ONNX file with its tokenizer in a jar, published by the project
langchain4j, which is downloaded from a Maven repository as the jars of Neo4j are. The packages that
run it belong to the extra `local`.

The vector of a text is the model's output at the token [CLS], with the length 1. Each text runs
through the model alone. The 8-bit model scales its numbers by all texts of a batch, so in a batch
the vector of a text would depend on the other texts (a cosine of 0.992 was measured); and a batch
of long texts is not faster. The cores are used by several threads instead.

A text of more tokens than the model takes is cut into windows, the last one shorter. Its vector is
the mean of their vectors, weighted by their lengths. In a measurement with chunks of 616 tokens and
42 questions, 75 % of the needed chunks were then among the first ten. With windows of equal length
it was 71 %, and with the first window alone 73 %.
"""

import os
import threading
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio.to_thread

from graphrag_neo4j.embedded.releases import Jar, read_lock
from graphrag_neo4j.errors import EmbeddedError, InputError
from graphrag_neo4j.files import data
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.settings.installing import install_command

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Both packages take a moment to load, and they belong to an extra.
# ruff: noqa: PLC0415

PACKAGES: Final = ("onnxruntime", "httpx2")
WINDOW: Final = 510  # tokens; with [CLS] and [SEP] they are the 512 that the model takes
MOST_THREADS: Final = 8  # each needs about 60 MB of memory
ASKED: Final = 16  # questions whose vectors are kept
CACHE: Final = "encoders"
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Encoder:
    """A sentence encoder.

    `name` is that of its files in the jar, without their endings. It is stored in graphs, so it
    must change with the vectors. `instruction` is put before a question, but not before a
    passage, because the model was trained so. `lowers` is True where its vocabulary has no capital
    letters and its tokenizer keeps them.
    """

    name: str
    language: str
    dimensions: int
    instruction: str
    lowers: bool = False

    @property
    def jar(self) -> Jar:
        """The locked jar that holds the model and its tokenizer."""
        lock = data("encoders.lock").read_text(encoding="utf-8")
        return next(jar for jar in read_lock(lock) if jar.kind == self.language)


_ENGLISH = "Represent this sentence for searching relevant passages: "
_CHINESE = "为这个句子生成表示以用于检索相关文章："
ENCODERS: Mapping[str, Encoder] = {
    "en": Encoder("bge-small-en-v1.5-q", "en", 384, _ENGLISH),
    "zh": Encoder("bge-small-zh-v1.5-q", "zh", 512, _CHINESE, lowers=True),
}


def encoder_named(name: str) -> Encoder | None:
    """The encoder of this name, None if there is none."""
    return next((one for one in ENCODERS.values() if one.name == name), None)


def missing_packages() -> str | None:
    """The sentence that names the command for missing packages, None if all are installed."""
    if all(find_spec(package) for package in PACKAGES):
        return None
    return f"The sentence encoder needs more packages: {install_command('local')}"


class SentenceEncoder:
    """A loaded encoder. Its methods may be called from several threads at the same time."""

    def __init__(self, encoder: Encoder, jar: Path) -> None:
        import onnxruntime  # type: ignore[import-untyped] # it has no types
        from tokenizers import Tokenizer

        self.encoder = encoder
        with zipfile.ZipFile(jar) as files:
            self._tokenizer = Tokenizer.from_str(
                files.read(f"{encoder.name}-tokenizer.json").decode()
            )
            model = files.read(f"{encoder.name}.onnx")
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._start, self._end = self._tokenizer.encode("").ids  # [CLS] and [SEP]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # only errors
        self._session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
        self._of_question = lru_cache(ASKED)(self._vector)  # a search embeds it more than once
        self._pool = ThreadPoolExecutor(min(os.cpu_count() or 1, MOST_THREADS), "encoder")

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Returns a vector of length 1 for each passage, without blocking the event loop.

        A text without a token gets zeros. The vector of a text does not depend on the other texts.
        Cancellation does not wait for the vectors: only texts that have begun are finished.
        """
        vectors = [self._pool.submit(self._vector, text) for text in texts]
        try:
            return await anyio.to_thread.run_sync(
                lambda: [one.result() for one in vectors], abandon_on_cancel=True
            )
        finally:
            for one in vectors:
                one.cancel()

    async def embed_questions(self, texts: Sequence[str]) -> list[list[float]]:
        """Returns the vectors of questions, without blocking the event loop."""

        def vectors() -> list[list[float]]:
            return [[*self._of_question(self.encoder.instruction + text)] for text in texts]

        return await anyio.to_thread.run_sync(vectors)

    def _vector(self, text: str) -> list[float]:
        import numpy as np

        if self.encoder.lowers:
            text = text.lower()
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        if not ids:
            return [0.0] * self.encoder.dimensions
        windows = [ids[start : start + WINDOW] for start in range(0, len(ids), WINDOW)]
        lengths = [len(window) for window in windows]
        mean = np.average([self._output(one) for one in windows], axis=0, weights=lengths)
        vector: list[float] = (mean / np.linalg.norm(mean)).tolist()
        return vector

    def _output(self, ids: Sequence[int]) -> "NDArray[np.float32]":
        """The model's output at [CLS], with the length 1."""
        import numpy as np

        tokens = np.array([[self._start, *ids, self._end]], np.int64)
        given = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        found: NDArray[np.float32] = self._session.run(None, given)[0][0, 0]
        return found / np.linalg.norm(found)


_loaded: dict[str, SentenceEncoder] = {}  # one for the process: each takes about 60 MB


def load_encoder(
    encoder: Encoder, maven_url: str | None = None, listen: Listener = silent
) -> SentenceEncoder:
    """Returns the loaded encoder, which is downloaded at its first use on this machine.

    Raises InputError if packages are missing, or if the encoder can't be downloaded.
    """
    with _loading:
        if encoder.name in _loaded:
            return _loaded[encoder.name]
        if missing := missing_packages():
            raise InputError(f"{missing}.")
        from graphrag_neo4j.embedded.jars import cache_folder, fetch_missing

        folder, jar = cache_folder(CACHE), encoder.jar
        purpose = f"the sentence encoder {encoder.name}, which finds passages by their meaning"
        try:
            fetch_missing([jar], folder, maven_url, listen, purpose)
        except (EmbeddedError, OSError) as error:
            raise InputError(
                f"The sentence encoder {encoder.name} can't be used: {error}"
            ) from error
        _loaded[encoder.name] = SentenceEncoder(encoder, folder / jar.kind / jar.name)
        return _loaded[encoder.name]
