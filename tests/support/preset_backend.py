"""An index backend that returns what a test has set for each text, and helpers to run stages."""

from collections.abc import Iterable, Mapping, Sequence

from graphrag_neo4j.concurrency import result_without_requests
from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.schema import begin_graph, schema_version
from graphrag_neo4j.index.corpus import Corpus
from graphrag_neo4j.index.describe.summarize import SummaryLimits, summarize
from graphrag_neo4j.index.entities.merge import merge
from graphrag_neo4j.index.read.extract import extract, extract_claims
from graphrag_neo4j.index.read.ingest import Ingested, ingest
from graphrag_neo4j.index.stage import StageContext
from graphrag_neo4j.model.context import ContextTable
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.model.material import ReportMaterial
from graphrag_neo4j.model.types import (
    ChunkText,
    ClaimRecord,
    Claims,
    DescribedThing,
    Document,
    EntityRecord,
    Extraction,
    FindingText,
    LLMTask,
    NamePair,
    NameVerdict,
    Origin,
    RelationshipRecord,
    Sameness,
    Step,
    T,
    WrittenReport,
)
from graphrag_neo4j.query.graph_expansion import RelationshipRow

CUTTING = Cutting(600, 100)
NOTHING = Extraction([], [])
NO_CLAIMS = Claims([])


class PresetBackend:
    """An index backend that returns the extractions and claims that a test has set for each text.

    A string instead of a result is the message of an error. `heard` collects the chunks, `asked`
    those that were read for claims, `joined` the names and descriptions, `shown` the pairs of
    names, and `reported` the contexts that it received. `failing` maps a name
    or a description to the message of the error that it causes in descriptions and reports.
    """

    def __init__(
        self,
        entities: Mapping[str, Extraction | str] | None = None,
        claims: Mapping[str, Sequence[ClaimRecord] | str] | None = None,
        *,
        version: str = "1",
        failing: Mapping[str, str] | None = None,
        verdicts: Mapping[tuple[str, ...], Sameness] | None = None,
    ) -> None:
        self.entities, self.claimed = entities or {}, claims or {}
        self.version, self.failing = version, failing or {}
        self.heard: list[ChunkText] = []
        self.asked: list[ChunkText] = []
        self.shown: list[NamePair] = []
        self.joined: list[tuple[str, tuple[str, ...]]] = []
        self.reported: list[str] = []
        self.compared: list[tuple[str, str]] = []
        self.verdicts = verdicts or {}

    @property
    def origin(self) -> Origin:
        return "model"

    @property
    def quotes(self) -> bool:
        return False

    reads_material = quotes

    def signature(self, step: Step) -> str:
        return f"{step} {self.version}"

    def extract(self, chunk: ChunkText) -> LLMTask[Extraction]:
        self.heard.append(chunk)
        result = self.entities.get(chunk.text, NOTHING)
        yield from ()
        if isinstance(result, str):
            raise ReplyError(result)
        return result

    def claims(self, chunk: ChunkText) -> LLMTask[Claims]:
        self.asked.append(chunk)
        result = self.claimed.get(chunk.text, ())
        yield from ()
        if isinstance(result, str):
            raise ReplyError(result)
        return Claims(result) if result else NO_CLAIMS

    @property
    def summary_batch(self) -> int:
        return 2

    def summarize(self, things: Sequence[DescribedThing]) -> LLMTask[list[str | ReplyError]]:
        yield from ()
        return [self._summary(thing) for thing in things]

    def _summary(self, thing: DescribedThing) -> str | ReplyError:
        self.joined.append((thing.name, tuple(thing.descriptions)))
        for text in (thing.name, *thing.descriptions):
            if text in self.failing:
                return ReplyError(self.failing[text])
        return f"{thing.name}: {len(thing.descriptions)} in one, by {self.version}."

    @property
    def shared_tokens(self) -> int:
        return 30

    def reports(
        self, contexts: Sequence[tuple[ContextTable, ReportMaterial]]
    ) -> LLMTask[list[WrittenReport | ReplyError]]:
        written: list[WrittenReport | ReplyError] = []
        for table, material in contexts:
            try:
                written.append((yield from self.report(table.text, material)))
            except ReplyError as error:
                written.append(error)
        return written

    def report(self, context: str, _material: ReportMaterial) -> LLMTask[WrittenReport]:
        self.reported.append(context)
        yield from ()
        for text, reason in self.failing.items():
            if text in context:
                raise ReplyError(reason)
        text = f"{len(context.splitlines())} lines, by {self.version}."
        return WrittenReport(text, text, [FindingText(text, text)], 5.0, text)

    def compare(self, pairs: Sequence[NamePair]) -> LLMTask[list[NameVerdict | None]]:
        """The verdicts that a test has set for two names; "unsure" for the others."""
        yield from ()
        self.shown += pairs
        self.compared += [(pair.one.name, pair.other.name) for pair in pairs]
        ends = [tuple(sorted((pair.one.name, pair.other.name))) for pair in pairs]
        for names in ends:
            if reason := self.failing.get(" and ".join(names)):
                raise ReplyError(reason)
        return [NameVerdict(self.verdicts.get(names, "unsure"), "So it is.") for names in ends]


async def run(task: LLMTask[T]) -> T:
    """Runs an LLM task that makes no requests."""
    return result_without_requests(task)


def words(text: str) -> int:
    """Counts tokens: a word is one."""
    return len(text.split())


def documents(*texts: str) -> list[Document]:
    return [Document(text, f"memory:{i}") for i, text in enumerate(texts)]


async def put(
    graph: Graph,
    what: Iterable[Document],
    cutting: Cutting = CUTTING,
    *,
    recut: bool = False,
    listen: Listener = silent,
) -> Ingested:
    """Ingests documents, into a new graph if there is none."""
    if await schema_version(graph) is None:
        await graph.transact(begin_graph)

    documents = Corpus.of_documents(what).read("ingest", listen)
    return await ingest(graph, documents, cutting, recut=recut)


async def read(graph: Graph, told: PresetBackend, listen: Listener = silent) -> None:
    """Extracts entities and claims from all pending chunks, and merges."""
    context = StageContext(graph, told, run, 4, listen)
    await extract(context)
    await extract_claims(context)
    await merge(graph, listen)


async def describe(graph: Graph, told: PresetBackend, *, join: int = 0, context: int = 500) -> None:
    """Summarizes the descriptions that are marked as stale."""
    limits = SummaryLimits(join, context, words, 160)
    await summarize(StageContext(graph, told, run, 4, silent), limits)


async def names(graph: Graph) -> list[str]:
    """Those of all entities."""
    rows = await graph.run_plain("MATCH (e:Entity) RETURN e.name AS name ORDER BY name")
    return [row["name"] for row in rows]


async def relationships(graph: Graph) -> list[RelationshipRow]:
    """All relationships, as reports and answers show them."""
    ids = [row["id"] for row in await graph.run_plain("MATCH ()-[r:RELATED]->() RETURN r.id AS id")]
    return await graph.read("search/relationships", RelationshipRow, ids=ids)


def found(
    *records: tuple[str, str, str] | tuple[str, str, str, float] | tuple[str, str, str, float, str],
    cut: bool = False,
    unusable: Sequence[str] = (),
) -> Extraction:
    """(name, type, description) for an entity; for two (source, target, description, strength).

    A predicate may follow the strength.
    """
    entities = [EntityRecord(*one) for one in records if len(one) == 3]
    relationships = [RelationshipRecord(*one) for one in records if len(one) > 3]
    return Extraction(entities, relationships, cut, unusable)


def claim(subject: str, object_: str | None = None, said: str = "It is so.") -> ClaimRecord:
    return ClaimRecord(subject, object_, "FACT", "TRUE", None, None, said, said)
