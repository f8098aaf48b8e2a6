"""Checks that every quotation of an extractive index stands in a chunk that is cited for it.

"Stands in" means character by character, with white space folded, and with the brackets of a
neutralised citation mark (`⟦Data: …⟧`) read as the square brackets of the document.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag_neo4j import AsyncGraphRAG
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.integrations.explore import Map, read_map
from graphrag_neo4j.model.citations import CitationRef, cited, rewrite
from graphrag_neo4j.query.answer import Answer, ResolvedRow

EVERY = 1_000_000  # places of a citation: all that there are
SAME = str.maketrans("⟦⟧", "[]")


@dataclass(slots=True)
class Checked:
    """How many quotations of each kind were checked, and those that stand nowhere."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[str, str]] = field(default_factory=list)

    def note(self, kind: str, quotation: str, texts: Iterable[str]) -> None:
        """Counts a quotation; it is wrong where none of the texts holds it."""
        self.counts[kind] += 1
        if not any(folded(quotation) in folded(text) for text in texts):
            self.wrong.append((kind, quotation))


def folded(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.translate(SAME).split())


async def check_reports(graph: Graph, checked: Checked) -> None:
    """Every line of every report: what is quoted, what is made of elements, and claims."""
    rows = await graph.run_plain(
        "MATCH (c:Community) WHERE c.report IS NOT NULL "
        "RETURN c.origin AS origin, c.title AS title, c.summary AS summary, "
        "COLLECT { MATCH (c)-[:HAS_FINDING]->(f) RETURN f.explanation ORDER BY f.index } AS said"
    )
    lines = [
        (row["origin"], row["title"], line)
        for row in rows
        for text in (row["summary"], *row["said"])
        for line in text.splitlines()
    ]
    chunks = await _chunks_of(graph, (line for _, _, line in lines))
    for origin, title, line in lines:
        if cited(line):  # a member without a description is named, not quoted
            checked.note(f"report ({origin})", _quoted(line, title), _behind(line, chunks))


async def check_answer(
    rag: AsyncGraphRAG, answer: Answer, documents: Mapping[str, str], checked: Checked
) -> None:
    """Every quotation of an answer, and every place that its sources name."""
    lines = [line for line in answer.text.splitlines() if line.startswith("- ")]
    chunks = await _chunks_of(rag.graph, lines)
    for line in lines:
        checked.note("answer", _quoted(line.removeprefix("- ")), _behind(line, chunks))
    places = {(one.kind, one.ref): [s.quoted for s in one.sources] for one in answer.citations}
    for line in lines:
        for one in cited(line):
            # The first thing that is cited may be an entity that other chunks speak of, too.
            if one[0] == "Sources":
                checked.note(
                    "place of Sources that says it", _quoted(line.removeprefix("- ")), places[one]
                )
    for source in (source for citation in answer.citations for source in citation.sources):
        start, end = source.place
        checked.counts["source without a quotation"] += source.quote is None
        checked.note("source", source.quoted, [documents[source.document][start:end]])


async def check_map(graph: Graph, documents: Mapping[str, str], checked: Checked) -> Map:
    """Every quotation in the data of the map; gives the map."""
    found = await read_map(graph)
    texts: dict[int, str] = {}
    for ref, document, start, text in found.chunks:
        whole = documents[str(found.documents[int(str(document))][1])]
        stands = whole[int(str(start)) :][: len(str(text))]
        checked.note("map (chunk)", str(text), [stands])
        texts[int(str(ref))] = str(text)
    rows = await graph.run_plain(
        "MATCH (e:Entity) RETURN e.ref AS ref, "
        "COLLECT { MATCH (e)<-[:MENTIONS]-(c) RETURN c.ref } AS chunks"
    )
    chunks = {row["ref"]: [texts[ref] for ref in row["chunks"]] for row in rows}
    for ref, _, _, description, *_ in found.entities:
        for line in str(description or "").splitlines():
            checked.note("map (entity)", line, chunks[int(str(ref))])
    for _, source, target, _, description, _ in found.relationships:
        own = [*chunks[int(str(source))], *chunks[int(str(target))]]
        for line in str(description or "").splitlines():
            checked.note("map (relationship)", line, own)
    return found


def _quoted(line: str, title: str = "") -> str:
    """What a line quotes: without its citations, and without the name that it begins with."""
    said = rewrite(line, lambda *_: None).strip()
    names = sorted(title.split(", "), key=len, reverse=True)
    return next((said.removeprefix(f"{n}: ") for n in names if said.startswith(f"{n}: ")), said)


async def _chunks_of(graph: Graph, lines: Iterable[str]) -> Mapping[CitationRef, Sequence[str]]:
    """The texts of the chunks that each thing cited in these lines comes from."""
    wanted = sorted({one for line in lines for one in cited(line) if one[0] != "Reports"})
    found: defaultdict[CitationRef, list[str]] = defaultdict(list)
    for start in range(0, len(wanted), 500):
        page: list[dict[str, object]] = [
            {"kind": k, "ref": ref, "said": []} for k, ref in wanted[start : start + 500]
        ]
        rows = await graph.read("search/resolve", ResolvedRow, citations=page, places=EVERY)
        for row in rows:
            found[row["kind"], row["ref"]].append(row["text"] or "")
    return found


def _behind(line: str, chunks: Mapping[CitationRef, Sequence[str]]) -> list[str]:
    """The chunks that a line may quote: those it cites itself, else those behind what it cites."""
    cites = cited(line)
    own = [one for one in cites if one[0] == "Sources"]
    return [text for one in own or cites for text in chunks.get(one, ())]
