"""Packs report material into a context within a budget of tokens, as in the paper.

The method is that of arXiv 2404.16130, section 3.1.4. If all elements of a community fit, or if it
has no sub-communities, its edges are added one by one, the most prominent first, each with its two
entities and their claims. Otherwise the elements of sub-communities are replaced by their reports,
the largest sub-community first, until the context fits. If the reports alone do not fit, those with
the lowest rating are shortened to title and summary, then to the title, so that every
sub-community is present. Edges between sub-communities, which no report of theirs covers, take the
tokens that are left.

Claims must not displace entities and edges. So where the elements of a community without
sub-communities do not fit, its claims get about a third of the budget, in turns: one of each
entity, then a second one of each. Claims with one subject, object and type stand as one line with
their number. What the claims leave free the other elements take, and the other way round.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from graphrag_neo4j.model.citations import bracket
from graphrag_neo4j.model.context import HEADINGS, ContextRecord, ContextTable
from graphrag_neo4j.model.material import (
    ClaimMaterial,
    EntityMaterial,
    PartMaterial,
    RelationshipMaterial,
    ReportMaterial,
)
from graphrag_neo4j.model.types import FindingText, WrittenReport
from graphrag_neo4j.text.tokens import CountTokens

NO_RATING = -1.0
UNLIMITED = float("inf")
CLAIMS_SHARE = 3  # claims get one of this many parts of a budget that is too small for all


def pack(material: ReportMaterial, budget: int, count: CountTokens) -> ContextTable:
    """The context table that a report is written from, in at most `budget` tokens."""
    if not material.parts:
        return _packed_elements(material, budget, count)
    elements = _elements(material, ContextTable(budget, count))
    if len(elements.records) == _size(material):
        return elements
    table = _substituted(material, budget, count) or _shortened(material.parts, budget, count)
    part = {id_: entity.part for id_, entity in material.entities.items()}
    between = [edge for edge in material.edges if part[edge.source] != part[edge.target]]
    table.add_each(edge.record for edge in _ranked(material, between))
    return table


def whole(material: ReportMaterial) -> ContextTable:
    """All records of the report material, not measured: a report that quotes may cite each."""
    table = ContextTable(UNLIMITED, lambda _: 0)
    table.add(entity.record for entity in _prominent(material))
    table.add(edge.record for edge in material.edges)
    table.add(claim.record for claim in material.claims)
    table.add(part.title for part in material.parts)
    table.add(claim.source for claim in material.claims if claim.source)
    table.add(source.record for source in material.sources)
    return table


def _size(material: ReportMaterial) -> int:
    return len(material.entities) + len(material.edges) + len(material.claims)


def _packed_elements(material: ReportMaterial, budget: int, count: CountTokens) -> ContextTable:
    """The elements of a community without sub-communities, as many as fit."""
    elements = _elements(material, ContextTable(budget, count))
    if len(elements.records) == _size(material):
        return elements
    lines = _claim_lines(material)
    claims = ContextTable(budget // CLAIMS_SHARE, count)
    claims.add_each(lines)
    about = {claim.record.id: claim.about for claim in material.claims}

    def shown(lines: Iterable[ContextRecord]) -> list[ContextRecord]:
        """Those of these lines of claims that are about an entity in the table."""
        return [
            line
            for line in lines
            if any(("Entities", id_) in table.records for id_ in about[line.id])
        ]

    without_claims = replace(material, claims=())
    table = _elements(without_claims, ContextTable(budget - claims.tokens, count))
    table.budget = budget
    table.add_each(shown(lines))
    _elements(without_claims, table)
    table.add_each(shown(claim.record for claim in material.claims))
    return table


def _claim_lines(material: ReportMaterial) -> list[ContextRecord]:
    """A line for the claims with one subject, object and type: first one line of each entity."""
    alike: defaultdict[tuple[str, ...], list[ClaimMaterial]] = defaultdict(list)
    for claim in material.claims:
        alike[claim.alike or (claim.record.id,)].append(claim)
    lines: defaultdict[str, list[ContextRecord]] = defaultdict(list)
    for claims in alike.values():
        line = claims[0].record
        if len(claims) > 1:
            note = f"(one of {len(claims)} claims with this subject, object and type)"
            line = replace(line, text=f"{line.text} {note}", tokens=None)
        for entity in {entity for claim in claims for entity in claim.about}:
            lines[entity].append(line)
    rank = {entity.record.id: n for n, entity in enumerate(_prominent(material))}
    turns = [
        (turn, rank[entity], line)
        for entity, own in lines.items()
        if entity in rank
        for turn, line in enumerate(own)
    ]
    return [line for _, _, line in sorted(turns, key=lambda one: one[:2])]


def _elements(material: ReportMaterial, table: ContextTable) -> ContextTable:
    """Adds edges with their ends and claims, the most prominent first, then the other entities."""
    claims: defaultdict[str, list[ContextRecord]] = defaultdict(list)
    for claim in material.claims:
        for about in claim.about:
            claims[about].append(claim.record)
    for edge in _ranked(material, material.edges):
        ends = [material.entities[end] for end in (edge.source, edge.target)]
        if table.add([*(end.record for end in ends), edge.record]):
            table.add_each(claim for end in ends for claim in claims[end.record.id])
    for entity in _prominent(material):
        if table.add([entity.record]):
            table.add_each(claims[entity.record.id])
    return table


def _prominent(material: ReportMaterial) -> list[EntityMaterial]:
    return sorted(material.entities.values(), key=lambda e: (-e.degree, e.record.id))


def _ranked(
    material: ReportMaterial, edges: Iterable[RelationshipMaterial]
) -> list[RelationshipMaterial]:
    """The edges by the sum of their ends' degrees in the whole graph, the largest sum first."""
    degree = {id_: entity.degree for id_, entity in material.entities.items()}
    return sorted(edges, key=lambda e: (-degree[e.source] - degree[e.target], e.record.id))


def _substituted(material: ReportMaterial, budget: int, count: CountTokens) -> ContextTable | None:
    """The context in which as few parts as possible are replaced by reports, the largest first.

    None if it does not fit even when all parts are replaced.
    """
    own = {
        part: _elements(elements, ContextTable(UNLIMITED, count))
        for part, elements in _split(material).items()
    }
    ranked = sorted(material.parts, key=lambda part: (-own[part.id].tokens, part.full.text))
    size = sum(table.tokens for table in own.values())
    for replaced, part in enumerate(ranked, start=1):
        size += count(part.full.longest) - own.pop(part.id).tokens
        if size + count(HEADINGS["Reports"] + "\n") <= budget:
            table = ContextTable(budget, count)
            table.add(record for kept in own.values() for record in kept.records.values())
            table.add(one.full for one in ranked[:replaced])
            return table
    return None


def _split(material: ReportMaterial) -> dict[str | None, ReportMaterial]:
    """The elements by their part, under None those of no part; without edges between parts."""
    part = {id_: entity.part for id_, entity in material.entities.items()}
    entities: defaultdict[str | None, dict[str, EntityMaterial]] = defaultdict(dict)
    edges: defaultdict[str | None, list[RelationshipMaterial]] = defaultdict(list)
    claims: defaultdict[str | None, list[ClaimMaterial]] = defaultdict(list)
    for id_, entity in material.entities.items():
        entities[entity.part][id_] = entity
    for edge in material.edges:
        if part[edge.source] == part[edge.target]:
            edges[part[edge.source]].append(edge)
    for claim in material.claims:
        for home in {part[entity] for entity in claim.about if entity in part}:
            claims[home].append(claim)
    return {
        home: ReportMaterial(members, edges[home], claims[home])
        for home, members in entities.items()
    }


def _shortened(parts: Sequence[PartMaterial], budget: int, count: CountTokens) -> ContextTable:
    """All reports, shortened until they fit.

    The reports with the lowest rating are shortened first to title and summary, then to the title.
    Where the titles alone do not fit, the reports with the lowest rating are left out.
    """

    def rating(part: PartMaterial) -> tuple[float, str]:
        return (NO_RATING if part.rating is None else part.rating, part.full.text)

    ranked = sorted(parts, key=rating)
    sizes = [[count(r.longest) for r in (part.full, part.summary, part.title)] for part in ranked]
    room = budget - count(HEADINGS["Reports"] + "\n") - sum(size[0] for size in sizes)
    form = [0] * len(ranked)
    for shorter in (1, 2):
        for i, size in enumerate(sizes):
            if room >= 0:
                break
            room += size[shorter - 1] - size[shorter]
            form[i] = shorter
    table = ContextTable(budget, count)
    for part, form_ in reversed(list(zip(ranked, form, strict=True))):
        table.add([(part.full, part.summary, part.title)[form_]])
    table.shortened = sum(1 for form_ in form if form_)
    return table


def report_of_elements(
    material: ReportMaterial, budget: int, count: CountTokens
) -> tuple[WrittenReport, ContextTable]:
    """The report of a small community, made of its elements without a model, and its context."""
    table = _packed_elements(material, budget, count)
    entities = [e for e in _prominent(material) if ("Entities", e.record.id) in table.records]
    descriptions = [
        f"{entity.name}: {_cited(entity.description, entity.record)}"
        for entity in entities
        if entity.description
    ]
    findings = [
        FindingText(
            f"{material.entities[edge.source].name} – {material.entities[edge.target].name}",
            _cited(edge.description, edge.record),
        )
        for edge in material.edges
        if ("Relationships", edge.record.id) in table.records
    ]
    claimed = []
    for claim in material.claims:
        if shown := table.records.get(("Claims", claim.record.id)):
            # The number of the claims that a line stands for follows it in the table.
            note = shown.text.removeprefix(claim.record.text)
            claimed.append(_cited(claim.description + note, claim.record))
    if claimed:
        findings.append(FindingText("Claims", "\n".join(claimed)))
    title = ", ".join(entity.name for entity in entities)
    return WrittenReport(title, "\n".join(descriptions) or title, findings), table


def _cited(text: str, record: ContextRecord) -> str:
    """The text with a citation after each line: each line comes from a different place."""
    citation = bracket([(record.kind, record.ref)])
    return "\n".join(f"{line} {citation}" for line in text.splitlines())
