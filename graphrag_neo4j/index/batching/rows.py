"""The rows of the statements in `cypher/batch/`, column by column."""

from typing import TypedDict

__all__ = ["BatchRow", "RequestRow"]


class BatchRow(TypedDict):
    """A batch whose results are not all in the graph.

    `id` is our own, `provider` that of the provider, None where the batch was uploaded and perhaps
    not sent. `file` is the provider's id of the uploaded file. `requests` is their number, and
    `answered` that of those that are answered, as the provider said last. `cost` is the largest
    possible cost in US dollars, None where no price is known. `sent` is an ISO 8601 text.
    """

    id: str
    provider: str | None
    file: str
    state: str
    requests: int
    answered: int
    cost: float | None
    sent: str


class RequestRow(TypedDict):
    """A request: its reply `text`, or the `error` that it got; neither where none has come yet.

    `cut` says whether the reply ended at its limit. `problem` is that of a result without a reply,
    and `tries` is the number of results without a reply.
    """

    text: str | None
    cut: bool
    error: str | None
    problem: str | None
    tries: int
