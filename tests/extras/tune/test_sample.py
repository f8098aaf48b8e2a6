"""The sample of a corpus: spread over its documents, the same in whatever order they are read."""

import random

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.extras.tune.sample import Sample, read_sample
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.model.types import Document

SUBJECTS = {
    "bees": "The bees of the hive gather nectar from clover, and the beekeeper smokes the comb.",
    "ships": "The captain steers the schooner past the reef while the sailors reef the mainsail.",
    "bread": "The baker kneads the dough with rye flour, and the oven browns the sourdough crust.",
}


def document(subject: str, n: int, sentences: int = 60) -> Document:
    said = f" {SUBJECTS[subject]}"
    text = "".join(f"{said[:-1]} for the time number {i} of day {n}." for i in range(sentences))
    return Document(text.strip(), f"{subject}-{n}")


async def sample_of(documents: list[Document], n: int) -> Sample:
    return await read_sample(Corpus.of_documents(documents), n)


async def test_each_passage_is_the_text_at_its_place() -> None:
    documents = {one.source: one for one in (document("bees", 1), document("ships", 2, 500))}
    sample = await sample_of(list(documents.values()), 8)
    assert len(sample.passages) == 8
    assert sample.documents == 2
    for one in sample.passages:
        assert documents[one.source].text[one.start : one.end] == one.text
        assert one.text == one.text.strip()
    assert sum(one.share for one in sample.passages) == pytest.approx(1)


async def test_it_has_the_subjects_of_few_documents_too() -> None:
    documents = [document("bees", n) for n in range(20)]
    documents += [document(subject, n) for subject in ("ships", "bread") for n in range(3)]
    sample = await sample_of(documents, 4)
    assert {one.source.partition("-")[0] for one in sample.passages} == set(SUBJECTS)
    assert sample.passages[0].source.startswith("bees-")  # they stand for most


async def test_the_order_of_the_documents_changes_nothing() -> None:
    documents = [document(subject, n, 20) for n in range(35) for subject in SUBJECTS]
    first = await sample_of(documents, 5)
    random.Random(1).shuffle(documents)
    assert await sample_of(documents, 5) == first


async def test_a_corpus_of_a_few_words_is_a_sample_itself() -> None:
    sample = await sample_of([Document("Ada met Ben.", "a"), Document(" ", "b")], 16)
    assert [one.text for one in sample.passages] == ["Ada met Ben."]
    assert (sample.documents, sample.passages[0].share) == (1, 1.0)
    with pytest.raises(InputError, match="hold no text"):
        await sample_of([Document(" \n", "a")], 4)
    text = "北京大学在北京。李白是唐代的诗人，他写了很多诗。" * 80
    chinese = await sample_of([Document(text, "zh")], 3)
    assert all(one.text in text for one in chinese.passages)
