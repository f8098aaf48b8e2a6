"""The calls of an OpenAI-compatible Batch API: files of requests, and batches of these files.

A batch goes through these states: validating, in_progress, finalizing, and at the end completed,
expired, cancelled or failed. A failed batch was refused as a whole; nothing in it was answered. The
others may have two files: one of replies, one of errors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Final

import httpx2
import openai
from openai import AsyncOpenAI

from graphrag_neo4j.errors import ModelError, ReplyError
from graphrag_neo4j.llm.calls.http_calls import HttpCalls
from graphrag_neo4j.llm.endpoint import Endpoint

__all__ = ["URL", "BatchCalls", "BatchState", "PassingError", "UnknownBatchError"]

URL: Final = "/v1/chat/completions"
"""The address of the requests in a batch; it does not depend on that of the endpoint."""
ENDED: Final = frozenset({"completed", "expired", "cancelled", "failed"})
MARK: Final = "graphrag_neo4j"  # the name of our mark in the metadata of a batch
LISTED: Final = 100  # of the newest batches, among which one with our mark is looked for
NAME: Final = "requests.jsonl"
PART: Final = 2**20  # bytes


class UnknownBatchError(ModelError):
    """The endpoint does not know a batch."""


class PassingError(ModelError):
    """A call failed in a way that may pass: no network, or a server that has too much to do."""


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch at the provider: its id, its state, and how many of its requests are answered.

    `files` are the ids of the files with its results. `refusal` says why it was refused as a whole.
    """

    id: str
    state: str
    answered: int = 0
    files: tuple[str, ...] = ()
    refusal: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self.state in ENDED


class BatchCalls:
    """The Batch API of an endpoint.

    All methods raise ModelError if the endpoint has no Batch API, refuses the call or can't be
    reached.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._calls: HttpCalls = endpoint.calls

    async def upload(self, content: IO[bytes]) -> str:
        """Uploads a file of requests and returns its id."""

        async def send(client: AsyncOpenAI) -> object:
            content.seek(0)
            return await client.files.create(file=(NAME, content), purpose="batch")

        try:
            made = await self._calls.retried(send)
        except openai.APIError as error:
            raise self._explained(error) from None
        return self._id_of(made)

    async def create(self, file: str, mark: str) -> BatchState:
        """Makes a batch of an uploaded file. `mark` is a text by which `find` finds it."""

        async def send(client: AsyncOpenAI) -> object:
            return await client.batches.create(
                input_file_id=file,
                endpoint=URL,
                completion_window="24h",
                metadata={MARK: mark},
            )

        try:
            return self._state_of(await self._calls.retried(send))
        except openai.APIError as error:
            raise self._explained(error) from None

    async def find(self, mark: str) -> BatchState | None:
        """Returns the batch with a mark, None if there is none among the newest batches."""

        async def send(client: AsyncOpenAI) -> list[object]:
            return list((await client.batches.list(limit=LISTED)).data or ())

        try:
            listed = await self._calls.retried(send)
        except openai.APIError as error:
            raise self._explained(error) from None
        marked = (one for one in listed if (_field(one, "metadata") or {}).get(MARK) == mark)
        return next(map(self._state_of, marked), None)

    async def state(self, batch: str) -> BatchState:
        """Returns the state of a batch. Raises UnknownBatchError if the endpoint has none."""
        try:
            return self._state_of(
                await self._calls.retried(lambda client: client.batches.retrieve(batch))
            )
        except openai.NotFoundError as error:
            raise UnknownBatchError(self._message(error)) from None
        except openai.APIError as error:
            raise self._explained(error) from None

    async def download(self, file: str, target: IO[bytes]) -> None:
        """Writes the content of a file of results to `target`."""

        async def send(client: AsyncOpenAI) -> None:
            async with client.files.with_streaming_response.content(file) as response:
                target.seek(0)
                target.truncate()
                try:
                    async for part in response.iter_bytes(PART):
                        target.write(part)
                except httpx2.HTTPError as error:
                    raise openai.APIConnectionError(request=response.http_request) from error

        try:
            await self._calls.retried(send)
        except openai.APIError as error:
            raise self._explained(error) from None

    async def delete(self, file: str) -> str | None:
        """Deletes a file at the provider; returns the reason if that fails, None if it is gone."""
        try:
            await self._calls.retried(lambda client: client.files.delete(file))
        except openai.NotFoundError:
            return None
        except openai.APIError as error:
            return self._message(error)
        return None

    def _state_of(self, batch: object) -> BatchState:
        counts = _field(batch, "request_counts")
        answered = [_field(counts, name) or 0 for name in ("completed", "failed")]
        files = (_field(batch, name) for name in ("output_file_id", "error_file_id"))
        errors = _field(_field(batch, "errors"), "data") or ()
        return BatchState(
            self._id_of(batch),
            str(_field(batch, "status")),
            sum(n for n in answered if isinstance(n, int)),
            tuple(file for file in files if isinstance(file, str) and file),
            "; ".join(str(_field(error, "message")) for error in errors),
        )

    def _id_of(self, made: object) -> str:
        id_ = _field(made, "id")
        if not (isinstance(id_, str) and id_):
            raise ModelError(self._no_batch_api("its reply holds no id"))
        return id_

    def _explained(self, error: openai.APIError) -> ModelError:
        if isinstance(error, openai.APIStatusError) and error.status_code in {404, 405, 501}:
            return ModelError(self._no_batch_api(self._message(error)))
        known = self._endpoint.explained(error, "extraction")
        if isinstance(known, ReplyError):
            kind = ModelError if known.refused else PassingError
            return kind(f"The batch can't be sent or read, since {known}.")
        return known

    def _no_batch_api(self, why: str) -> str:
        return (
            f"The endpoint at {self._calls.address} has no Batch API: run the command without "
            f"--batch, or set OPENAI_BASE_URL to an endpoint that has one ({why})."
        )

    def _message(self, error: openai.APIError) -> str:
        return self._endpoint.message_of(error)


def _field(body: object, name: str) -> Any:  # noqa: ANN401 - an endpoint may send anything
    """Returns a field of an object of the client, or of a mapping; None if it has none."""
    if isinstance(body, Mapping):
        return body.get(name)
    return getattr(body, name, None)
