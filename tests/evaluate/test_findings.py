"""The findings of a graph's reports, with the text of each record that they cite."""

import csv
import io
from pathlib import Path

from graphrag_neo4j.evaluate import AsyncEvaluation
from graphrag_neo4j.evaluate.folder import CitedSource, EvaluationFolder
from graphrag_neo4j.evaluate.groundedness import read_findings
from graphrag_neo4j.evaluate.report import read_report
from graphrag_neo4j.graph import Graph
from graphrag_neo4j.settings import Settings

MADE = """
CREATE (d:Document:KgBuild {id: 'd', source: 'notes.txt', title: 'Notes'}),
  (c:Chunk:KgBuild {id: 'c', ref: 1, text: 'Ada met Charles in June.'})-[:PART_OF]->(d),
  (a:Entity:KgBuild {id: 'a', ref: 2, name: 'Ada', description: 'She wrote notes.'}),
  (b:Entity:KgBuild {id: 'b', ref: 3, name: 'Charles', description: 'He built engines.'}),
  (a)-[:RELATED {id: 'r', ref: 4, reversed: true, description: 'He met her.'}]->(b),
  (l:Claim:KgBuild {id: 'l', ref: 5, description: 'Ada was first.', source_text: 'Ada, the first.'})
    -[:FROM]->(c),
  (s:Community:KgBuild {id: 's', ref: 6, level: 1, title: 'Letters',
    report: '# Letters\nThey wrote.', origin: 'model'}),
  (s)-[:HAS_FINDING]->(:Finding:KgBuild {id: 'f2', index: 0, explanation: 'They wrote letters.'}),
  (t:Community:KgBuild {id: 't', ref: 7, level: 0, title: 'Ada and Charles', origin: 'model'}),
  (t)-[:HAS_FINDING]->(:Finding:KgBuild {id: 'f1', index: 0, explanation: $said}),
  (u:Community:KgBuild {id: 'u', ref: 8, level: 0, title: 'Ada', origin: 'elements'}),
  (u)-[:HAS_FINDING]->(:Finding:KgBuild {id: 'f3', index: 0, explanation: 'She wrote notes.'})
"""
SAID = (
    "They met [Data: Sources (1); Entities (2); Relationships (4)]. "
    "She was first [Data: Claims (5); Reports (6); Entities (99)]."
)


async def test_each_citation_leads_to_the_record_that_it_names(graph: Graph) -> None:
    await graph.run_plain(MADE, said=SAID)
    first, second = await read_findings(graph)
    assert first.sources == [
        CitedSource("[Data: Sources (1)]", "notes.txt", "Ada met Charles in June."),
        CitedSource("[Data: Entities (2)]", "entity Ada", "Ada: She wrote notes."),
        CitedSource(
            "[Data: Relationships (4)]",
            "relationship Charles – Ada",
            "Charles – Ada: He met her.",
        ),
        CitedSource("[Data: Claims (5)]", "notes.txt", "Ada was first.\nAda, the first."),
        CitedSource("[Data: Reports (6)]", "report Letters", "# Letters\nThey wrote."),
    ]
    assert first.dead == ["[Data: Entities (99)]"]
    assert (first.question, first.condition, first.text) == ("t", "reports of level 0", SAID)
    assert (second.condition, second.sources, second.dead) == ("reports of level 1", [], [])


async def test_the_folder_keeps_the_findings_for_a_report_without_neo4j(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    await graph.run_plain(MADE, said=f"{SAID} A mill burnt down [Data: Sources (1)].")
    evaluation = AsyncEvaluation(tmp_path / "e", alone)
    await evaluation.ground(reports=True)
    report = read_report(tmp_path / "e", alone)
    [levels] = [one for one in report.tables if one.name == "groundedness of reports words"]
    assert [row[:4] for row in levels.rows] == [
        ["reports of level 0", 1, 3, 1.0],
        ["reports of level 1", 1, 1, 0.0],
    ]
    rows = csv.DictReader(io.StringIO(report.csv_files()["sentences.csv"]))
    assert [
        (one["question or report"], one["sentence"]) for one in rows if one["verdict"] == "not"
    ] == [("Ada and Charles", "A mill burnt down.")]
    await graph.run_plain("MATCH (report:Community {level: 1}) DETACH DELETE report")
    await evaluation.ground(reports=True)
    assert len(EvaluationFolder(tmp_path / "e").findings) == 1
