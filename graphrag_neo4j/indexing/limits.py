"""Makes the limits of each stage from the settings."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Self

from graphrag_neo4j import tokens
from graphrag_neo4j.extractive import DESCRIBED
from graphrag_neo4j.indexing.clustering.leiden import Leiden
from graphrag_neo4j.indexing.clustering.tree import HierarchyLimits
from graphrag_neo4j.indexing.cutting import Cutting
from graphrag_neo4j.indexing.stages.embed import EmbedLimits
from graphrag_neo4j.indexing.stages.reports import ReportLimits
from graphrag_neo4j.indexing.stages.summarize import SummaryLimits
from graphrag_neo4j.indexing.tree_summarize import SummaryBudget
from graphrag_neo4j.protocols import Embedder
from graphrag_neo4j.settings import Settings

__all__ = ["Limits"]

TOKENS_PER_CALL = 30_000  # of texts to embed; endpoints accept more, but a failed call is halved


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run, by stage. `claims` says whether claims are extracted."""

    claims: bool
    chunks: Cutting
    summaries: SummaryLimits
    communities: Leiden
    reports: ReportLimits
    vectors: EmbedLimits

    @classmethod
    def from_settings(cls, settings: Settings, embedder: Embedder, *, quotes: bool) -> Self:
        """The limits for these settings. `quotes` is that of the index backend.

        If the settings do not say whether claims are extracted, only an extractive backend does.
        """
        count = partial(tokens.count, encoding_name=settings.encoding)
        return cls(
            claims=quotes if settings.claims is None else settings.claims,
            chunks=_chunks(settings),
            summaries=_summaries(settings, count, quotes=quotes),
            communities=_communities(settings, by_npmi=quotes),
            reports=_reports(settings, quotes=quotes),
            vectors=_vectors(settings, embedder),
        )


def _chunks(settings: Settings) -> Cutting:
    return Cutting(
        settings.chunk_tokens,
        settings.chunk_overlap,
        settings.encoding,
        settings.prepend_metadata,
    )


def _summaries(settings: Settings, count: Callable[[str], int], *, quotes: bool) -> SummaryLimits:
    join, longest = settings.join_tokens, settings.description_tokens
    if quotes:
        join, longest = min(join, DESCRIBED), min(longest, DESCRIBED)
    return SummaryLimits(SummaryBudget(join, settings.summary_context_tokens, count), longest)


def _reports(settings: Settings, *, quotes: bool) -> ReportLimits:
    count = tokens.line_counter(settings.encoding)
    drift = 0.0 if quotes else settings.report_drift  # quotations cost nothing to bring up to date
    return ReportLimits(settings.report_context_tokens, settings.unreported_size, count, drift)


def _communities(settings: Settings, *, by_npmi: bool) -> Leiden:
    limits = HierarchyLimits(settings.max_cluster_size, settings.max_levels, settings.gamma)
    return Leiden(limits, settings.theta, settings.seed, by_npmi)


def _vectors(settings: Settings, embedder: Embedder) -> EmbedLimits:
    # Endpoints refuse texts that are too long in the encoding of the embedding model.
    encoding = tokens.encoding_for(embedder.model) or settings.encoding
    count = partial(tokens.count, encoding_name=encoding)
    return EmbedLimits(settings.embedding_tokens, settings.embedding_batch, TOKENS_PER_CALL, count)
