"""Reports made of quotations: titles that can be read aloud, each sentence cited and only once."""

from collections.abc import Mapping, Sequence

import pytest

from graphrag_neo4j.model.citations import cited, rewrite
from graphrag_neo4j.model.context import ContextRecord
from graphrag_neo4j.model.material import (
    ClaimMaterial,
    EntityMaterial,
    PartMaterial,
    RelationshipMaterial,
    ReportMaterial,
    SourceMaterial,
)
from graphrag_neo4j.model.types import WrittenReport
from graphrag_neo4j.rules.index_backend import report_of

ENTITIES = ("Reddit", "AI", "Alexis Ohanian", "Alexis", "Paris")
SAID = {
    "Reddit was founded by Alexis Ohanian in a small town.": ("Reddit", "Alexis Ohanian"),
    "Alexis Ohanian sold Reddit and bought it back later.": ("Reddit", "Alexis Ohanian"),
    "Alexis Ohanian sold Reddit and bought it back again later.": ("Reddit", "Alexis Ohanian"),
    "There is hardly a place on the web without AI.": ("AI",),
    "Reddit and AI have a difficult history.": ("Reddit", "AI"),
    "Alexis moved to Paris with his family.": ("Alexis", "Paris"),
}


def entity(number: int, name: str, *, degree: int = 4, part: str | None = None) -> EntityMaterial:
    record = ContextRecord("Entities", number, f"e{name}", name)
    return EntityMaterial(record, name, "", degree, part, mentions=3)


def edge(number: int, a: str, b: str, weight: int) -> RelationshipMaterial:
    return RelationshipMaterial(
        ContextRecord("Relationships", number, f"r{number}", ""), f"e{a}", f"e{b}", "", weight
    )


def material(
    said: Mapping[str, Sequence[str]] = SAID, claims: Sequence[str] = (), parts: Sequence[str] = ()
) -> ReportMaterial:
    part = {"Paris": "p1", "Alexis": "p1"}
    entities = [
        entity(i, name, degree=300 if name == "AI" else 4, part=part.get(name, "p0"))
        for i, name in enumerate(ENTITIES)
    ]
    pairs = (("Reddit", "Alexis Ohanian", 3), ("Reddit", "AI", 2), ("Alexis", "Paris", 2))
    edges = [edge(n, a, b, weight) for n, (a, b, weight) in enumerate(pairs, start=1)]
    sources = []
    for i, (text, names) in enumerate(said.items()):
        record = ContextRecord("Sources", 10 + i, f"c{i}", "")
        sources.append(SourceMaterial(record, tuple(f"e{name}" for name in names), text))
    made = []
    for i, text in enumerate(claims):
        record = ContextRecord("Claims", i, f"k{i}", "")
        made.append(ClaimMaterial(record, ("eReddit",), text, sources[0].record))
    told = [part_of(i, title) for i, title in enumerate(parts)]
    return ReportMaterial({one.record.id: one for one in entities}, edges, made, told, sources)


def part_of(number: int, title: str) -> PartMaterial:
    record = ContextRecord("Reports", 90 + number, f"p{number}", title)
    return PartMaterial(f"p{number}", record, record, record, None)


def sentences(report: WrittenReport) -> list[str]:
    texts = [report.summary, *(finding.explanation for finding in report.findings)]
    return [line for text in texts for line in text.splitlines()]


def quoted(line: str) -> str:
    return rewrite(line, lambda *_: None).strip()


def test_every_sentence_is_quoted_cited_with_its_chunk_and_stands_once() -> None:
    report = report_of(material())
    lines = sentences(report)
    assert len({quoted(line) for line in lines}) == len(lines) > 3
    for line in lines:
        number = list(SAID).index(quoted(line))
        assert ("Sources", 10 + number) in cited(line)
        assert {kind for kind, _ in cited(line)} == {"Entities", "Sources"}
    assert sum("bought it back" in line for line in lines) == 1  # two sentences say the same
    # The title names what is particular, and by the long name.
    assert report.title == "Reddit and Alexis Ohanian"


def test_a_community_with_parts_tells_of_each_and_cites_its_report() -> None:
    report = report_of(material(parts=["Reddit and others", "Paris"]))
    assert [finding.summary for finding in report.findings] == ["Reddit and others", "Paris"]
    assert all("Reports" in finding.explanation for finding in report.findings)


def test_a_claim_is_cited_with_its_chunk_and_not_said_again() -> None:
    said = next(iter(SAID))
    report = report_of(material(claims=[said, "Reddit raised $50 million in 2014."]))
    claims = [finding for finding in report.findings if finding.summary == "Claims"]
    lines = sentences(report)
    assert sum(quoted(line) == said for line in lines) == 1
    assert cited(claims[0].explanation)[-2:] == [("Sources", 10), ("Claims", 1)]


def test_the_order_of_the_material_makes_no_difference() -> None:
    one = material()
    entities = dict(reversed(list(one.entities.items())))
    turned = ReportMaterial(entities, one.edges[::-1], [], [], one.sources[::-1])
    assert report_of(one) == report_of(turned)


BENS = {"Ben": "person", "Ben Bloom": "person", "music": "concept"}
NAMES = {"David Baker": "person", "Rosetta": "", "Seattle": "place"}
PHRASES = {"protein": "concept", "protein design": "concept", "spare time": "concept"}


@pytest.mark.parametrize(
    ("types", "pairs", "title"),
    [
        (
            {**PHRASES, **NAMES},
            [("Rosetta", "protein design"), ("protein design", "David Baker")],
            "Protein design and David Baker",
        ),
        ({"Rosetta": ""}, [], "Rosetta"),
        (BENS, [("Ben", "music"), ("Ben Bloom", "music")], "Music and Ben Bloom"),
    ],
)
def test_a_title_names_what_is_told_most_and_what_is_said_with_it(
    types: Mapping[str, str], pairs: Sequence[tuple[str, str]], title: str
) -> None:
    record = ContextRecord("Relationships", 1, "r", "")
    entities = {
        f"e{name}": EntityMaterial(
            ContextRecord("Entities", n, f"e{name}", name), name, "", 4, None, 4, type_
        )
        for n, (name, type_) in enumerate(types.items())
    }
    edges = [RelationshipMaterial(record, f"e{a}", f"e{b}", "", 2) for a, b in pairs]
    assert report_of(ReportMaterial(entities, edges, [])).title == title
