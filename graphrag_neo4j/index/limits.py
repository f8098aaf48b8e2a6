"""The limits of the stages, from the settings."""

from dataclasses import dataclass
from functools import partial
from typing import Final, Self

from graphrag_neo4j.documents.chunking import Cutting
from graphrag_neo4j.index.communities.tree import HierarchyLimits, Leiden
from graphrag_neo4j.index.describe.embed import TEXTS_PER_CALL, EmbedLimits
from graphrag_neo4j.index.describe.summarize import SummaryLimits
from graphrag_neo4j.index.reports.stage import ReportLimits
from graphrag_neo4j.model.contracts import Embedder
from graphrag_neo4j.model.types import DESCRIPTION_TOKENS
from graphrag_neo4j.rules import DESCRIBED
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import tokens

UNREPORTED_SIZE: Final = 2  # members of a community whose report needs no model
TOKENS_PER_CALL: Final = 30_000  # of texts to embed; endpoints take more, a failed call is halved


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
        s = settings
        longest = DESCRIBED if quotes else DESCRIPTION_TOKENS
        join = min(s.join_tokens, DESCRIBED) if quotes else s.join_tokens
        # Endpoints refuse texts that are too long in the encoding of the embedding model.
        encoding = tokens.encoding_for(embedder.model) or tokens.ENCODING
        return cls(
            claims=quotes if s.claims is None else s.claims,
            chunks=Cutting(s.chunk_size, s.chunk_overlap, s.prepend_metadata),
            summaries=SummaryLimits(join, s.report_context_tokens, tokens.count, longest),
            communities=Leiden(HierarchyLimits(s.max_cluster_size), by_npmi=quotes),
            reports=ReportLimits(
                s.report_context_tokens,
                UNREPORTED_SIZE,
                tokens.count_line,
                0.0
                if quotes
                else s.report_tolerance,  # quotations cost nothing to bring up to date
            ),
            vectors=EmbedLimits(
                s.embedding_tokens,
                TEXTS_PER_CALL,
                TOKENS_PER_CALL,
                partial(tokens.count, name=encoding),
            ),
        )
