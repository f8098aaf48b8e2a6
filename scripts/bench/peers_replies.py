"""Replies in the forms that other programs ask for, made from the same knowledge of a text.

microsoft/graphrag asks for reports and points, LightRAG for rows and keywords, neo4j-graphrag for a
schema and a graph. A fair comparison needs usable replies for each of them. The fake endpoint knows
them once this module is imported: FakeEndpoint(replies="scripts.bench.peers_replies").
"""

import csv
import re
from collections.abc import Iterable

from tests.support.fake_endpoint import chat as chats
from tests.support.fake_endpoint import json_replies, replies
from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.invented import TYPES, know
from tests.support.fake_endpoint.records import COMPLETE, Entity, Record, Relationship
from tests.support.fake_endpoint.words import sentences

TABLES = re.compile(r"---Data tables---\n(.*?)\n---Goal---", re.DOTALL)
QUERY = re.compile(r"^User Query: (.+)$", re.MULTILINE)
MOST = 5  # findings, points
SAID = 300  # characters of a row or sentence that are said again
RELATED = "RELATED_TO"


def write_report(chat: Chat) -> object:
    """A report of microsoft/graphrag: findings on rows of its tables."""
    rows = list(csv.reader(re.findall(r"^\d+,.*,.*$", chat.text, re.MULTILINE)))
    title = ", ".join(row[1] for row in rows[:3])[:80] or "Nothing"
    told = [(row, f"{max(row, key=len)[:SAID]} [Data: {row[0]}]") for row in rows[:MOST]]
    return {
        "title": title,
        "summary": f"{title} belong together. {rows[0][-2][:SAID] if rows else ''}",
        "findings": [{"summary": f"On {row[1]}", "explanation": said} for row, said in told],
        "rating": 5.0,
        "rating_explanation": f"It concerns {len(rows)} things.",
    }


def points(chat: Chat) -> object:
    """Points of a map call of microsoft/graphrag: the longest sentences of its tables."""
    tables = TABLES.search(chat.prompt)
    told = sorted(sentences(tables[1] if tables else ""), key=len, reverse=True)[:MOST]
    return {"points": [{"description": one[:SAID], "score": 90 - n} for n, one in enumerate(told)]}


def keywords(chat: Chat) -> object:
    """Keywords of a question, as LightRAG wants them: its words, and its names."""
    words = re.findall(r"\w{5,}", QUERY.findall(chat.prompt)[-1])
    names = [word for word in words if word[0].isupper()]
    return {"high_level_keywords": words, "low_level_keywords": names}


def write_graph(chat: Chat) -> object:
    """What is known of a text, as nodes and relationships for neo4j-graphrag."""
    known = know(chat.text)
    ids = {entity.name: str(n) for n, entity in enumerate(known.entities)}
    return {
        "nodes": [
            {
                "id": ids[name],
                "label": kind.title(),
                "properties": {"name": name, "description": said},
            }
            for name, kind, said in known.entities
        ],
        "relationships": [
            {
                "type": RELATED,
                "start_node_id": ids[one.source],
                "end_node_id": ids[one.target],
                "properties": {"description": one.description},
            }
            for one in known.relationships
            if one.source in ids and one.target in ids
        ],
    }


def write_schema(_: Chat) -> object:
    """A schema for neo4j-graphrag that has every type of entity that we invent."""
    labels = [kind.title() for kind in (*TYPES, "concept")]
    name, said = ({"name": n, "type": "STRING", "description": ""} for n in ("name", "description"))
    nodes = [{"label": one, "description": "", "properties": [name, said]} for one in labels]
    related = {"label": RELATED, "description": "", "properties": [said]}
    pairs = [(one, other) for one in labels for other in labels]
    patterns = [{"source": a, "relationship": RELATED, "target": b} for a, b in pairs]
    return {
        "node_types": nodes,
        "relationship_types": [related],
        "patterns": patterns,
        "constraints": [],
    }


def to_rows(records: Iterable[Record]) -> str:
    """A whole reply in the rows that LightRAG reads, of entities and relationships."""
    rows: list[tuple[str, ...]] = []
    for record in records:
        match record:
            case Entity():
                rows.append(("entity", *record))
            case Relationship(source, target, description, _):
                rows.append(("relation", source, target, "connection", description))
    return "".join(f"{'<|#|>'.join(' '.join(f.split()) for f in row)}\n" for row in rows) + COMPLETE


json_replies.SCHEMAS |= {
    "CommunityReportResponse": ("", write_report),
    "graphrag_points": ("", points),
    "query_keywords": ("", keywords),
    "Neo4jGraph": ("", write_graph),
    "GraphSchemaExtractionOutput": ("", write_schema),
}
json_replies.PROMPTS |= {
    'The response should be JSON formatted as follows:\n{\n    "points"': "graphrag_points",
    "**high_level_keywords**": "query_keywords",
}
replies.KINDS = {"extraction_rows": re.compile(r"entity<\|#\|>entity_name"), **replies.KINDS}
replies.LISTS |= {"extraction_rows": to_rows}
chats.UNMARKED.extend(
    (
        re.compile(r"^---Input Text---\n```\n(.*?)\n```\n\n---Output---", re.MULTILINE | re.DOTALL),
        re.compile(r"^Input text:\n+(.*)", re.MULTILINE | re.DOTALL),
    )
)
