"""Makes reports of quotations. `titles` forms their titles.

The findings of a community without parts are about its most important members; the findings of
other communities are about their parts. Each sentence is cited, stands word for word in the cited
chunk, and occurs only once in a report.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j.context.citations import bracket
from graphrag_neo4j.context.context_table import ContextRecord
from graphrag_neo4j.context.material import PartMaterial, ReportMaterial
from graphrag_neo4j.extractive.titles import title_of
from graphrag_neo4j.model import FindingText, WrittenReport
from graphrag_neo4j.nlp.formulas import is_noise
from graphrag_neo4j.nlp.sentence_ranking import centrality, choose, quality, repeats

__all__ = ["report_of"]

SUMMARY = 3  # sentences in a summary, at most
LEFT = 4  # the summary takes at most one of this many sentences
FINDINGS = 6
PARTS = 12  # parts of the community that a report describes
EACH = 2  # sentences in a finding
GOOD = 0.1  # score for each point of a sentence's quality


@dataclass(frozen=True, slots=True)
class _Quotation:
    """A sentence, its chunk (the first by id), and the ids of the members that it is about."""

    text: str
    record: ContextRecord
    about: frozenset[str]


@dataclass(slots=True)
class _Writing:
    """The state of a report: quotations by text, weights of members, and texts already `used`."""

    material: ReportMaterial
    quotations: Mapping[str, _Quotation]
    weights: Mapping[str, float]
    scores: Mapping[str, float]
    used: list[str] = field(default_factory=list)

    def quote(self, texts: Iterable[str], most: int, also: Sequence[ContextRecord] = ()) -> str:
        """Quotes at most `most` of the best unused sentences with citations, one on each line."""
        scores = {text: self.scores[text] for text in texts}
        selected = choose(scores, most, self.used)
        self.used += selected
        return "\n".join(self._cited(self.quotations[text], also) for text in selected)

    def about(self, members: Iterable[str]) -> list[str]:
        """Returns the sentences that are mainly about these members, or else all about them."""
        wanted = set(members)
        found = [text for text, one in self.quotations.items() if one.about & wanted]
        return [text for text in found if self._main(text) in wanted] or found

    def _main(self, text: str) -> str:
        """Returns the member with the highest weight of those that a sentence is about."""
        return min(self.quotations[text].about, key=lambda id_: (-self.weights[id_], id_))

    def _cited(self, quotation: _Quotation, also: Sequence[ContextRecord]) -> str:
        members = [self.material.entities[id_].record for id_ in sorted(quotation.about)]
        records = [*also, *members, quotation.record]
        return f"{quotation.text} {bracket((one.kind, one.ref) for one in records)}"


def report_of(material: ReportMaterial) -> WrittenReport:
    """Makes the report on a community from the sentences about its members."""
    weights = _weights(material)
    quotations = _quotations(material)
    scores = _scores(quotations, weights)
    writing = _Writing(material, quotations, weights, scores)
    title, named = title_of(material, weights)
    most = max(1, min(SUMMARY, len(quotations) // LEFT))
    first = writing.quote(_naming(quotations, named), max(1, most // 2))
    others = writing.quote(quotations, most - len(first.splitlines()))
    summary = "\n".join(text for text in (first, others) if text)
    findings = _of_parts(writing) if material.parts else _of_members(writing)
    return WrittenReport(title, summary, [*findings, *_of_claims(writing)])


def _naming(quotations: Mapping[str, _Quotation], named: Sequence[str]) -> list[str]:
    """Returns the sentences about the first member that the title names, or else about others."""
    for id_ in named:
        if texts := [text for text, one in quotations.items() if id_ in one.about]:
            return texts
    return []


def _weights(material: ReportMaterial) -> dict[str, float]:
    """Rates how particular each member is to the community.

    The weight grows with the mentions of the member, with the weights of its relationships to other
    members, and with the share of its relationships that lie inside the community.
    """
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


def _quotations(material: ReportMaterial) -> dict[str, _Quotation]:
    """Returns all sentences about the members, by their text.

    Greetings, credits and licences are left out, unless there is nothing else.
    """
    about: defaultdict[str, set[str]] = defaultdict(set)
    records: dict[str, ContextRecord] = {}
    content = [one for one in material.sources if not is_noise(one.text)]
    for source in sorted(content or material.sources, key=lambda one: (one.text, one.record.id)):
        about[source.text].update(source.about)
        records.setdefault(source.text, source.record)
    return {text: _Quotation(text, records[text], frozenset(about[text])) for text in records}


def _scores(quotations: Mapping[str, _Quotation], weights: Mapping[str, float]) -> dict[str, float]:
    """Scores sentences by the weights of their members, their centrality and their quality."""
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
    """Yields a finding on each of the members with the highest weights."""
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
    """Yields a finding on each of the largest parts of the community."""
    members: defaultdict[str | None, list[str]] = defaultdict(list)
    for id_, entity in writing.material.entities.items():
        members[entity.part].append(id_)
    largest = sorted(writing.material.parts, key=lambda p: (-len(members[p.id]), p.full.text))
    for part in largest[:PARTS]:
        if text := writing.quote(writing.about(members[part.id]), EACH, [part.title]):
            yield FindingText(_headline(part), text)


def _headline(part: PartMaterial) -> str:
    return part.title.text


def _of_claims(writing: _Writing) -> Iterator[FindingText]:
    """Yields a finding with the claims about members, each of them once."""
    lines = []
    for claim in writing.material.claims:
        text = claim.description
        if claim.source and not any(repeats(text, other) for other in writing.used):
            writing.used.append(text)
            records = (claim.record, claim.source)
            lines.append(f"{text} {bracket((one.kind, one.ref) for one in records)}")
    if lines:
        yield FindingText("Claims", "\n".join(lines))
