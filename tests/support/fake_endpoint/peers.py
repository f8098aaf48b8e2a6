"""Replies in the forms that other programs ask for, made from the same knowledge of a text.

microsoft/graphrag asks for reports and points, LightRAG for rows and keywords, neo4j-graphrag for
a schema and a graph in JSON. A fair comparison needs usable replies for each of them.
"""

import csv
import io
import re
from collections.abc import Sequence

from tests.support.fake_endpoint.book import recall
from tests.support.fake_endpoint.chat import Chat
from tests.support.fake_endpoint.invented import TYPES, invent, sentences
from tests.support.fake_endpoint.records import Entity

__all__ = ["keywords", "points", "write_graph", "write_report", "write_schema"]

TABLES = re.compile(r"---Data tables---\n(.*?)\n---Goal---", re.DOTALL)
QUERY = re.compile(r"^User Query: (.+)$", re.MULTILINE)
ROW = re.compile(r"^\d+,.*,.*$", re.MULTILINE)
WORD = re.compile(r"\w{5,}")
MOST = 5
SAID = 300  # characters of a row or sentence that are said again
RELATED = "RELATED_TO"


def write_report(chat: Chat) -> object:
    """A report of microsoft/graphrag: five findings at most, each on a row of its tables."""
    rows = [next(csv.reader(io.StringIO(line))) for line in ROW.findall(chat.text)]
    title = ", ".join(row[1] for row in rows[:3])[:80] or "Nothing"
    return {
        "title": title,
        "summary": f"{title} belong together. {rows[0][-2][:SAID] if rows else ''}",
        "findings": [
            {
                "summary": f"On {row[1]}",
                "explanation": f"{max(row, key=len)[:SAID]} [Data: {row[0]}]",
            }
            for row in rows[:MOST]
        ],
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
    asked = QUERY.findall(chat.prompt)[-1]
    names = [word for word in WORD.findall(asked) if word[0].isupper()]
    return {"high_level_keywords": WORD.findall(asked), "low_level_keywords": names}


def write_graph(chat: Chat) -> object:
    """What is known of a text, as nodes and relationships for neo4j-graphrag."""
    known = recall(chat.text) or invent(chat.text)
    ids = {entity.name: str(n) for n, entity in enumerate(known.entities)}
    return {
        "nodes": [_node(ids[entity.name], entity) for entity in known.entities],
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
    labels = [_label(kind) for kind in (*TYPES, "concept")]
    return {
        "node_types": [
            {"label": label, "description": "", "properties": _strings("name", "description")}
            for label in labels
        ],
        "relationship_types": [
            {"label": RELATED, "description": "", "properties": _strings("description")}
        ],
        "patterns": [
            {"source": one, "relationship": RELATED, "target": other}
            for one in labels
            for other in labels
        ],
        "constraints": [],
    }


def _node(id_: str, entity: Entity) -> object:
    properties = {"name": entity.name, "description": entity.description}
    return {"id": id_, "label": _label(entity.type), "properties": properties}


def _label(kind: str) -> str:
    return kind.title().replace(" ", "")


def _strings(*names: str) -> Sequence[object]:
    return [{"name": name, "type": "STRING", "description": ""} for name in names]
