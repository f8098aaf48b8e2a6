"""The options and the result of a run of the index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from graphrag_neo4j.index.stages.ingest import Ingested
from graphrag_neo4j.index.status import Status
from graphrag_neo4j.model import Usage

__all__ = ["REBUILD_NOTHING", "IndexResult", "RebuildOptions"]


@dataclass(frozen=True, slots=True)
class RebuildOptions:
    """The parts of an index that are made again although they are done.

    `reread`: the chunks, descriptions and reports that were made with other prompts, models or
    settings than the present ones. `reembed`: all vectors, with the present embedding model.
    `recluster`: the communities, imported ones included. `fresh`: the reports that are behind
    their material, although less of it has changed than the setting `report_drift` allows, and the
    communities, if they followed changes of the graph; so the graph is that of one fresh build.
    """

    reread: bool = False
    reembed: bool = False
    recluster: bool = False
    fresh: bool = False


REBUILD_NOTHING: Final = RebuildOptions()


@dataclass(slots=True)
class IndexResult:
    """The result of a run of the index, and the state of the graph after it.

    `ingested` counts the documents and chunks of the run. `dropped` holds the sources of the
    documents that were deleted because their file or their row is gone. `usage` holds calls, tokens
    and cost by step. `unreadable` holds the reason by source. `skipped` holds the number of files
    whose kind can't be read, by suffix. `notices` are sentences about how the files were read.
    `status` is the state of the graph after the run. `stopped` says why the run ended early, None
    if it did not. `seconds` is the time that the run took.
    """

    ingested: Ingested = field(default_factory=Ingested)
    dropped: Sequence[str] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    notices: Sequence[str] = ()
    status: Status | None = None
    stopped: str | None = None
    seconds: float = 0.0

    def __repr__(self) -> str:
        ended = "complete" if self.complete else "stopped" if self.stopped else "with failures"
        done = self.ingested
        documents = f"{done.added:,} added, {done.changed:,} changed, {done.unchanged:,} unchanged"
        return f"<IndexResult {ended}: documents {documents}, {len(self.dropped):,} deleted>"

    @property
    def flawed(self) -> bool:
        """Whether a source could not be read, or an item failed."""
        failures = self.status is None or self.status.failures
        return bool(self.unreadable or self.ingested.repeated or failures)

    @property
    def complete(self) -> bool:
        """Whether nothing failed and the run was not stopped early."""
        return not (self.flawed or self.stopped)
