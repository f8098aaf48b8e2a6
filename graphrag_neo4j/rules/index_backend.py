"""The extractive index backend: its LLM tasks need no model, but select and quote sentences.

The findings of a report on a community without parts are about its most important members; those of
other reports are about the parts. Each sentence is cited, stands word for word in the cited chunk,
and occurs only once in a report. What many chunks repeat is boilerplate and is left out.

A title is the most telling key phrase or name of the community, with one that is said with it.

    protein design · David Baker · spare time   ──▶   Protein design and David Baker
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.files import hash_of_data
from graphrag_neo4j.model.citations import bracket
from graphrag_neo4j.model.context import ContextRecord, ContextTable
from graphrag_neo4j.model.material import EntityMaterial, ReportMaterial
from graphrag_neo4j.model.types import (
    ChunkText,
    Claims,
    DescribedThing,
    Extraction,
    FindingText,
    LLMTask,
    NamePair,
    NameVerdict,
    Origin,
    Step,
    WrittenReport,
)
from graphrag_neo4j.rules import SIGNATURE_PREFIX
from graphrag_neo4j.rules.extraction import dated_claims, extract_by_rules
from graphrag_neo4j.rules.phrases import CONCEPT, PLACE
from graphrag_neo4j.rules.ranking import best_first, centrality, choose, quality, repeats
from graphrag_neo4j.text.strings import identify

# The packages whose words and tables decide what is read.
READERS = ("regex", "rjieba", "simplemma", "stopwordsiso", "tiktoken")
VERSION = 8  # increase it with every change that changes the results for a text
GOOD = 0.1  # score for each point of a sentence's quality


class ExtractiveIndexBackend:
    """Extracts entities and claims, and makes descriptions and reports, by rules.

    `longest`: tokens of a description, counted by `count`. A signature begins with "extractive".
    """

    def __init__(self, longest: int, count: Callable[[str], int]) -> None:
        self._longest, self._count = longest, count

    @property
    def origin(self) -> Origin:
        """Always "extractive", because all texts are quotations."""
        return "extractive"

    @property
    def quotes(self) -> bool:
        """True: the reports quote the sources."""
        return True

    reads_material = quotes

    def signature(self, step: Step) -> str:
        """Returns the version of these rules, and a hash of all else that decides a step.

        These are its settings, the word lists, and the versions of the packages that read words.
        """
        settings = [self._longest] if step == "summary" else []
        return f"{SIGNATURE_PREFIX} {VERSION} {identify(step, *settings, *_readers())}"

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        """Extracts the entities that a chunk names, and those that it names together."""
        yield from ()
        return extract_by_rules(chunk.text, chunk.speaker)

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]:
        """Extracts claims: who did what, with a date or an amount."""
        yield from ()
        return Claims(dated_claims(chunk.text, chunk.speaker))

    @property
    def summary_batch(self) -> int:
        """Always 1: no request is made that several things could share."""
        return 1

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        """Returns for each thing the most central sentences of its descriptions, one on a line."""
        yield from ()
        return [self._most_central(thing) for thing in things]

    def _most_central(self, thing: DescribedThing) -> str:
        texts = sorted({line for text in thing.descriptions for line in text.splitlines() if line})
        central, name = centrality(texts), thing.name.casefold()
        scores = {
            text: central[text] + GOOD * (quality(text) + (name in text.casefold()))
            for text in texts
        }
        lines: list[str] = []
        for text in best_first(scores):
            if lines and self._count("\n".join([*lines, text])) > self._longest:
                break
            lines.append(text)
        return "\n".join(lines)

    @property
    def shared_tokens(self) -> int:
        """0: there are no requests to share."""
        return 0

    def reports(
        self, contexts: Sequence[tuple[ContextTable, ReportMaterial]]
    ) -> LLMTask[list[WrittenReport | ReplyError]]:
        """Makes reports of quotations from the report material."""
        yield from ()
        return [report_of(material) for _, material in contexts]

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        """Decides nothing: without a model, only rules join names."""
        yield from ()
        return [None] * len(pairs)


@cache
def _readers() -> tuple[str, ...]:
    """Returns the versions of the packages that read words, and a hash of our word lists."""
    versions = [f"{name} {version(name)}" for name in READERS]
    return (*versions, hash_of_data("words", "names", "lexicon"))


SUMMARY = 3  # sentences in a summary, at most
LEFT = 4  # the summary takes at most one of this many sentences
FINDINGS = 6
PARTS = 12  # parts of the community that a report describes
EACH = 2  # sentences in a finding
BEGINNING = 8  # words by which a sentence is recognised where it comes again
BOILERPLATE = 4  # chunks with the same beginning that make it boilerplate; overlaps give two
SHORT = 0.3  # a long name replaces a short one if it has more than this part of its weight
PLAIN = 0.4  # how telling a place, or a key phrase of one word, is beside others


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
        selected = choose({text: self.scores[text] for text in texts}, most, self.used)
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
    weights, quotations = _weights(material), _quotations(material)
    writing = _Writing(material, quotations, weights, _scores(quotations, weights))
    title, named = _title(material, weights)
    most = max(1, min(SUMMARY, len(quotations) // LEFT))
    # First the sentences about the first member that the title names and that has some.
    naming = ([text for text, one in quotations.items() if id_ in one.about] for id_ in named)
    first = writing.quote(next(filter(None, naming), []), max(1, most // 2))
    others = writing.quote(quotations, most - len(first.splitlines()))
    findings = _of_parts(writing) if material.parts else _of_members(writing)
    summary = "\n".join(filter(None, (first, others)))
    return WrittenReport(title, summary, [*findings, *_of_claims(writing)])


def _weights(material: ReportMaterial) -> dict[str, float]:
    """Rates how particular each member is to the community.

    The weight grows with the mentions of the member, with the weights of its relationships to other
    members, and with the share of its relationships that lie inside the community. So a hub, which
    most documents mention, counts little in a small community.
    """
    inside: defaultdict[str, list[int]] = defaultdict(list)
    for edge in material.edges:
        inside[edge.source].append(edge.weight)
        inside[edge.target].append(edge.weight)
    return {
        id_: round(
            math.log1p(entity.mentions)
            * math.log1p(sum(inside[id_]))
            * len(inside[id_])
            / max(1, entity.degree),
            9,
        )
        for id_, entity in material.entities.items()
    }


def _quotations(material: ReportMaterial) -> dict[str, _Quotation]:
    """Returns all sentences about the members, by their text.

    Sentences whose beginning stands in many chunks are left out, unless there is nothing else.
    """
    chunks: defaultdict[str, set[str]] = defaultdict(set)
    for source in material.sources:
        chunks[_beginning(source.text)].add(source.record.id)
    content = [one for one in material.sources if len(chunks[_beginning(one.text)]) < BOILERPLATE]
    about: defaultdict[str, set[str]] = defaultdict(set)
    records: dict[str, ContextRecord] = {}
    for source in sorted(content or material.sources, key=lambda one: (one.text, one.record.id)):
        about[source.text].update(source.about)
        records.setdefault(source.text, source.record)
    return {text: _Quotation(text, records[text], frozenset(about[text])) for text in records}


def _beginning(text: str) -> str:
    return " ".join(text.casefold().split(maxsplit=BEGINNING)[:BEGINNING])


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
    weights, found = writing.weights, 0
    for id_ in sorted(weights, key=lambda id_: (-weights[id_], id_)):
        if found == FINDINGS:
            return
        if text := writing.quote(writing.about([id_]), EACH):
            found += 1
            yield FindingText(writing.material.entities[id_].name, text)


def _of_parts(writing: _Writing) -> Iterator[FindingText]:
    """Yields a finding on each of the largest parts of the community."""
    members: defaultdict[str | None, list[str]] = defaultdict(list)
    for id_, entity in writing.material.entities.items():
        members[entity.part].append(id_)
    # Two parts may have one title; their ids and texts depend on the history of the graph.
    largest = sorted(
        writing.material.parts,
        key=lambda part: (-len(members[part.id]), part.title.text, sorted(members[part.id])),
    )
    for part in largest[:PARTS]:
        if text := writing.quote(writing.about(members[part.id]), EACH, [part.title]):
            yield FindingText(part.title.text, text)


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


def _title(material: ReportMaterial, weights: Mapping[str, float]) -> tuple[str, list[str]]:
    """Returns the title of a community, and the ids of the members that it names.

    These are its most telling member, and the most telling one of those that statements name
    together with it.
    """
    entities = material.entities
    telling = {id_: weight * _told_by_name(entities[id_]) for id_, weight in weights.items()}
    lead = _distinct(entities, telling)
    together: Counter[str] = Counter()
    for edge in material.edges:
        if lead[0] in {edge.source, edge.target}:
            together[edge.target if edge.source == lead[0] else edge.source] += edge.weight
    near = {id_: telling[id_] * n for id_, n in together.items()}
    named = [*lead, *_distinct(entities, near, lead)]
    title = " and ".join(entities[id_].name for id_ in named)
    return title[:1].upper() + title[1:], named


def _told_by_name(one: EntityMaterial) -> float:
    """Rates how telling a member is by its mentions, its type, and the words of a key phrase."""
    plain = one.type == PLACE or (one.type == CONCEPT and " " not in one.name)
    return (PLAIN if plain else 1.0) * math.sqrt(one.mentions)


def _distinct(
    entities: Mapping[str, EntityMaterial], weights: Mapping[str, float], taken: Sequence[str] = ()
) -> list[str]:
    """Returns the member with the highest weight that shares no word with those taken, if any.

    The part of another important name is left out: Ben, of Ben Bloomberg.
    """
    words = {word for id_ in taken for word in entities[id_].name.casefold().split()}
    for id_ in sorted(weights, key=lambda id_: (-weights[id_], id_)):
        name = entities[id_].name
        part = name.istitle() and any(
            name in entities[other].name.split()
            for other, weight in weights.items()
            if other != id_ and weight > SHORT * weights[id_]
        )
        if words.isdisjoint(name.casefold().split()) and not part:
            return [id_]
    return []
