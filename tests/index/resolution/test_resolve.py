"""Several spellings of one thing become one entity, and several again."""

from collections.abc import Mapping, Sequence

import pytest

from graphrag_neo4j.errors import InputError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.dump import Dump, dump
from graphrag_neo4j.index.documents import delete_documents, document_id
from graphrag_neo4j.index.resolution.decisions import decide, read_decisions, undo
from graphrag_neo4j.index.resolution.resolve import Verdict, resolve
from graphrag_neo4j.index.stages import StageContext
from graphrag_neo4j.index.stages.compare import compare
from graphrag_neo4j.index.stages.merge import merge
from graphrag_neo4j.index.status import read_status
from graphrag_neo4j.model import ClaimRecord, Extraction, Sameness
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.query.lookup import read_entity
from tests.support.preset_backend import (
    PresetBackend,
    claim,
    describe,
    documents,
    found,
    put,
    read,
    run,
)

TEXTS = {
    "One.": found(
        ("computer", "concept", "A machine."),
        ("Ada", "person", "A mathematician."),
        ("Ada", "computer", "Ada programs it.", 4.0),
    ),
    "Two.": found(
        ("Computers", "concept", "Machines."),
        ("computer", "concept", "A thing."),
        ("Computers", "computer", "These are the same.", 1.0),
        ("Babbage", "Computers", "Babbage builds them.", 3.0),
    ),
    "Three.": found(
        ("computers", "technology", "They compute."), ("E-mail", "technology", "Mail.")
    ),
    "Four.": found(
        ("email", "technology", "Post."), ("email", "computers", "It runs on them.", 2.0)
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
    graph: Graph,
    texts: Mapping[str, Extraction],
    claims: Mapping[str, Sequence[ClaimRecord]] = CLAIMS,
    *,
    rules: bool = True,
) -> Dump:
    """The dump of these texts, one document each, read into the graph and resolved."""
    await put(graph, documents(*texts))
    await finish(graph, texts, claims, rules=rules)
    return await dump(graph)


async def finish(
    graph: Graph,
    texts: Mapping[str, Extraction],
    claims: Mapping[str, Sequence[ClaimRecord]] = CLAIMS,
    *,
    rules: bool = True,
) -> None:
    await read(graph, PresetBackend(texts, claims))
    await resolved(graph, rules=rules)
    await describe(graph, PresetBackend(), join=500)


async def names(graph: Graph) -> dict[str, int]:
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name, e.degree AS degree")
    return {row["name"]: row["degree"] for row in rows}


async def wiped(graph: Graph) -> None:
    await graph.run_plain("MATCH (n) DETACH DELETE n")


async def test_one_after_the_other_in_any_order_gives_the_graph_of_one_build(graph: Graph) -> None:
    expected = await built(graph, TEXTS)
    await wiped(graph)
    for tale in reversed(documents(*TEXTS)):
        await put(graph, [tale])
        await finish(graph, TEXTS)
    assert await dump(graph) == expected


@pytest.mark.parametrize("gone", [0, 1])
async def test_a_deleted_document_leaves_the_graph_as_if_it_had_never_been(
    graph: Graph, gone: int
) -> None:
    rest = [one for n, one in enumerate(documents(*TEXTS)) if n != gone]
    await put(graph, rest)
    await finish(graph, TEXTS)
    expected = await dump(graph)
    await put(graph, documents(*TEXTS))
    await finish(graph, TEXTS)
    assert await dump(graph) != expected
    await delete_documents(graph, [document_id(f"memory:{gone}")])
    await merge(graph, silent)
    await finish(graph, TEXTS)
    assert await dump(graph) == expected


async def test_a_change_of_rules_splits_what_they_had_joined(graph: Graph) -> None:
    expected = await built(graph, TEXTS, rules=False)
    await wiped(graph)
    assert await built(graph, TEXTS) != expected
    await graph.run_plain("MATCH (e:Entity) SET e.unresolved = true")
    await finish(graph, TEXTS, rules=False)
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


async def test_an_acronym_is_what_documents_say_unless_they_say_two_things(graph: Graph) -> None:
    await built(graph, dict(list(ACRONYMS.items())[:2]), {})
    assert await names(graph) == {"GDS": 1, "Neo4j": 1}
    await wiped(graph)
    expected = await built(graph, ACRONYMS, {})
    assert sorted(await names(graph)) == ["GDS", "Graph Data Science", "Neo4j"]
    await wiped(graph)
    for document in documents(*ACRONYMS):
        await put(graph, [document])
        await finish(graph, ACRONYMS, {})
    assert await dump(graph) == expected


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


async def test_names_that_differ_in_case_and_in_type_stay_two(graph: Graph) -> None:
    expected = await built(graph, CASES, {})
    # An end of a relationship has no type: it is the entity that is written in another case.
    assert await names(graph) == {
        "Ada": 1, "Apple": 1, "Byron": 1, "Computer": 0, "Gates": 1, "apple": 1, "gates": 1
    }  # fmt: skip
    assert [(await read_entity(graph, one)).type for one in ("Apple", "apple", "APPLE")] == [
        "organization",
        "fruit",
        "organization",
    ]
    await wiped(graph)
    for document in reversed(documents(*CASES)):
        await put(graph, [document])
        await finish(graph, CASES, {})
    assert await dump(graph) == expected


async def test_a_person_may_give_a_name_in_any_case(graph: Graph) -> None:
    await built(graph, CASES, {})
    await say(graph, "BYRON", "gates", "same")
    assert await read_entity(graph, "byron") == await read_entity(graph, "gates")
    assert (await read_entity(graph, "Gates")).type == "person"
    await say(graph, "apple", "Apple", "same")
    assert await names_of(graph, "Apple") == {"Apple"}
    assert (await read_entity(graph, "apple")).name == "Apple"
    with pytest.raises(InputError, match="one spelling"):
        await say(graph, "byron", "BYRON", "different")


async def names_of(graph: Graph, name: str) -> set[str]:
    """All names of the entity that has this one."""
    rows = await graph.run_plain(
        "MATCH (e:Entity) RETURN [e.name] + coalesce(e.aliases, []) AS names"
    )
    [found] = [set(row["names"]) for row in rows if name in row["names"]]
    return found


async def refs(graph: Graph) -> dict[tuple[str, str, str], int]:
    return {(d.one, d.other, d.origin): d.ref for d in await read_decisions(graph)}


async def say(graph: Graph, one: str, other: str, verdict: Verdict) -> None:
    await decide(graph, one, other, verdict, silent, rules=True)
    await describe(graph, PresetBackend(), join=500)


async def test_what_a_person_joined_and_undid_was_never_joined(graph: Graph) -> None:
    before = await built(graph, TEXTS)
    await say(graph, "Ada", "babbage", "same")
    assert sorted(await names(graph)) == ["Ada", "E-mail", "computer"]
    [ref] = [ref for ends, ref in (await refs(graph)).items() if ends[2] == "person"]
    await undo(graph, ref, silent, rules=True)
    await describe(graph, PresetBackend(), join=500)
    assert await dump(graph) == before


async def test_undoing_a_rule_keeps_its_names_apart_from_then_on(graph: Graph) -> None:
    await built(graph, TEXTS)
    ref = next(r for ends, r in (await refs(graph)).items() if "email" in ends)
    await undo(graph, ref, silent, rules=True)
    assert {"E-mail", "email"} <= (await names(graph)).keys()
    await delete_documents(graph, [document_id("memory:3")])
    await merge(graph, silent)
    await finish(graph, TEXTS)
    assert "email" not in await names(graph)
    await put(graph, documents(*TEXTS))
    await finish(graph, TEXTS)
    assert {"E-mail", "email"} <= (await names(graph)).keys()


async def test_a_persons_word_outlives_the_deletion_of_all_documents(graph: Graph) -> None:
    await built(graph, TEXTS)
    await say(graph, "Ada", "Babbage", "same")
    expected = await dump(graph)
    await delete_documents(graph, [document_id(f"memory:{n}") for n in range(4)])
    await merge(graph, silent)
    await finish(graph, TEXTS)
    assert await names(graph) == {}
    assert [d.origin for d in await read_decisions(graph)] == ["person"]
    assert await built(graph, TEXTS) == expected


async def test_what_contradicts_a_person_is_refused_and_changes_nothing(graph: Graph) -> None:
    await built(graph, TEXTS)
    await say(graph, "Ada", "Babbage", "same")
    await say(graph, "Babbage", "email", "same")
    before = await dump(graph)
    with pytest.raises(InputError, match="contradicts other decisions of people"):
        await say(graph, "Ada", "email", "different")
    assert await dump(graph) == before
    with pytest.raises(InputError, match="No document in the graph uses the name 'Byron'"):
        await say(graph, "Ada", "Byron", "same")
    with pytest.raises(InputError, match="are one spelling"):
        await say(graph, "Ada", "ADA", "different")
    with pytest.raises(InputError, match="There is no decision 999"):
        await undo(graph, 999, silent, rules=True)


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
    assert sorted(await names(graph)) == ["Gates", "Melinda Gates", "Microsoft"]
    assert len(backend.compared) == len(set(backend.compared)) == 6
    expected = await dump(graph)
    await compared(graph, backend)
    assert len(backend.compared) == 6
    assert await dump(graph) == expected
    await wiped(graph)
    for n in (2, 0, 3, 1):  # the order makes no difference
        await put(graph, [documents(*PEOPLE)[n]])
        await compared(graph, backend)
    assert await dump(graph) == expected


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
    assert sorted(await names(graph)) == ["Gates", "Melinda Gates", "Microsoft"]


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
    later = await dump(graph)
    await wiped(graph)
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
    expected = await dump(graph)
    await wiped(graph)
    await put(graph, documents(*GROWING))
    await compared(graph, backend)
    assert await dump(graph) == expected
