"""Brings the graph of the sample: five transcripts that a model has read beforehand.

`data/sample_by_model/read.json` holds what the model found, wrote and decided. An index backend
gives it to the stages of the index, so that the graph has the layout of any other: what a passage
names is found by its text, a decision by its names, a description by its name, and a report by the
names of the members of its community. `scripts/record_sample` makes the file.

    {"passages": {hash of the text: {"entities": […], "relationships": […]}},
     "names": [[name, other name, verdict, reason], …],
     "descriptions": {name: description},
     "reports": {hash of the members: {"title": …, "findings": […], "cites": […]}}}

The citations of a report are numbers of its list `cites`, which names what they stand for.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from graphrag_neo4j.backends import EXTRACTIVE_WORKERS, Backends, Cluster, IndexSetup
from graphrag_neo4j.concurrency import run_in_thread
from graphrag_neo4j.documents import ReadOptions
from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.files import data, hash_of_data, read_data
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.pipeline import build
from graphrag_neo4j.index.preparation import FoundRow
from graphrag_neo4j.index.reports.context import report_of_elements
from graphrag_neo4j.index.status import IndexResult, RebuildOptions
from graphrag_neo4j.model.citations import rewrite
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.contracts import IndexBackend, RunTask
from graphrag_neo4j.model.events import Listener, Notice
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import (
    ChunkText,
    Claims,
    DescribedThing,
    EntityRecord,
    Extraction,
    FindingText,
    LLMTask,
    NamePair,
    NameVerdict,
    Origin,
    RelationshipRecord,
    Step,
    WrittenReport,
)
from graphrag_neo4j.rules import SIGNATURE_PREFIX
from graphrag_neo4j.settings import STATIC, Settings
from graphrag_neo4j.text import tokens
from graphrag_neo4j.text.strings import identify
from graphrag_neo4j.vectors.static import static_embedder

FOLDER: Final = "sample"  # in data/
BY_MODEL: Final = "sample_by_model"
READ_BY_MODEL: Final = f"{BY_MODEL}/read.json"
TITLE: Final = 3  # members in the title of a report that the model has not written
# The settings of the places of Neo4j, and that of vectors without an endpoint. The model read the
# sample with the defaults of all others.
KEPT: Final = (
    "embedding_model",
    *("neo4j_uri", "neo4j_username", "neo4j_password", "neo4j_database", "neo4j_release"),
    *("home", "embedded", "maven_url", "gds", "gds_username", "gds_password"),
)
LEFT_OUT: Final = (
    "Communities that this server finds and the model has not seen: {:,}. Their reports list their "
    "members."
)
Reading = Mapping[str, Any]
"""What the file of the sample holds."""
Named = tuple[str, ...]
"""What a citation stands for: its kind, then the name or title, or the names of both ends."""


class SampleBackend:
    """An index backend that gives what a model has found, written and decided before.

    `unknown` counts the communities of which it has no report. `origin` and `quotes` are those of
    the model. A passage or a description that it doesn't have raises ReplyError.
    """

    origin: Origin = "model"
    quotes = False
    reads_material = True  # a report is known by the members of its community
    summary_batch = 1
    shared_tokens = 0

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._verdicts = {
            frozenset(names): NameVerdict(verdict, reason)
            for *names, verdict, reason in reading["names"]
        }
        self._signature = f"{FOLDER} {hash_of_data(BY_MODEL)}"
        self.unknown = 0

    def signature(self, _step: Step) -> str:
        """Returns a hash of the sample, the same for each step."""
        return self._signature

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        """Returns the entities and relationships that the model found in the passage."""
        yield from ()
        found = self._reading["passages"].get(key_of_passage(chunk.text))
        if found is None:
            raise ReplyError("the sample has no list for this passage")
        return Extraction(
            [EntityRecord(*one) for one in found["entities"]],
            [RelationshipRecord(*one) for one in found["relationships"]],
        )

    def claims(self, _chunk: ChunkText) -> LLMTask[Claims]:
        """Returns nothing: the sample was read without claims."""
        yield from ()
        return Claims([])

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        """Returns the description that the model made of each thing.

        Of many texts it made several; as texts are grouped by their files' places, only the last
        one, of all texts, is kept.
        """
        yield from ()
        missing = ReplyError("the sample has no description of it")
        return [self._reading["descriptions"].get(one.name, missing) for one in things]

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        """Returns the verdicts of the model; "unsure" for a pair that it was not asked about."""
        yield from ()
        unsure = NameVerdict("unsure", "The model was not asked about these names.")
        ends = (frozenset({pair.one.name, pair.other.name}) for pair in pairs)
        return [self._verdicts.get(names, unsure) for names in ends]

    def reports(
        self, contexts: Sequence[tuple[ContextTable, ReportMaterial]]
    ) -> LLMTask[list[WrittenReport | ReplyError]]:
        """Returns the reports on communities with these members; a list of them where it has none.

        Another release of GDS may find other communities.
        """
        yield from ()
        return [self._report(table, material) for table, material in contexts]

    def _report(self, table: ContextTable, material: ReportMaterial) -> WrittenReport:
        found = self._reading["reports"].get(key_of_members(material))
        if found is None:
            self.unknown += 1
            report, _ = report_of_elements(material, int(table.budget), tokens.count_line)
            first = sorted(material.entities.values(), key=lambda one: (-one.degree, one.name))
            return replace(report, title=", ".join(one.name for one in first[:TITLE]))
        refs = refs_of(material)
        cites = [refs.get(tuple(one)) for one in found["cites"]]

        def here(text: str) -> str:
            """The text with the refs of this graph in its citations."""
            return rewrite(text, lambda _, number: cites[number - 1])

        return WrittenReport(
            found["title"],
            here(found["summary"]),
            [FindingText(*map(here, one)) for one in found["findings"]],
            found["rating"],
            here(found["rating_explanation"]),
        )


def key_of_passage(text: str) -> str:
    """Returns the key of the list of a passage."""
    return identify("passage", text)


def key_of_members(material: ReportMaterial) -> str:
    """Returns the key of the report on a community."""
    return identify("members", *sorted(one.name for one in material.entities.values()))


def refs_of(material: ReportMaterial) -> dict[Named, int]:
    """Returns the refs of all that a report on this material may cite, by what they stand for."""
    names = {id_: one.name for id_, one in material.entities.items()}
    refs: dict[Named, int] = {
        ("Entities", names[id_]): one.record.ref for id_, one in material.entities.items()
    }
    for edge in material.edges:
        ends = sorted((names[edge.source], names[edge.target]))
        refs["Relationships", *ends] = edge.record.ref
    for part in material.parts:
        refs["Reports", part.title.text] = part.title.ref
    return refs


class _SampleBackends(Backends):
    """The backends of a run that brings the sample: what a model has read, and local vectors."""

    def __init__(
        self, settings: Settings, backend: IndexBackend, run: RunTask, workers: int
    ) -> None:
        super().__init__(settings)
        encoder: Literal["no", "wanted"] = "no" if settings.embedding_model == STATIC else "wanted"
        self._setup = IndexSetup(backend, run, workers, static_embedder(), None, encoder)

    @property
    def origin(self) -> Origin:
        """The origin of the sample, which no model reads now."""
        return self._setup.backend.origin

    def for_indexing(self, _origin: Origin, _cluster: Cluster | None = None) -> IndexSetup:
        """The setup of the run."""
        return self._setup


async def bring_sample(graph: Graph, settings: Settings, listen: Listener) -> IndexResult:
    """Brings the sample's graph as a model has made it, or up to date with this release.

    No model is asked. Of the settings, only those in KEPT count. Raises InputError for a graph that
    has anything else, and otherwise as `AsyncGraphRAG.index` does.
    """
    backend = SampleBackend(json.loads(read_data(READ_BY_MODEL)))
    built = await index_sample(graph, settings, listen, backend)
    if backend.unknown:
        notice = Notice(LEFT_OUT.format(backend.unknown), warning=True)
        listen(notice)
        built.notices = [*built.notices, notice.text]
    return built


async def index_sample(
    graph: Graph,
    settings: Settings,
    listen: Listener,
    backend: IndexBackend,
    *,
    run: RunTask = run_in_thread,
    workers: int = EXTRACTIVE_WORKERS,
) -> IndexResult:
    """Indexes the sample with a backend, and with the defaults of all settings but those in KEPT.

    Raises what `bring_sample` does.
    """
    paths = [str(one) for one in data(FOLDER).iterdir() if one.name.endswith(".txt")]
    names = [Path(path).name for path in paths]
    given = {"sources": names, "extractive": SIGNATURE_PREFIX, "sample": FOLDER}
    [other] = await graph.read("sample/other", FoundRow, **given)
    if other["found"]:
        raise InputError(
            "This graph has documents of its own, or a model of yours has read them: bring the "
            "sample into another one, with `kg-build --home FOLDER sample`."
        )
    settings = Settings.model_construct(**{name: getattr(settings, name) for name in KEPT})
    corpus = Corpus.of_paths(sorted(paths), ReadOptions(), settings)
    rebuild = RebuildOptions(["extraction"], fresh=True, with_model=True)
    backends = _SampleBackends(settings, backend, run, workers)
    return await build(graph, corpus, backends, listen, rebuild=rebuild)
