"""An extractive index, stage by stage."""

from collections.abc import Sequence

from graphrag_neo4j.extractive import DESCRIBED
from graphrag_neo4j.extractive.index_backend import ExtractiveIndexBackend
from graphrag_neo4j.extractive.static_vectors import static_embedder
from graphrag_neo4j.graph.connection import Graph
from graphrag_neo4j.graph.indexes import await_indexes
from graphrag_neo4j.index.clustering.tree import Leiden
from graphrag_neo4j.index.stages import StageContext
from graphrag_neo4j.index.stages.communities import find_communities
from graphrag_neo4j.index.stages.embed import EmbedLimits, embed
from graphrag_neo4j.index.stages.extract import extract, extract_claims
from graphrag_neo4j.index.stages.merge import merge
from graphrag_neo4j.index.stages.reports import ReportLimits, write_reports
from graphrag_neo4j.index.stages.summarize import SummaryLimits, summarize
from graphrag_neo4j.model import Document
from graphrag_neo4j.model.concurrency import run_in_thread
from graphrag_neo4j.model.events import silent
from graphrag_neo4j.settings import load_settings
from graphrag_neo4j.text import tokens
from tests.support.preset_backend import put


async def index_extractively(graph: Graph, documents: Sequence[Document]) -> None:
    """Brings the graph up to date without a model."""
    settings = load_settings()
    count = tokens.count
    backend = ExtractiveIndexBackend(DESCRIBED, count)
    context = StageContext(graph, backend, run_in_thread, 2, silent)
    limits = SummaryLimits(DESCRIBED, settings.report_context_tokens, count, DESCRIBED)
    await put(graph, documents)
    await extract(context)
    await extract_claims(context)
    await merge(graph, silent)
    await summarize(context, limits)
    await find_communities(graph, Leiden(by_npmi=True), silent)
    await write_reports(context, ReportLimits(settings.report_context_tokens, 2, count))
    await embed(context, static_embedder(), EmbedLimits(2000, 256, 50_000, count))
    await await_indexes(graph)
