"""Makes one entity of several spellings of one thing, and several of what is not one thing.

    marked entities ──▶ blocks ──▶ decisions between spellings ──▶ groups ──▶ evidence moves

A decision (COMPARED) is about two spellings, and is kept with its reason and its origin. The
spellings that decisions join are a group. The entity of a group has the id of its most frequent
spelling, and holds the evidence of all of them.

Each page of marked entities is one transaction. It compares these entities with those of the same
blocks only, and moves only evidence of spellings whose group has changed. What it decides is a
function of the evidence and of the decisions, and not of the order in which the evidence came.

A decision of a person counts more than one of a rule, and that more than one of a model. A decision
"same" joins two groups, unless a decision "different" of the same or a stronger origin is about a
pair across them. Only spellings that someone has decided about are nodes; all others are known from
the evidence.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypedDict

from graphrag_neo4j.graph.connection import Graph, Row, Transaction
from graphrag_neo4j.graph.rows import CountRow, IdRow, SpellingRow
from graphrag_neo4j.index.entities.moves import Move, move_evidence, read_spellings, spellings_of
from graphrag_neo4j.index.entities.rules import (
    FORMS,
    OTHER_TYPES,
    Known,
    Spelling,
    bearer,
    block_key,
    contradict,
    folded_words,
    forms_of,
    is_called,
    is_listed,
    meaning,
    name_properties,
    same_by_form,
    two_companies,
    type_class,
)
from graphrag_neo4j.index.evidence import with_refs
from graphrag_neo4j.model.events import Advanced, Listener, Started
from graphrag_neo4j.text.acronyms import (
    definition_forms,
    expansions,
    initials,
    is_acronym_of,
    looks_like_acronym,
)
from graphrag_neo4j.text.strings import entity_id, identify

PAGE_OF_SPELLINGS = 500
# With one first name or surname; who is meant by a more frequent one is not certain.
MOST_PEOPLE = 20
Verdict = Literal["same", "different", "unsure"]
DecisionOrigin = Literal["person", "rule", "model"]
STRENGTH: Final[dict[str, int]] = {"person": 0, "rule": 1, "model": 2}


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether two spellings are one thing, with the reason and who decided it.

    `one` and `other` are ids of spellings, given in either order and held with the smaller first.
    `block` names the block in which a rule or the search for likely pairs found them; `saw` is a
    hash of what a model was shown.
    """

    one: str
    other: str
    verdict: Verdict
    origin: DecisionOrigin
    reason: str
    block: str | None = None
    saw: str | None = None

    def __post_init__(self) -> None:
        for name, end in zip(("one", "other"), sorted(self.ends), strict=True):
            object.__setattr__(self, name, end)

    @property
    def ends(self) -> tuple[str, str]:
        """The ids of both spellings."""
        return self.one, self.other

    @property
    def id(self) -> str:
        """Of the same two spellings, each origin has one decision."""
        return identify("compared", self.origin, self.one, self.other)


def groups(spellings: Iterable[str], decisions: Collection[Decision]) -> list[frozenset[str]]:
    """The groups of these spellings, each spelling in one group; sorted by their smallest ids."""
    group_of = {spelling: frozenset((spelling,)) for spelling in spellings}
    apart = [one for one in decisions if one.verdict == "different"]
    same = [one for one in decisions if one.verdict == "same"]
    for join in sorted(same, key=lambda one: (STRENGTH[one.origin], one.id)):
        left, right = group_of[join.one], group_of[join.other]
        forbidden = any(
            STRENGTH[one.origin] <= STRENGTH[join.origin]
            and {group_of[one.one], group_of[one.other]} == {left, right}
            for one in apart
        )
        if left is not right and not forbidden:
            group_of |= dict.fromkeys(left | right, left | right)
    return sorted(set(group_of.values()), key=min)


def by_form(key: str, spellings: Iterable[Spelling]) -> list[Decision]:
    """The decisions of the rules in the block of this key: as many as join what they join.

    Each step joins the spellings that agree in one form to the most frequent of them, and goes on
    with the most frequent ones; so the work grows with the number of spellings, not its square.
    Where types contradict, a spelling without type could be either, and is left out.
    """
    there = [one for one in spellings if one.n]
    if not contradict(one.type for one in there):
        return _joined(f"form {key}", there)
    classes: defaultdict[str, list[Spelling]] = defaultdict(list)
    for one in there:
        if class_ := type_class(one.type):
            classes[class_].append(one)
    return [made for _, part in sorted(classes.items()) for made in _joined(f"form {key}", part)]


def _joined(block: str, heads: list[Spelling]) -> list[Decision]:
    found = []
    for step in range(FORMS):
        agreeing: defaultdict[str, list[Spelling]] = defaultdict(list)
        for one in heads:
            agreeing[forms_of(one.name)[step]].append(one)
        heads = []
        for _, same in sorted(agreeing.items()):
            head = foremost(same)
            heads.append(head)
            apart = two_companies(same)
            for one in same:
                reason = None if apart or one is head else same_by_form(head, one)
                if reason:
                    found.append(Decision(head.id, one.id, "same", "rule", reason, block))
                elif one is not head:
                    heads.append(one)
    return found


def by_acronym(acronym: Spelling, meant: str, spellings: Sequence[Spelling]) -> list[Decision]:
    """The decision that an acronym is one of these spellings, of the block that it means."""
    fitting = [one for one in spellings if block_key(one.name) == meant and one.n]
    types = [acronym.type, *(one.type for one in fitting)]
    if not fitting or block_key(acronym.name) == meant or contradict(types):
        return []
    reason = "A document gives one as the acronym of the other, and most say nothing else."
    block = f"acronym {block_key(acronym.name)}"
    return [Decision(acronym.id, foremost(fitting).id, "same", "rule", reason, block)]


def foremost(spellings: Iterable[Spelling]) -> Spelling:
    """The spelling of the most documents, then chunks, then that with the smallest id."""
    return min(spellings, key=lambda one: (-one.documents, -one.n, one.id))


def stored(row: SpellingRow) -> Spelling:
    """A spelling as it was saved, since its evidence has not changed."""
    holders = frozenset({row["entity"] or row["id"]} if row["n"] else ())
    return Spelling(row["id"], row["name"], row["type"], row["n"], holders, row["documents"])


async def read_decisions_about(
    tx: Transaction, ids: Iterable[str] = (), *, blocks: Iterable[str] = ()
) -> set[Decision]:
    """The decisions about these spellings, and those that were made in these blocks."""
    return {*await tx.run("resolve/decisions", Decision, ids=sorted(ids), blocks=sorted(blocks))}


async def save_decisions(
    tx: Transaction,
    known: Known,
    decisions: Sequence[Decision],
    *,
    mark: bool = False,
    more: Mapping[str, object] | None = None,
) -> None:
    """Saves decisions, and the spellings that they are about; these must be `known`.

    With `mark`, the spellings are marked for the stage resolve. `more` is saved with each decision.
    """
    ends = sorted({end for one in decisions for end in one.ends})
    rows = [row_of(known[id_], min(known[id_].holders or {id_})) for id_ in ends]
    await tx.run("resolve/spellings", rows=rows)
    made: list[Row] = [{**asdict(one), "id": one.id, "more": more or {}} for one in decisions]
    await tx.run("resolve/decide", rows=await with_refs(tx, "decision", made), mark=mark)


def row_of(one: Spelling, entity: str) -> Row:
    """The properties of a spelling whose evidence `entity` holds."""
    return {
        "id": one.id,
        "name": one.name,
        "type": one.type,
        "n": one.n,
        "documents": one.documents,
        "entity": entity,
        **name_properties(one.name),
    }


class DocumentNameRow(TypedDict):
    """A document, and a name that it mentions."""

    document: str
    name: str


class AcronymTextRow(TypedDict):
    """The text of a chunk that may say what an acronym stands for, and its document."""

    spelling: str
    names: list[str]
    document: str
    text: str


class NameBesideRow(TypedDict):
    """A name that a chunk of a document mentions together with names of an acronym's entity."""

    spelling: str
    names: list[str]
    document: str
    name: str


async def resolve(graph: Graph, listen: Listener, *, rules: bool) -> bool:
    """Compares the spellings of all marked entities; returns whether evidence has moved.

    Where it has, the stage merge must run again. With `rules` False, only the decisions of people
    and models count, and those of rules are removed.
    """
    listen(Started("resolve", (await graph.read("resolve/count", CountRow))[0]["n"]))
    moved = False
    while rows := await graph.read("resolve/seeds", IdRow, limit=PAGE_OF_SPELLINGS):
        seeds = [row["id"] for row in rows]

        async def work(tx: Transaction, seeds: Sequence[str] = seeds) -> bool:
            return await resolve_spellings(tx, seeds, rules=rules)

        moved |= await graph.transact(work)
        listen(Advanced(len(seeds)))
    return moved


async def resolve_spellings(tx: Transaction, seeds: Sequence[str], *, rules: bool) -> bool:
    """Decides about these spellings and entities again; returns whether evidence has moved."""
    known = await read_spellings(tx, seeds)
    changed = await _apply_rules(tx, known, rules=rules)
    moved = await _regroup(tx, known, changed)
    await tx.run("resolve/resolved", ids=seeds)
    return moved


async def _apply_rules(tx: Transaction, known: Known, *, rules: bool) -> set[str]:
    """Brings the decisions of the rules up to date; returns the spellings that they are about.

    The spellings that share a block with known ones become known.
    """
    keys = {block_key(one.name) for one in known.values()}
    letters = {block_key(part) for one in known.values() for part in initials(one.name) or ()}
    members = await _blocks(tx, known, keys | letters)
    wanted: set[Decision] = set()
    if rules:
        meant = await _meanings(tx, known)
        for key in keys:
            # Where documents mean something else by a well-known acronym, our list doesn't join it.
            block = [
                one
                for one in members[key]
                if meant.get(one.id, key) == key or not is_listed(one.name)
            ]
            wanted |= set(by_form(key, block))
        members = await _blocks(tx, known, {*meant.values()} - {""})
        for id_, key in meant.items():
            wanted |= set(by_acronym(known[id_], key, members[key]))
    words = {word for one in known.values() for word in _ends(one)}
    if rules:
        wanted |= await _by_short(tx, known, words)
    blocks = {f"form {key}" for key in keys} | {f"acronym {key}" for key in keys | letters}
    blocks |= {f"person {word}" for word in words}
    before = await read_decisions_about(tx, blocks=blocks)
    await tx.run("resolve/drop", ids=sorted(one.id for one in before - wanted), mark=False)
    await save_decisions(tx, known, sorted(wanted - before, key=lambda one: one.id))
    return {end for one in before ^ wanted for end in (one.one, one.other)}


async def _by_short(tx: Transaction, known: Known, words: Collection[str]) -> set[Decision]:
    """The decisions of whom documents mean by these words as a first name or a surname alone."""
    asked = {"words": sorted(words), "others": OTHER_TYPES, "most": MOST_PEOPLE}
    await _know(tx, known, await tx.run("resolve/people", SpellingRow, **asked))
    people: defaultdict[str, list[Spelling]] = defaultdict(list)
    for one in known.values():
        if one.n and type_class(one.type) in {"person", None}:
            for word in _ends(one):
                people[word].append(one)
    shorts = {
        one: people[word]
        for word in sorted(words & people.keys())
        for one in people[word]
        if len(people[word]) <= MOST_PEOPLE and folded_words(one.name) == [word] and is_called(one)
    }
    holders = {x for some in shorts.values() if len(some) > 1 for one in some for x in one.holders}
    documents: defaultdict[str, set[str]] = defaultdict(set)
    for use in await tx.run("resolve/documents_of", DocumentNameRow, entities=sorted(holders)):
        documents[entity_id(use["name"])].add(use["document"])
    reason = "In each document with the short name, only this person bears it."
    return {
        Decision(one.id, foremost(full).id, "same", "rule", reason, f"person {_ends(one).pop()}")
        for one, some in shorts.items()
        if (full := bearer(one, some, documents))
    }


def _ends(one: Spelling) -> set[str]:
    """The first and the last word of a name."""
    return {*folded_words(one.name)[:1], *folded_words(one.name)[-1:]}


async def _know(tx: Transaction, known: Known, rows: Sequence[SpellingRow]) -> None:
    """Makes the spellings of these rows known."""
    decided = {row["id"]: stored(row) for row in rows if row["decided"]}
    unread = {row["id"] for row in rows} - known.keys() - decided.keys()
    read = {id_: one for id_, one in (await spellings_of(tx, unread)).items() if id_ in unread}
    known |= {id_: one for id_, one in (decided | read).items() if id_ not in known}


async def _blocks(
    tx: Transaction, known: Known, keys: Collection[str]
) -> defaultdict[str, list[Spelling]]:
    """The spellings of blocks by key; those that are not known yet become known."""
    rows = await tx.run("resolve/block", SpellingRow, keys=sorted(keys))
    await _know(tx, known, rows)
    found: defaultdict[str, list[Spelling]] = defaultdict(list)
    for one in known.values():
        found[block_key(one.name)].append(one)
    return found


async def _meanings(tx: Transaction, known: Known) -> dict[str, str]:
    """The blocks of what documents mean by the acronyms among these spellings, by id (`meaning`).

    A document that does not define an acronym means the name with these initials that stands in one
    chunk with it.
    """
    asked = [
        {
            "spelling": one.id,
            "entity": holder,
            "forms": definition_forms(one.name),
            "letter": one.name[0].casefold(),
        }
        for one in known.values()
        if one.n and looks_like_acronym(one.name)
        for holder in sorted(one.holders)
    ]
    said: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in await tx.run("resolve/acronym_texts", AcronymTextRow, rows=asked):
        if row["spelling"] in map(entity_id, row["names"]):
            for name in expansions(row["text"], known[row["spelling"]].name):
                said[row["spelling"]][name and block_key(name)].add(row["document"])
    defined = {id_: set[str]().union(*meant.values()) for id_, meant in said.items()}
    defined_as = {id_: {*meant} for id_, meant in said.items()}
    open_ = [row for row in asked if row["spelling"] in said]
    for beside in await tx.run("resolve/beside", NameBesideRow, rows=open_):
        id_, key, name = (
            beside["spelling"],
            block_key(beside["name"]),
            known[beside["spelling"]].name,
        )
        means = is_acronym_of(name, beside["name"]) and beside["document"] not in defined[id_]
        used = id_ in map(entity_id, beside["names"])
        if means and used and (key in defined_as[id_] or not is_listed(name)):
            said[id_][key].add(beside["document"])
    meant = {id_: meaning(known[id_], blocks) for id_, blocks in said.items()}
    return {id_: key for id_, key in meant.items() if key is not None}


async def _regroup(tx: Transaction, known: Known, changed: Collection[str]) -> bool:
    """Moves evidence to the entities of the groups; returns whether any has moved.

    A decision of a rule or a model goes with the evidence of one of its spellings.
    """
    decisions = await _decisions(tx, known, {*known, *changed})
    gone = {one.id for one in known.values() if not one.n}
    void = {one for one in decisions if one.origin != "person" and not gone.isdisjoint(one.ends)}
    await tx.run("resolve/drop", ids=sorted(one.id for one in void), mark=False)
    kept = decisions - void
    decided = {end for one in kept for end in one.ends}
    targets: dict[tuple[str, str], str] = {}
    rows: list[Row] = []
    for group in groups(known, [one for one in kept if known.keys() >= set(one.ends)]):
        members = [known[id_] for id_ in group]
        target = foremost(members).id
        rows += [row_of(one, target) for one in members if one.id in decided]
        targets |= {(h, s.id): target for s in members for h in s.holders if h != target}
    await tx.run("resolve/spellings", rows=sorted(rows, key=lambda row: str(row["id"])))
    ends = {end for one in void for end in one.ends}
    await tx.run("resolve/sweep", ids=sorted({*known, *changed, *ends} - decided))
    if targets:
        names = {id_: known[id_].name for id_ in targets.values()}
        await move_evidence(tx, {holder for holder, _ in targets}, Move(targets), names)
    return bool(targets)


async def _decisions(tx: Transaction, known: Known, ids: Collection[str]) -> set[Decision]:
    """The decisions about these spellings and those that they share a group with."""
    found: set[Decision] = set()
    seen: set[str] = set()
    while new := set(ids) - seen:
        seen |= new
        decisions = await read_decisions_about(tx, new)
        found |= decisions
        ids = {end for one in decisions if one.verdict == "same" for end in one.ends}
        if unread := sorted(ids - known.keys()):
            around = await tx.run("resolve/around", SpellingRow, ids=unread)
            known |= {row["id"]: stored(row) for row in around if row["id"] not in known}
            ids |= {row["id"] for row in around}
    return found
