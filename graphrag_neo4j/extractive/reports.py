"""Reports made of quotations: titles of what is particular to a community, findings cited sentence
by sentence.

A leaf's findings are about the members that hold it together, those of a community with parts
about its parts. Each sentence stands in the chunk that is cited after it, and once in a report.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.context.citations import bracket
from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.context.report_material import PartMaterial, ReportMaterial
from graphrag_neo4j.model import FindingText, WrittenReport
from graphrag_neo4j.nlp.sentence_ranking import centrality, choose, quality, repeats

__all__ = ["report_of"]

TITLE = 3  # names in a title
SHORT = 0.3  # of a short name's weight: from there on the long one is taken
SUMMARY = 3  # sentences, at most, and one of so many that there are
LEFT = 4
FINDINGS = 6
PARTS = 12  # of which a report tells
EACH = 2  # sentences of a finding
GOOD = 0.1  # of a score for each point of a sentence's quality


@dataclass(frozen=True, slots=True)
class _Quotation:
    """A sentence, where it stands (the first chunk by id), the members that it is about."""

    text: str
    record: ContextRecord
    about: frozenset[str]


@dataclass(slots=True)
class _Writing:
    """A community's quotations by their text, its members' weights, and what is quoted already."""

    material: ReportMaterial
    quotations: Mapping[str, _Quotation]
    weights: Mapping[str, float]
    scores: Mapping[str, float]
    used: list[str] = field(default_factory=list)

    def quote(self, texts: Iterable[str], most: int, also: Sequence[ContextRecord] = ()) -> str:
        """The best of these sentences that are not used, each cited; a line each."""
        scores = {text: self.scores[text] for text in texts}
        chosen = choose(scores, most, self.used)
        self.used += chosen
        return "\n".join(self._cited(self.quotations[text], also) for text in chosen)

    def about(self, members: Iterable[str]) -> list[str]:
        """The sentences that are about these members more than about others, if there are any."""
        wanted = set(members)
        found = [text for text, one in self.quotations.items() if one.about & wanted]
        return [text for text in found if self._main(text) in wanted] or found

    def _main(self, text: str) -> str:
        """The member that matters most of those that a sentence is about."""
        return min(self.quotations[text].about, key=lambda id_: (-self.weights[id_], id_))

    def _cited(self, quotation: _Quotation, also: Sequence[ContextRecord]) -> str:
        members = [self.material.entities[id_].record for id_ in sorted(quotation.about)]
        records = [*also, *members, quotation.record]
        return f"{quotation.text} {bracket((one.kind, one.ref) for one in records)}"


def report_of(material: ReportMaterial) -> WrittenReport:
    """The report of a community, of what chunks say of its members."""
    weights = _weights(material)
    quotations = _quotations(material)
    scores = _scores(quotations, weights)
    writing = _Writing(material, quotations, weights, scores)
    title = ", ".join(material.entities[id_].name for id_ in _particular(material, weights))
    summary = writing.quote(quotations, max(1, min(SUMMARY, len(quotations) // LEFT)))
    findings = _of_parts(writing) if material.parts else _of_members(writing)
    return WrittenReport(title, summary, [*findings, *_of_claims(writing)])


def _weights(material: ReportMaterial) -> dict[str, float]:
    """How particular each member is to the community: how often it comes, how often with other
    members, and what share of its pairs lies inside."""
    inside: defaultdict[str, list[int]] = defaultdict(list)
    for edge in material.edges:
        inside[edge.source].append(edge.weight)
        inside[edge.target].append(edge.weight)
    return {
        id_: round(
            math.log1p(entity.mentions)
            * math.log1p(sum(inside[id_]))
            * math.sqrt(len(inside[id_]) / max(1, entity.degree)),
            9,
        )
        for id_, entity in material.entities.items()
    }


def _particular(material: ReportMaterial, weights: Mapping[str, float]) -> list[str]:
    """The members that a community is called by, none of whose names holds another's words."""
    chosen: list[str] = []
    words: set[str] = set()
    for id_ in sorted(weights, key=lambda id_: (-weights[id_], id_)):
        own = set(material.entities[id_].name.casefold().split())
        if len(chosen) < TITLE and not own & words and not _is_short(material, weights, id_):
            chosen.append(id_)
            words |= own
    return chosen


def _is_short(material: ReportMaterial, weights: Mapping[str, float], id_: str) -> bool:
    """Whether a name is only a part of another's that matters as well: Ben, of Ben Bloomberg."""
    name = material.entities[id_].name
    return name.istitle() and any(
        name != other.name
        and name in other.name.split()
        and weights[other_id] > SHORT * weights[id_]
        for other_id, other in material.entities.items()
    )


def _quotations(material: ReportMaterial) -> dict[str, _Quotation]:
    """The sentences that there are, by their text."""
    about: defaultdict[str, set[str]] = defaultdict(set)
    records: dict[str, ContextRecord] = {}
    for source in sorted(material.sources, key=lambda one: (one.text, one.record.id)):
        about[source.text].update(source.about)
        records.setdefault(source.text, source.record)
    return {text: _Quotation(text, records[text], frozenset(about[text])) for text in records}


def _scores(quotations: Mapping[str, _Quotation], weights: Mapping[str, float]) -> dict[str, float]:
    """How much a sentence says of a community: by its members, its words, and how it reads."""
    most = max(weights.values(), default=0) or 1
    central = centrality(list(quotations))
    return {
        text: round(
            math.fsum(weights[id_] / most for id_ in sorted(one.about)) / math.sqrt(len(one.about))
            + central[text]
            + GOOD * quality(text),
            9,
        )
        for text, one in quotations.items()
    }


def _of_members(writing: _Writing) -> Iterator[FindingText]:
    """A finding on each of the members that matter most."""
    weights, entities = writing.weights, writing.material.entities
    ranked = sorted(weights, key=lambda id_: (-weights[id_], id_))
    found = 0
    for id_ in ranked:
        if found == FINDINGS:
            return
        if text := writing.quote(writing.about([id_]), EACH):
            found += 1
            yield FindingText(entities[id_].name, text)


def _of_parts(writing: _Writing) -> Iterator[FindingText]:
    """A finding on each of the largest parts."""
    members: defaultdict[str | None, list[str]] = defaultdict(list)
    for id_, entity in writing.material.entities.items():
        members[entity.part].append(id_)
    parts = sorted(writing.material.parts, key=lambda part: (-len(members[part.id]), part.id))
    for part in parts[:PARTS]:
        if text := writing.quote(writing.about(members[part.id]), EACH, [part.title]):
            yield FindingText(_headline(part), text)


def _headline(part: PartMaterial) -> str:
    return part.title.text


def _of_claims(writing: _Writing) -> Iterator[FindingText]:
    """What is claimed of members, each claim once."""
    lines = []
    for claim in writing.material.claims:
        said = claim.description
        if claim.source and not any(repeats(said, other) for other in writing.used):
            writing.used.append(said)
            records = (claim.record, claim.source)
            lines.append(f"{said} {bracket((one.kind, one.ref) for one in records)}")
    if lines:
        yield FindingText("Claims", "\n".join(lines))
