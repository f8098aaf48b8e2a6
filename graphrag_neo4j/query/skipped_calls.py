"""Calls of a search that may fail: the others were paid for, so the search goes on without them."""

from collections import Counter

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.model import LLMTask, T
from graphrag_neo4j.protocols import RunTask

__all__ = ["SkippedCalls"]


class SkippedCalls:
    """Runs the tasks of one step of a search, and skips those whose reply can't be used.

    `what` names what a call reads, in the singular and the plural, and `outcome` says what becomes
    of it if the call is skipped. Errors that concern all calls,
    such as a refused key or the cost limit, are raised.
    """

    def __init__(self, run: RunTask, what: tuple[str, str], outcome: str = "left out") -> None:
        self._run, self._what, self._outcome = run, what, outcome
        self._calls = 0
        self._reasons: list[str] = []

    async def result(self, task: LLMTask[T]) -> T | None:
        """Returns the result of a task, or None if its reply can't be used."""
        self._calls += 1
        try:
            return await self._run(task)
        except ReplyError as error:
            self._reasons.append(str(error))
            return None

    def notices(self) -> list[str]:
        """Returns a sentence about the skipped calls, if there are any.

        Raises ReplyError if every call was skipped, because then there is nothing to go on with.
        """
        skipped = len(self._reasons)
        if not skipped:
            return []
        # The most frequent reason: the first one would depend on the order of the replies.
        counted = Counter(self._reasons)
        reason = min(counted, key=lambda one: (-counted[one], one)).rstrip(".")
        if skipped == self._calls:
            raise ReplyError(f"none of the model's replies can be used: {reason}")
        one, many = self._what
        which = f"{one} was" if skipped == 1 else f"{many} were"
        happened = f"{skipped:,} of {self._calls:,} {which} {self._outcome}"
        return [f"{happened}, because the model's reply can't be used: {reason}."]
