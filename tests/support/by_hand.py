"""Think steps driven by hand: replies are given one by one, requests are kept."""

from collections.abc import Sequence

from graphrag_neo4j.model import LLMTask, Reply, Request, T

__all__ = ["cut", "drive"]


def cut(text: str) -> Reply:
    """A reply that ended because its length did."""
    return Reply(text, cut=True)


def drive(task: LLMTask[T], replies: Sequence[str | Reply]) -> tuple[T, list[Request]]:
    """The result of a step and what it asked; it must ask exactly as often as there are replies."""
    asked: list[Request] = []
    left = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]
    try:
        asked.append(next(task))
        while left:
            asked.append(task.send(left.pop(0)))
    except StopIteration as done:
        assert not left, f"{len(left)} replies were not asked for"
        result: T = done.value
        return result, asked
    raise AssertionError(f"asked for more: {asked[-1].messages[-1].content}")
