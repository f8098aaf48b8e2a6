"""The sentence encoders that can be downloaded, one for a language.

They are the models bge-small of the Beijing Academy of Artificial Intelligence (MIT licence), with
weights of 8 bits. The project langchain4j publishes them as jars.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from graphrag_neo4j.embedded.releases import Jar, read_lock
from graphrag_neo4j.resources import data

__all__ = ["ENCODERS", "Encoder", "encoder_named"]


@dataclass(frozen=True, slots=True)
class Encoder:
    """A sentence encoder.

    `name` is stored in graphs, so it must change with the vectors. `file` is the name of its files
    in the jar, without their endings. `instruction` is put before a question, but not before a
    passage, because the model was trained so. `lowers` is True where its vocabulary has no capital
    letters and its tokenizer keeps them.
    """

    name: str
    language: str
    file: str
    dimensions: int
    instruction: str
    lowers: bool = False

    @property
    def jar(self) -> Jar:
        """The locked jar that holds the model and its tokenizer."""
        lock = data("encoders.lock").read_text(encoding="utf-8")
        return next(jar for jar in read_lock(lock) if jar.kind == self.language)


ENCODERS: Mapping[str, Encoder] = {
    encoder.language: encoder
    for encoder in (
        Encoder(
            "bge-small-en-v1.5-q",
            "en",
            "bge-small-en-v1.5-q",
            384,
            "Represent this sentence for searching relevant passages: ",
        ),
        Encoder(
            "bge-small-zh-v1.5-q",
            "zh",
            "bge-small-zh-v1.5-q",
            512,
            "为这个句子生成表示以用于检索相关文章：",
            lowers=True,
        ),
    )
}


def encoder_named(name: str) -> Encoder | None:
    """The encoder of this name, None if there is none."""
    return next((one for one in ENCODERS.values() if one.name == name), None)
