"""Has a model write lists for passages of a corpus, and keeps those that can serve as examples."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio

from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.events import Advanced, Listener, Started
from graphrag_neo4j.llm import LLMIndexBackend
from graphrag_neo4j.llm.example_check import stands_in
from graphrag_neo4j.llm.tuning import TypeFound, example_task
from graphrag_neo4j.model import ChunkText, Extraction
from graphrag_neo4j.protocols import RunTask
from graphrag_neo4j.settings import Settings
from graphrag_neo4j.text import excerpt
from graphrag_neo4j.tuning.sample import Passage

__all__ = ["EXAMPLES", "TRIED", "MadeExamples", "make_examples"]

EXAMPLES = 3  # in the prompt
TRIED = 6  # passages, at most, that an example is asked for
REASON = 300  # characters of the reason why an example is left out


@dataclass(slots=True)
class MadeExamples:
    """The lists that can be used, by the number of their passage from 0, and what was left out."""

    lists: dict[int, Extraction] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


async def make_examples(
    passages: Sequence[Passage],
    types: Sequence[TypeFound],
    *,
    backend: LLMIndexBackend,
    run: RunTask,
    settings: Settings,
    listen: Listener,
    translated: bool,
) -> MadeExamples:
    """Returns EXAMPLES examples, or fewer where TRIED passages do not give so many.

    `backend` has the prompts that the corpus will be read with. The passages with names of the most
    types are tried first. With `translated`, names need not stand in their passage.
    """
    made = MadeExamples()
    names = [one.name for one in types]
    waiting = _in_order(passages, types)[:TRIED]
    listen(Started("examples", min(EXAMPLES, len(waiting))))

    async def make(number: int) -> None:
        text = passages[number].text
        request = next(backend.extract(ChunkText("", text)))
        task = example_task(request, text, names, settings, translated=translated)
        try:
            made.lists[number] = await run(task)
            listen(Advanced(1))
        except ReplyError as error:
            reason = excerpt(str(error), REASON).rstrip(".")
            made.left_out.append(f"The example of passage {number + 1}: {reason}.")

    while waiting and (missing := EXAMPLES - len(made.lists)):
        now, waiting = waiting[:missing], waiting[missing:]
        with first_error():
            async with anyio.create_task_group() as tasks:
                for number in now:
                    tasks.start_soon(make, number)
    made.left_out.sort()
    return made


def _in_order(passages: Sequence[Passage], types: Sequence[TypeFound]) -> list[int]:
    """Returns the numbers of the passages, so that the first ones have all types if possible.

    One passage after the other is taken: the one with the most types that no earlier one has, then
    the one with the most types.
    """
    has = [
        {one.name for one in types if any(stands_in(name, passage.text) for name in one.names)}
        for passage in passages
    ]
    left, order = set(range(len(passages))), list[int]()
    shown: set[str] = set()
    while left:
        best = min(left, key=lambda n: (-len(has[n] - shown), -len(has[n]), n))
        left.remove(best)
        shown |= has[best]
        order.append(best)
    return order
