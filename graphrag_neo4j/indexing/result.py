"""What a run of the index is asked to do again, and what it has done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from graphrag_neo4j.indexing.stages.ingest import Ingested
from graphrag_neo4j.indexing.status import Status
from graphrag_neo4j.model import Usage

__all__ = ["REBUILD_NOTHING", "IndexResult", "RebuildOptions"]


@dataclass(frozen=True, slots=True)
class RebuildOptions:
    """What is done again although it is done.

    `reread`: what was read, described or reported on with other settings than those of today.
    `reembed`: all vectors, by the embedding model that is set. `recluster`: the communities,
    imported ones too.
    """

    reread: bool = False
    reembed: bool = False
    recluster: bool = False


REBUILD_NOTHING: Final = RebuildOptions()


@dataclass(slots=True)
class IndexResult:
    """What a run of the index has done, and what the graph holds now.

    `dropped`: the sources of the documents that were deleted because their file is gone. `usage`:
    calls, tokens and cost by step. `unreadable`: the reason by source. `skipped`: the number of
    files whose kind can't be read, by suffix. `notices`: what a person should know about how the
    files were read. `stopped`: why the run ended before everything was
    done.
    """

    ingested: Ingested = field(default_factory=Ingested)
    dropped: Sequence[str] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    notices: Sequence[str] = ()
    status: Status | None = None
    stopped: str | None = None

    def __repr__(self) -> str:
        ended = "complete" if self.complete else "stopped" if self.stopped else "with failures"
        done = self.ingested
        documents = f"{done.added:,} added, {done.changed:,} changed, {done.unchanged:,} unchanged"
        return f"<IndexResult {ended}: documents {documents}, {len(self.dropped):,} deleted>"

    @property
    def flawed(self) -> bool:
        """Whether something could not be read, or failed."""
        failures = self.status is None or self.status.failures
        return bool(self.unreadable or self.ingested.repeated or failures)

    @property
    def complete(self) -> bool:
        """Whether nothing failed and nothing is left to do."""
        return not (self.flawed or self.stopped)
