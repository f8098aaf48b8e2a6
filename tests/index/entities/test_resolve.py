"""Several spellings of one thing become one entity, and several again."""

from collections.abc import Mapping, Sequence

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.index.entities import compare as comparing
from graphrag_neo4j.index.entities.compare import compare
from graphrag_neo4j.index.entities.label import label_entities
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.entities.people import decide, read_decisions, undo
from graphrag_neo4j.index.entities.resolve import Verdict, resolve
from graphrag_neo4j.index.read.documents import delete_documents, document_id
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.model.types import (
    ClaimRecord,
    Extraction,
    LLMTask,
    NamePair,
    NameVerdict,
    Sameness,
)
from graphrag_neo4j.query.lookup import read_entity
from tests.support.preset_backend import (
    PresetBackend,
    claim,
    describe,
    documents,
    found,
    names,
    put,
    read,
    run,
)
from tests.support.wiping import emptied, wipe

TEXTS = {
    "One.": found(
        ("computer", "concept", "A machine."),
        ("Ada", "person", "A mathematician."),
        ("Ada", "computer", "Ada programs it.", 4.0, "programs"),
    ),
    "Two.": found(
        ("Computers", "concept", "Machines."),
        ("computer", "concept", "A thing."),
        ("Computers", "computer", "These are the same.", 1.0),
        ("Babbage", "Computers", "Babbage builds them.", 3.0, "builds"),
    ),
    "Three.": found(
        ("computers", "technology", "They compute."), ("E-mail", "technology", "Mail.")
    ),
    "Four.": found(
        ("email", "technology", "Post."),
        ("email", "computers", "It runs on them.", 2.0, "runs on"),
        ("Ada", "Computers", "Ada knows them.", 1.0, "knows"),
    ),
}
CLAIMS = {
    "One.": [claim("Ada", "computer")],
    "Two.": [
        claim("Computers", None, "They are many."),
        claim("e-mail", "computer", "It is used."),
    ],
}


async def resolved(graph: Graph, *, rules: bool = True) -> None:
    while await resolve(graph, silent, rules=rules):
        await merge(graph, silent)


async def built(
    graph: Graph, texts: Mapping[str, Extraction] = TEXTS, *, rules: bool = True
) -> Dump:
    """The dump of these texts, one document each, read into the graph and resolved."""
    await put(graph, documents(*texts))
    await finish(graph, texts, rules=rules)
    return await dump(graph)


async def finish(
    graph: Graph,
    texts: Mapping[str, Extraction] = TEXTS,
    claims: Mapping[str, Sequence[ClaimRecord]] = CLAIMS,
    *,
    rules: bool = True,
) -> None:
    """Merges, as after a deletion, reads what is pending, resolves and describes."""
    await merge(graph, silent)
    await read(graph, PresetBackend(texts, claims))
    await resolved(graph, rules=rules)
    await label_entities(graph, silent)
    await describe(graph, PresetBackend(), join=500)


async def deleted(graph: Graph, *sources: str) -> None:
    await delete_documents(graph, [document_id(source) for source in sources])
    await finish(graph)


async def degrees(graph: Graph) -> dict[str, int]:
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name, e.degree AS degree")
    return {row["name"]: row["degree"] for row in rows}


@pytest.mark.parametrize("gone", [0, 1])
async def test_a_deleted_document_leaves_the_graph_as_if_it_had_never_been(
    graph: Graph, gone: int
) -> None:
    await put(graph, [one for n, one in enumerate(documents(*TEXTS)) if n != gone])
    await finish(graph)
    expected = await dump(graph)
    assert await built(graph) != expected
    await deleted(graph, f"memory:{gone}")
    assert await dump(graph) == expected


async def test_predicates_go_where_their_statements_go_and_count_together(graph: Graph) -> None:
    await built(graph)
    rows = await graph.run_plain(
        "MATCH (a:Entity)-[r:RELATED]-(b:Entity) WHERE b.name = 'Computers' "
        "RETURN a.name AS name, r.predicates AS all ORDER BY name"
    )
    predicates = {row["name"]: row["all"] for row in rows}
    assert predicates["Ada"] == ["programs", "knows"]
    assert predicates["Babbage"] == ["builds"]


async def test_a_change_of_rules_splits_what_they_had_joined(graph: Graph) -> None:
    expected = await built(graph, rules=False)
    await wipe(graph)
    assert await built(graph) != expected
    await graph.run_plain("MATCH (e:Entity) SET e.unresolved = true")
    await finish(graph, rules=False)
    assert await dump(graph) == expected


ACRONYMS = {
    "We use Graph Data Science (GDS) here.": found(
        ("Graph Data Science", "technology", "A library.")
    ),
    "GDS, that is Graph Data Science (GDS), is quick.": found(
        ("GDS", "technology", "It is quick."), ("GDS", "Neo4j", "It runs on Neo4j.", 1.0)
    ),
    "The Great Dane Society (GDS) met.": found(("GDS", "technology", "It met.")),
}


CASES = {
    "Gates leads a firm.": found(
        ("Gates", "person", "He leads."),
        ("Apple", "organization", "It sells phones."),
        ("Gates", "Apple", "He knows it.", 2.0),
    ),
    "Gates stand by the apple trees.": found(
        ("gates", "concept", "Doors in a fence."),
        ("apple", "fruit", "It grows on trees."),
        ("apple", "gates", "It grows near them.", 1.0),
    ),
    "A Computer.": found(("Computer", "technology", "It counts.")),
    "The computer.": found(("computer", "concept", "A thing.")),
    "He met ada.": found(("Byron", "ada", "He met her.", 1.0)),
    "Ada spoke.": found(("Ada", "person", "She spoke.")),
}
OF_CASES = ("Ada", "Apple", "Byron", "Computer", "Gates", "apple", "gates")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (TEXTS, {"Ada": 1, "Babbage": 1, "E-mail": 1, "Computers": 3}),
        # An acronym is what documents say, unless they say two things.
        (dict(list(ACRONYMS.items())[:2]), {"Graph Data Science": 1, "Neo4j": 1}),
        (ACRONYMS, {"GDS": 1, "Graph Data Science": 0, "Neo4j": 1}),
        # An end of a relationship has no type: it is the entity that is written in another case.
        (CASES, {**dict.fromkeys(OF_CASES, 1), "Computer": 0}),
    ],
)
async def test_one_after_the_other_in_any_order_gives_the_graph_of_one_build(
    graph: Graph, texts: Mapping[str, Extraction], expected: Mapping[str, int]
) -> None:
    at_once = await built(graph, texts)
    assert await degrees(graph) == expected
    await wipe(graph)
    for document in reversed(documents(*texts)):
        await put(graph, [document])
        await finish(graph, texts)
    assert await dump(graph) == at_once


LOUD = "Awful Idiocy (AI). " * 10 + "Great Dismal Swamp (GDS). " * 10
OFTEN = [(name, "person", f"{name} {n}.") for name in ("AI", "GDS") for n in range(10)]
USUAL = {
    f"{author}: AI, artificial intelligence, GDS and Graph Data Science{defined}.": found(
        (author, "person", "An author."),
        *((name, "concept", f"{author}'s.") for name in ("AI", "artificial intelligence")),
        *((name, "concept", f"{author}'s.") for name in ("GDS", "Graph Data Science")),
        (author, "AI", "It is used.", 1.0),
    )
    for author, defined in [("Ada", ""), ("Bob", ""), ("Eve", " (GDS)")]
}
REPEATING = {
    **USUAL,
    LOUD: found(
        *OFTEN,
        ("Awful Idiocy", "concept", "It is loud."),
        ("Great Dismal Swamp", "concept", "It is loud."),
        ("Awful Idiocy", "AI", "It is loud.", 1.0),
    ),
}


@pytest.mark.parametrize("texts", [REPEATING, dict(reversed(REPEATING.items()))])
async def test_what_one_document_repeats_counts_no_more_than_what_another_says_once(
    graph: Graph, texts: Mapping[str, Extraction]
) -> None:
    asked = "MATCH (e:Entity) RETURN e.name AS name, e.aliases AS aliases, e.type AS type"
    at_once = await built(graph, texts)
    said = {row["name"]: (row["aliases"], row["type"]) for row in await graph.run_plain(asked)}
    assert said["artificial intelligence"] == (["AI"], "concept")
    assert said["Graph Data Science"] == (["GDS"], "concept")
    assert said["Awful Idiocy"] == said["Great Dismal Swamp"] == (None, "concept")
    backend = PresetBackend(texts)
    await graph.run_plain("MATCH (e:Entity) SET e.uncompared = true")
    await compared(graph, backend)
    assert not {"AI", "GDS"} & {name for pair in backend.compared for name in pair}
    await wipe(graph)
    for n, document in enumerate(documents(*texts)):
        await put(graph, [document])
        await finish(graph, texts)
        assert n < len(texts) - 1 or await dump(graph) == at_once
    usual = [one for one in documents(*texts) if one.text != LOUD]
    loud = next(one.source for one in documents(*texts) if one.text == LOUD)
    await delete_documents(graph, [document_id(loud)])
    await finish(graph, texts)
    left = await emptied(graph)
    await put(graph, usual)
    await finish(graph, texts)
    assert await dump(graph) == left


async def test_a_person_may_give_a_name_in_any_case(graph: Graph) -> None:
    await built(graph, CASES)
    assert [(await read_entity(graph, one)).type for one in ("Apple", "apple", "APPLE")] == [
        "organization",
        "fruit",
        "organization",
    ]
    await say(graph, "BYRON", "gates", "same")
    assert await read_entity(graph, "byron") == await read_entity(graph, "gates")
    assert (await read_entity(graph, "Gates")).type == "person"
    await say(graph, "apple", "Apple", "same")
    assert (await read_entity(graph, "apple")).name == "Apple"
    also = "MATCH (e:Entity {name: 'Apple'}) RETURN coalesce(e.aliases, []) AS names"
    assert await graph.run_plain(also) == [{"names": []}]
    with pytest.raises(InputError, match="one spelling"):
        await say(graph, "byron", "BYRON", "different")


async def ref_of(graph: Graph, name: str, origin: str) -> int:
    """The ref of the decision about a name that one of an origin has made."""
    decisions = await read_decisions(graph)
    return next(d.ref for d in decisions if d.origin == origin and name in (d.one, d.other))


async def say(graph: Graph, one: str, other: str, verdict: Verdict) -> None:
    await decide(graph, one, other, verdict, silent, rules=True)
    await describe(graph, PresetBackend(), join=500)


async def test_a_persons_word_outlives_the_deletion_of_all_documents_and_is_undone_without_a_trace(
    graph: Graph,
) -> None:
    before = await built(graph)
    await say(graph, "Ada", "babbage", "same")
    assert await names(graph) == ["Ada", "Computers", "E-mail"]
    expected = await dump(graph)
    await deleted(graph, *(f"memory:{n}" for n in range(4)))
    assert await names(graph) == []
    assert [d.origin for d in await read_decisions(graph)] == ["person"]
    assert await built(graph) == expected
    await undo(graph, await ref_of(graph, "Ada", "person"), silent, rules=True)
    await describe(graph, PresetBackend(), join=500)
    assert await dump(graph) == before


async def test_undoing_a_rule_keeps_its_names_apart_from_then_on(graph: Graph) -> None:
    await built(graph)
    await undo(graph, await ref_of(graph, "email", "rule"), silent, rules=True)
    assert {"E-mail", "email"} <= set(await names(graph))
    await deleted(graph, "memory:3")
    assert "email" not in await names(graph)
    await built(graph)
    assert {"E-mail", "email"} <= set(await names(graph))


async def test_what_contradicts_a_person_is_refused_and_changes_nothing(graph: Graph) -> None:
    await built(graph)
    await say(graph, "Ada", "Babbage", "same")
    await say(graph, "Babbage", "email", "same")
    before = await dump(graph)
    for one, other, said in (
        ("Ada", "email", "contradicts other decisions of people"),
        ("Ada", "Byron", "No document in the graph uses the name 'Byron'"),
        ("Ada", "ADA", "are one spelling"),
    ):
        with pytest.raises(InputError, match=said):
            await say(graph, one, other, "different")
    with pytest.raises(InputError, match="There is no decision 999"):
        await undo(graph, 999, silent, rules=True)
    assert await dump(graph) == before


PEOPLE = {
    "A.": found(("Bill Gates", "person", "He leads Microsoft.")),
    "B.": found(("Gates", "person", "He spoke."), ("Microsoft", "organization", "A company.")),
    "C.": found(
        ("William Gates", "person", "He wrote."), ("Melinda Gates", "person", "She wrote.")
    ),
    "D.": found(("Gates", "person", "He spoke."), ("Gates", "Microsoft", "He left it.", 2.0)),
}
VERDICTS: Mapping[tuple[str, ...], Sameness] = {
    ("Bill Gates", "Gates"): "same",
    ("Bill Gates", "William Gates"): "same",
    ("Gates", "Melinda Gates"): "different",
}


async def compared(graph: Graph, backend: PresetBackend) -> None:
    """Reads, resolves, and lets the backend compare names, as the pipeline does."""
    await read(graph, backend)
    await resolved(graph)
    while await compare(StageContext(graph, backend, run, 4, silent), by_model=True):
        await resolved(graph)
    await describe(graph, backend, join=500)


async def test_a_model_decides_about_names_that_share_a_rare_word(graph: Graph) -> None:
    backend = PresetBackend(PEOPLE, verdicts=VERDICTS)
    await put(graph, documents(*PEOPLE))
    await compared(graph, backend)
    assert await names(graph) == ["Bill Gates", "Melinda Gates", "Microsoft"]
    assert len(backend.compared) == len(set(backend.compared)) == 6
    expected = await dump(graph)
    await compared(graph, backend)
    assert len(backend.compared) == 6
    assert await dump(graph) == expected
    await wipe(graph)
    for n in (2, 0, 3, 1):  # the order makes no difference
        await put(graph, [documents(*PEOPLE)[n]])
        await compared(graph, backend)
    assert await dump(graph) == expected


async def test_names_that_a_passage_writes_in_brackets_are_compared_if_their_types_agree(
    graph: Graph,
) -> None:
    party, kingdom = "Sozialdemokratische Partei (SPD) und Kurt Schumacher (SPD).", "England."
    texts = {
        party: found(
            ("Sozialdemokratische Partei", "organization", "Eine Partei."),
            ("SPD", "organization", "Eine Partei mit drei Buchstaben."),
            ("Kurt Schumacher", "person", "Er führt sie."),
        ),
        kingdom: found(("England", "place", "Ein Land.")),
    }
    same: Mapping[tuple[str, ...], Sameness] = {("SPD", "Sozialdemokratische Partei"): "same"}
    backend = PresetBackend(texts, verdicts=same)
    await put(graph, documents(*texts))
    await compared(graph, backend)
    assert await names(graph) == ["England", "Kurt Schumacher", "SPD"]
    assert len(backend.compared) == 1
    await compared(graph, backend)
    assert len(backend.compared) == 1


async def test_a_name_that_only_claims_use_is_shown_with_what_they_say(graph: Graph) -> None:
    texts = {"A.": found(("Anton Storch", "person", "Er ist Minister."))}
    claims = {
        "A.": [claim("Anton Storch", said="Storch hat das Gesetz unterzeichnet.")],
        "B.": [claim("Antonius Storch", said="Storch hat eine Reform angekündigt.")],
    }
    backend = PresetBackend(texts, claims)
    await put(graph, documents("A.", "B."))
    await compared(graph, backend)
    [pair] = backend.shown
    assert {one.name: one.descriptions for one in (pair.one, pair.other)} == {
        "Anton Storch": ("Er ist Minister.",),
        "Antonius Storch": ("Storch hat eine Reform angekündigt.",),
    }


async def test_a_pair_without_a_usable_verdict_is_asked_again_by_the_next_run(graph: Graph) -> None:
    failing = {"Bill Gates and Gates": "the reply is empty"}
    await put(graph, documents(*PEOPLE))
    await compared(graph, PresetBackend(PEOPLE, verdicts=VERDICTS, failing=failing))
    status = await read_status(graph)
    assert status.pending["resolve"] > 0
    assert {(one.stage, one.reason) for one in status.failures} == {
        ("compare", "the reply is empty")
    }
    await compared(graph, PresetBackend(PEOPLE, verdicts=VERDICTS))
    status = await read_status(graph)
    assert (status.pending["resolve"], status.failures) == (0, [])
    assert await names(graph) == ["Bill Gates", "Melinda Gates", "Microsoft"]


class Dying(PresetBackend):
    """Ends the whole run when it is asked the third time about names."""

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        if len(self.compared) == 2:
            raise KeyError
        return (yield from super().compare(pairs))


async def test_an_interrupted_comparison_keeps_what_was_decided(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "PAIRS", 1)
    await put(graph, documents(*PEOPLE))
    dying, after = (kind(PEOPLE, verdicts=VERDICTS) for kind in (Dying, PresetBackend))
    with pytest.raises(KeyError):
        await compared(graph, dying)
    await compared(graph, after)
    assert not set(dying.compared) & set(after.compared)
    assert len(dying.compared + after.compared) == 6
    assert await names(graph) == ["Bill Gates", "Melinda Gates", "Microsoft"]


SHORT_NAMES = {
    "One.": found(("Sam Altman", "person", "He runs it."), ("Sam", "person", "He said so.")),
    "Two.": found(("Sam", "person", "He left."), ("Sam Altman", "person", "He came.")),
    "Three.": found(("Altman", "person", "He ran."), ("Sam Altman's Mother", "person", "Hers.")),
    "Four.": found(("Greg Corrado", "person", "A."), ("Greg Brockman", "person", "B.")),
    "Five.": found(("Greg Corrado", "person", "A."), ("Greg", "person", "He spoke.")),
    "Six.": found(("Greg", "person", "He spoke."), ("Greg Brockman", "person", "B.")),
    "Seven.": found(("Mother Teresa", "person", "A nun."), ("Mother", "person", "Mine.")),
    "Eight.": found(("Ford", "organization", "Cars."), ("Henry Ford", "person", "Its founder.")),
}
APART = {"Altman", "Greg", "Greg Brockman", "Greg Corrado", "Mother", "Mother Teresa"}


async def test_a_short_name_is_that_of_the_one_person_of_its_documents(graph: Graph) -> None:
    await put(graph, documents(*SHORT_NAMES))
    await finish(graph, SHORT_NAMES, {})
    at_once = await dump(graph)
    assert set(await names(graph)) == APART | {
        *("Sam Altman", "Sam Altman's Mother", "Ford", "Henry Ford")
    }
    await wipe(graph)
    for document in reversed(documents(*SHORT_NAMES)):
        await put(graph, [document])
        await finish(graph, SHORT_NAMES, {})
    assert await dump(graph) == at_once
    await delete_documents(graph, [document_id("memory:5")])
    await finish(graph, SHORT_NAMES, {})
    assert "Greg" not in await names(graph)
    await put(graph, documents(*SHORT_NAMES))
    await finish(graph, SHORT_NAMES, {})
    assert await dump(graph) == at_once


FAMILY = {f"{n}.": found((f"{n}olly Baker", "person", f"{n} bakes.")) for n in "BCDEFGHIJKL"}
SAME: Mapping[tuple[str, ...], Sameness] = {("Bolly Baker", "Colly Baker"): "same"}


async def test_a_word_that_many_names_have_says_too_little(graph: Graph) -> None:
    backend = PresetBackend(FAMILY, verdicts=SAME)
    ten = documents(*FAMILY)[:10]
    await put(graph, ten)
    await compared(graph, backend)
    assert len(backend.compared) == 45
    assert len(await names(graph)) == 9
    await put(graph, documents(*FAMILY))
    await compared(graph, backend)
    assert len(backend.compared) == 45
    assert len(await names(graph)) == 11
    later = await emptied(graph)
    await put(graph, documents(*FAMILY))
    await compared(graph, backend)
    assert await dump(graph) == later


# Texts that each say something about one of the two.
GROWING = {
    f"{name} {n}.": found((name, "person", f"He did it {n} times."))
    for n, name in enumerate(
        ["Gates" if letter == "G" else "Bill Gates" for letter in "GBGBBGGBGB"]
    )
}


@pytest.mark.slow
async def test_a_pair_is_asked_again_when_twice_as_much_is_said_about_both(graph: Graph) -> None:
    backend = PresetBackend(GROWING)
    asked = []
    for one in documents(*GROWING):
        await put(graph, [one])
        await compared(graph, backend)
        asked.append(len(backend.compared))
    #        1 each                     2 each                  4 each
    assert asked == [0, 1, 1, 2, 2, 2, 2, 3, 3, 3]
    expected = await emptied(graph)
    await put(graph, documents(*GROWING))
    await compared(graph, backend)
    assert await dump(graph) == expected
