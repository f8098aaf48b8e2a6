"""Groundedness: what claims something, what it rests on, and that nothing is judged twice."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from graphrag_neo4j import AsyncGraphRAG, Document
from graphrag_neo4j.extras.evaluate import Evaluation
from graphrag_neo4j.extras.evaluate.folder import AnswerRecord, CitedSource, EvaluationFolder
from graphrag_neo4j.extras.evaluate.groundedness import (
    Groundedness,
    groundedness_of,
    judge_of,
    read_findings,
    sentences_to_judge,
    support_step,
)
from graphrag_neo4j.extras.evaluate.report import read_evaluation
from graphrag_neo4j.extras.evaluate.statements import CitedSentence, citations_in, statements_in
from graphrag_neo4j.extras.evaluate.tasks.judges import Support
from graphrag_neo4j.extras.evaluate.word_support import support_by_words
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.settings import Settings, load_settings
from graphrag_neo4j.text.sentences import read_passage
from tests.support.evaluations import REPORT, add_findings, add_support, evaluation
from tests.support.fake_endpoint import FakeEndpoint
from tests.support.paths import ROOT

SAMPLE = ROOT / "graphrag_neo4j" / "data" / "sample"
CHUNK = 2_000  # characters
SOURCE = "[Data: Sources (1)]"
STORY = """\
Ada Lovelace met Charles Babbage in June 1833. Charles Babbage had built an engine of brass.
Ada Lovelace translated an article by Luigi Menabrea about the Analytical Engine.

Luigi Menabrea had heard Charles Babbage in Turin. The Analytical Engine was never built in London.
Ada Lovelace wrote notes on the Analytical Engine, which were printed in 1843.
"""


def answer(text: str, *sources: tuple[str, str], dead: Sequence[str] = ()) -> AnswerRecord:
    cited = [CitedSource(citation, "a.txt", passage) for citation, passage in sources]
    return AnswerRecord(text, "question", "local", text, sources=cited, dead=dead)


async def grounded(
    path: Path, texts: Sequence[AnswerRecord], settings: Settings | None = None
) -> Groundedness:
    """The groundedness by the model of the settings, or by words."""
    own = settings or load_settings()
    folder, judge = EvaluationFolder(path), judge_of(own, words=settings is None)
    await support_step(texts, folder, own, judge).complete(silent)
    [found] = groundedness_of(texts, folder, own, judge)
    return found


def quotations() -> Iterator[tuple[str, str]]:
    """Yields quotations of some sentences from the sample transcripts, each with its chunk."""
    for path in sorted(SAMPLE.glob("*p*.txt")):
        text = path.read_text("utf-8")
        for start in range(2 * CHUNK, 20 * CHUNK, 3 * CHUNK):
            chunk = text[start : start + CHUNK]
            whole = [one.text for one in read_passage(chunk).sentences[1:-1]]
            long = [one for one in whole if len(one.split()) > 7 and one.endswith(".")]
            yield from ((one, chunk) for one in long[:4])


async def test_quotations_are_grounded_and_moved_citations_are_not(tmp_path: Path) -> None:
    quoted = list(quotations())
    assert len(quoted) >= 40
    lines = [f"- {text} [Data: Sources ({n})]" for n, (text, _) in enumerate(quoted)]
    sources = [(f"[Data: Sources ({n})]", chunk) for n, (_, chunk) in enumerate(quoted)]
    half = len(quoted) // 2
    moved = [(name, sources[(n + half) % len(sources)][1]) for n, (name, _) in enumerate(sources)]
    right = await grounded(tmp_path / "right", [answer("\n".join(lines), *sources)])
    wrong = await grounded(tmp_path / "wrong", [answer("\n".join(lines), *moved)])
    assert right.cited_share == right.placed_share == wrong.cited_share == 1
    assert right.supported_share == 1
    assert wrong.supported_share is not None
    assert wrong.supported_share <= 0.05


async def test_each_share_counts_what_it_says(tmp_path: Path) -> None:
    text = (
        "Ada met Charles [Data: Sources (1)]. They wrote letters. It rained on that day "
        "[Data: Entities (5)]. The wheels were of gold [Data: Sources (2, 3)].\n\nIs that so?"
    )
    one = answer(
        text,
        (SOURCE, "Ada met Charles."),
        ("[Data: Sources (2)]", "Nothing of it."),
        dead=["[Data: Sources (3)]"],
    )
    no_statement, failed = answer("Who knows?"), replace(one, key="x", failure="no reply")
    found = await grounded(tmp_path, [one, no_statement, failed])
    assert found == Groundedness(
        "local", "words", texts=1, statements=4, cited=4, supported=1, unsupported=3,
        citations=4, placed=2,
    )  # fmt: skip
    uncited = await grounded(tmp_path, [answer("Ada met Charles. It rained.")])
    assert (uncited.cited_share, uncited.supported_share, uncited.placed_share) == (0, None, None)


async def test_a_model_judges_a_sentence_once_for_its_passages_and_its_name(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    settings = load_settings(openai_base_url=endpoint.url, openai_api_key="sk-for-tests-only")
    passage = (SOURCE, "In June Ada met Charles.")
    one = answer(f"Ada met Charles {SOURCE}. The mill stood still {SOURCE}.", passage)
    made = await grounded(tmp_path, [one], settings)
    assert (made.supported, made.unsupported, made.missing) == (1, 1, 0)
    assert len(endpoint.log) == 2
    same_again = answer(f"So it was: Ada knew him. The mill stood still {SOURCE}.", passage)
    await grounded(tmp_path, [one, same_again], settings)
    assert len(endpoint.log) == 3
    await grounded(tmp_path, [answer(one.text, (SOURCE, "Ada met him again."))], settings)
    assert len(endpoint.log) == 5
    await grounded(tmp_path, [one], settings.changed(judge_model="another"))
    assert len(endpoint.log) == 7


def test_of_many_passages_the_nearest_are_shown_and_the_others_are_counted() -> None:
    far = [(SOURCE, f"Nothing of it. {n} {'x ' * 5_000}") for n in range(4)]
    near = (SOURCE, f"Ada met Charles. {'y ' * 5_000}")
    [one] = sentences_to_judge([answer(f"Ada met Charles {SOURCE}.", *far, near)])
    assert one.passages[0] == near[1]
    assert (len(one.passages), one.left_out) == (2, 3)


@pytest.mark.slow  # it indexes
async def test_the_answers_and_reports_of_an_extractive_graph_are_grounded(
    tmp_path: Path, alone: Settings, graph: Graph
) -> None:
    async with AsyncGraphRAG(alone) as rag:
        await rag.index([Document(STORY, "story.txt")])
        found = await rag.query("What did Ada Lovelace write?", method="local")
        reports = await read_findings(graph)
    assert reports
    told = [
        (f"[Data: {one.kind} ({one.ref})]", source.text)
        for one in found.citations
        for source in one.sources
    ]
    answers = await grounded(tmp_path, [answer(found.text, *told)])
    assert answers.supported_share == answers.placed_share == 1
    assert answers.cited == answers.statements > 0
    level = await grounded(tmp_path, [replace(one, condition="reports") for one in reports])
    assert level.supported_share == level.placed_share == 1
    assert any(one.text for finding in reports for one in finding.sources)


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


async def test_each_citation_of_a_finding_leads_to_its_record_and_the_folder_keeps_it(
    graph: Graph, alone: Settings, tmp_path: Path
) -> None:
    """A report of the evaluation needs no Neo4j."""
    said = f"{SAID} A mill burnt down [Data: Sources (1)]."
    await graph.run_plain(MADE, said=said)
    first, second = await read_findings(graph)
    met = "Charles – Ada"
    assert first.sources == [
        CitedSource("[Data: Sources (1)]", "notes.txt", "Ada met Charles in June."),
        CitedSource("[Data: Entities (2)]", "entity Ada", "Ada: She wrote notes."),
        CitedSource("[Data: Relationships (4)]", f"relationship {met}", f"{met}: He met her."),
        CitedSource("[Data: Claims (5)]", "notes.txt", "Ada was first.\nAda, the first."),
        CitedSource("[Data: Reports (6)]", "report Letters", "# Letters\nThey wrote."),
    ]
    assert first.dead == ["[Data: Entities (99)]"]
    assert (first.question, first.condition, first.text) == ("t", "reports of level 0", said)
    assert (second.condition, second.sources, second.dead) == ("reports of level 1", [], [])

    evaluation = Evaluation(tmp_path / "e", alone)
    await evaluation.ground(reports=True)
    report = read_evaluation(tmp_path / "e", alone)
    [levels] = [one for one in report.tables if one.name == "groundedness of reports words"]
    assert [row[:4] for row in levels.rows] == [
        ["reports of level 0", 1, 3, 1.0],
        ["reports of level 1", 1, 1, 0.0],
    ]
    rows = csv.DictReader(io.StringIO(report.csv_files()["sentences.csv"]))
    unsupported = [one for one in rows if one["verdict"] == "not"]
    told = [(one["question or report"], one["sentence"]) for one in unsupported]
    assert told == [("Ada and Charles", "A mill burnt down.")]
    await graph.run_plain("MATCH (report:Community {level: 1}) DETACH DELETE report")
    await evaluation.ground(reports=True)
    assert len(EvaluationFolder(tmp_path / "e").findings) == 1


CITED = CitedSource("[1]", "a.txt", "Ann sails to port.")


MODEL, WORDS = "model large", "words"


def test_the_report_shows_answers_findings_and_where_the_judges_differ(tmp_path: Path) -> None:
    """The same answers of two conditions: each sentence stands twice, and counts once."""
    texts = {"C0": "Ann sails to port {} [1].", "SS": "Ann sails to port {} [1]."}
    folder = evaluation(tmp_path / "e", texts, questions=5, sources=[CITED])
    by_model: list[Support | None] = ["supported", "supported", "not", "not", None]
    by_words: list[Support | None] = ["supported", "partly", "supported", "not", "supported"]
    for judge, verdicts in ((MODEL, by_model), (WORDS, by_words)):
        for n, support in enumerate(verdicts):
            add_support(folder, f"Ann sails to port {n}.", [CITED], judge, support)
    add_findings(folder, [f"Ann sails to port {n} [1]." for n in (2, 3)], [CITED])
    report = read_evaluation(folder.path, load_settings())
    tables = {one.name: one for one in report.tables}
    assert [row[:5] for row in tables[f"groundedness of answers {MODEL}"].rows] == [
        ["C0", 5, 5, 1.0, 0.5],
        ["SS", 5, 5, 1.0, 0.5],
    ]
    of_reports = tables[f"groundedness of reports {WORDS}"].rows
    assert of_reports == [["reports of level 0", 2, 2, 1.0, 0.5, 0.0, 0.5, 0, 2, 0.0]]
    by = "words and vectors"
    assert [row[:5] for row in tables["agreement"].rows] == [
        [MODEL, by, "sentences of answers", 4, 0.5],
        [MODEL, by, "sentences of reports", 2, 0.5],
    ]
    differing = tables["differing sentences"].rows
    assert [row[2] for row in differing] == [f"Ann sails to port {n}." for n in (1, 2, 2)]
    assert differing[-1][:2] == ["reports of level 0", REPORT]
    sentences = list(csv.DictReader(io.StringIO(report.csv_files()["sentences.csv"])))
    assert len(sentences) == 13
    assert escape(REPORT) in report.page()
    assert r"Ann \| and \<port\>" in report.markdown()


ENGLISH = """\
## Ada Lovelace

Here is a summary of what is said about her. She met Charles in 1833. They wrote letters \
[Data: Sources (3, 4); Claims (2)]. Was it often? Nobody knows it today.

The main points are:

- **Work**: She wrote notes [Data: Entities (5)]. They were long. [Data: Sources (7)]
- It is sure that
  the notes were printed in 1843.

| who | what |
|---|---|
| Ada | wrote the notes [Data: Sources (8)] |

```
print("This isn't a statement.")
```

**Her later years**, in 2 of 7 documents [Data: Reports (9)]
- I was ill for months. Yes. I died young. [Data: Sources (10)]
  letters.txt, characters 1,017–1,097

I hope this helps. Thank you.
"""


def test_english_statements_are_found_with_what_covers_them() -> None:
    letters = ("[Data: Sources (3)]", "[Data: Sources (4)]", "[Data: Claims (2)]")
    assert statements_in(ENGLISH) == [
        CitedSentence("She met Charles in 1833.", letters),
        CitedSentence("They wrote letters.", letters),
        CitedSentence("Nobody knows it today.", ()),
        CitedSentence("Work: She wrote notes.", ("[Data: Entities (5)]",)),
        CitedSentence("They were long.", ("[Data: Sources (7)]",)),
        CitedSentence("It is sure that the notes were printed in 1843.", ()),
        CitedSentence("Ada, wrote the notes", ("[Data: Sources (8)]",)),
        CitedSentence("I was ill for months.", ("[Data: Sources (10)]",)),
        CitedSentence("I died young.", ("[Data: Sources (10)]",)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No answer to this question was found.",
        "Here are the most important themes.",
        "Voici un résumé des thèmes.",
        "Hier ist eine Übersicht über alles.",
        "以下是主要主题的总结。",
        "Who was it, and why?",
        "Yes. No.",
        "**The years of Ada**",
        "### Sources\n- [1] novel.txt\n- [2] letters.txt",
    ],
)
def test_what_claims_nothing_is_no_statement(text: str) -> None:
    assert statements_in(text, ["[1]", "[2]"]) == []


@pytest.mark.parametrize("cited", ["Here is where Ada died [1].", "Ada died. [1]", "[1] says so."])
def test_a_sentence_with_a_citation_of_its_own_is_a_statement(cited: str) -> None:
    assert [one.citations for one in statements_in(cited, ["[1]"])] == [("[1]",)]


def test_citations_of_other_systems_are_found_as_they_stand() -> None:
    text = "Ada met him[^1]. They wrote [KG] a.txt letters. It ended (Source: b)."
    others = ["[^1]", "[KG] a.txt", "(Source: b)"]
    assert [one.citations for one in statements_in(text, others)] == [(name,) for name in others]
    assert citations_in(text, others) == others
    assert citations_in("Rich [Data: Entities (5, 7)]. Dead [Data: Entities (7)].") == [
        "[Data: Entities (5)]",
        "[Data: Entities (7)]",
    ]


def test_a_long_answer_takes_linear_time() -> None:
    many = "Ada met Charles [Data: Sources (3)]. They wrote letters. " * 2_000
    assert len(statements_in(many)) == 4_000


PASSAGE = """\
ADA: In June 1833 I met Charles Babbage at a party in London. He showed me the engine that he had \
built. I could not forget its brass wheels.

Years later I translated an article about it, and I added notes that were longer than the article.
"""


@pytest.mark.parametrize(
    ("sentence", "support"),
    [
        ("I could not forget its brass wheels.", "supported"),
        ("He showed me  the engine\nthat he had built.", "supported"),
        ("Ada met Charles Babbage at a London party in June 1833.", "supported"),
        ("She translated an article about the engine and added longer notes.", "supported"),
        ("Ada met Charles Babbage at a London party in June 1843.", "partly"),
        ("The village has a small church and two mills.", "not"),
        ("Scrooge paid Bob Cratchit fifteen shillings a week.", "not"),
    ],
)
def test_words_say_whether_a_passage_supports_a_sentence(sentence: str, support: Support) -> None:
    verdict = support_by_words(sentence, ["Nothing of this is here.", PASSAGE])
    assert verdict.support == support
    assert support != "partly" or "lack 1843" in verdict.reason
