"""Sentences are chosen for what they share with all, and none twice."""

from hypothesis import given
from hypothesis import strategies as st

from graphrag_neo4j.extractive.index_backend import ExtractiveIndexBackend
from graphrag_neo4j.model import DescribedThing
from graphrag_neo4j.nlp.sentence_ranking import centrality, choose, quality, repeats
from tests.support.preset_backend import run

CATS = [
    "Cats sleep on warm roofs in summer.",
    "Cats sleep on the warm roofs of barns in summer.",
    "Cats hunt mice in barns.",
    "Bread is baked at night.",
]


def words(text: str) -> int:
    return len(text.split())


def test_what_shares_words_with_the_others_is_central() -> None:
    scores = centrality(CATS)
    assert min(scores, key=scores.__getitem__) == "Bread is baked at night."


def test_what_says_the_same_again_is_not_chosen() -> None:
    chosen = choose(centrality(CATS), 3)
    assert len(chosen) == 3
    assert len(set(chosen) & set(CATS[:2])) == 1


@given(st.permutations(CATS), st.integers(0, 5))
def test_the_order_of_texts_makes_no_difference(texts: list[str], most: int) -> None:
    assert choose(centrality(texts), most) == choose(centrality(CATS), most)


def test_two_quotations_with_a_sentence_in_common_repeat_each_other() -> None:
    assert repeats("One ran. Two sat.", "Two sat. Three left.")
    assert not repeats("One ran. Two sat.", "Three left. Four stayed.")


def test_a_sentence_that_reads_by_itself_is_better() -> None:
    plain = "The museum shows eight hundred paintings from the north."
    assert quality(plain) > quality("And, you know, like, it’s kind of, um, the thing?")


async def test_a_description_is_made_of_given_sentences_and_keeps_its_limit() -> None:
    backend = ExtractiveIndexBackend(15, words)
    [text] = await run(
        backend.summarize([DescribedThing("Cats", ["\n".join(CATS[:2]), *CATS[2:]])])
    )
    assert isinstance(text, str)
    assert len(text.splitlines()) > 1
    assert set(text.splitlines()) <= set(CATS)
    assert words(text) <= 15
    assert [text] == await run(backend.summarize([DescribedThing("Cats", [*CATS[::-1]])]))
