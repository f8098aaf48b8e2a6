"""Runs LLM tasks by hand: a test gives the replies one by one, and gets the requests."""

from collections.abc import Sequence

from graphrag_neo4j.errors import ReplyError
from graphrag_neo4j.model.types import LLMTask, Reply, Request, T


def cut(text: str) -> Reply:
    """Returns a reply that was cut off at the limit of tokens."""
    return Reply(text, cut=True)


def drive(task: LLMTask[T], replies: Sequence[str | Reply | ReplyError]) -> tuple[T, list[Request]]:
    """Returns the result and the requests of a task. It must make one request for each reply.

    An error stands for a request that the endpoint refuses.
    """
    requests: list[Request] = []
    left = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]
    try:
        requests.append(next(task))
        while left:
            reply = left.pop(0)
            if isinstance(reply, ReplyError):
                requests.append(task.throw(reply))
            else:
                requests.append(task.send(reply))
    except StopIteration as done:
        assert not left, f"{len(left)} replies were not asked for"
        result: T = done.value
        return result, requests
    raise AssertionError(f"one more request: {requests[-1].messages[-1].content}")
