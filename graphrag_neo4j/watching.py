"""Watches paths: what appears in them, changes or goes is indexed, up to a cost a day."""

from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from graphrag_neo4j.client import AsyncGraphRAG
from graphrag_neo4j.events import Event, Listener, Notice
from graphrag_neo4j.graph.rows import CostRow
from graphrag_neo4j.indexing.corpus import Corpus
from graphrag_neo4j.indexing.result import IndexResult
from graphrag_neo4j.indexing.watch import USUAL_PACE, Pace, Watch
from graphrag_neo4j.loaders import ReadOptions, find
from graphrag_neo4j.settings import Settings

__all__ = ["watch"]

Ceiling = Callable[[], float | None]  # the largest cost of a day in US dollars


async def watch(
    paths: Sequence[Path],
    settings: Settings,
    options: ReadOptions,
    listen: Listener,
    *,
    ceiling: Ceiling | None = None,
    pace: Pace = USUAL_PACE,
) -> AsyncGenerator[IndexResult, None]:
    """Indexes the paths, and again whenever files in them have changed; gives each result.

    `ceiling` returns the largest cost of a day in US dollars; by default it is that of the
    settings. An error of the first build is raised; after a later one the build is tried again.
    Raises InputError if a path does not exist.
    """
    find(paths, follow_links=options.follow_links)
    ceiling = ceiling or (lambda: settings.max_cost_a_day)
    watching = Watch(
        paths,
        _Builder(settings, options, listen, ceiling).build,
        listen,
        follow_links=options.follow_links,
        resumes=ceiling() is not None,
        pace=pace,
    )
    try:
        while True:
            yield await watching.next_build()
    finally:
        await watching.aclose()


class _Builder:
    """Runs the builds of a watch. Each has connections of its own, so a lost database may return.

    An embedded server that has ended is started again.
    """

    def __init__(
        self, settings: Settings, options: ReadOptions, listen: Listener, ceiling: Ceiling
    ) -> None:
        self._settings, self._options, self._ceiling = settings, options, ceiling
        self._listen = listen
        self._env_notice = settings.named_by_env_file()
        self._env_told = False
        self._told_ceiling: tuple[date, float] | None = None

    async def build(self, paths: Sequence[Path], leave_out: Collection[Path]) -> IndexResult | None:
        """Indexes the paths. None if the builds of today have reached the limit of their cost."""
        settings = self._settings
        ceiling = self._ceiling()
        if ceiling is not None:
            left = ceiling - await self._cost_today()
            if left <= 0:
                self._tell_ceiling(ceiling)
                return None
            most = left if settings.max_cost is None else min(left, settings.max_cost)
            settings = settings.changed(max_cost=most)
        corpus = Corpus.of_paths(paths, self._options, settings, leave_out=leave_out)
        async with AsyncGraphRAG(settings, self._forward) as rag:
            return await rag.index(corpus, options=self._options, prune=True)

    async def _cost_today(self) -> float:
        async with AsyncGraphRAG(self._settings, self._forward) as rag:
            [row] = await rag.graph.read("build/cost_today", CostRow)
            return row["cost"]

    def _tell_ceiling(self, ceiling: float) -> None:
        """Says once a day that the limit is reached."""
        from graphrag_neo4j.llm.cost import us_dollars  # noqa: PLC0415 - llm is slow to import

        told = datetime.now(UTC).date(), ceiling
        if self._told_ceiling != told:
            text = (
                f"The builds of today have reached the limit of {us_dollars(ceiling)} "
                "(KG_MAX_COST_A_DAY). The next build starts after midnight UTC, or when the limit "
                "is raised."
            )
            self._listen(Notice(text, warning=True))
        self._told_ceiling = told

    def _forward(self, event: Event) -> None:
        """Passes an event on, but the notice about the settings only once."""
        if isinstance(event, Notice) and event.text == self._env_notice:
            if self._env_told:
                return
            self._env_told = True
        self._listen(event)
