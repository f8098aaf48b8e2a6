"""Files and batches of requests, as OpenAI's Batch API has them.

A batch is answered when it was looked at `batch_polls` times. Its results come in another order
than its requests, those with an error in a file of their own.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from typing import Any

from tests.support.fake_endpoint.dice import dice
from tests.support.fake_endpoint.forms import CREATED, ApiError, to_json
from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.server import HttpRequest, HttpResponse

__all__ = ["Batches"]

Ask = Callable[[bytes], HttpResponse]
"""Answers the body of a chat request."""
OPEN = {"validating", "in_progress"}  # the states of a batch that is not over
EXPIRED = {"code": "batch_expired", "message": "This request could not be executed in time."}


@dataclass(slots=True)
class Batch:
    """A batch: how often it was looked at, and the ids of its files."""

    id: str
    file: str
    metadata: Mapping[str, str]
    status: str = "validating"
    polls: int = 0
    errors: list[Mapping[str, Any]] = field(default_factory=list)
    output: str | None = None
    failures: str | None = None
    total: int = 0
    completed: int = 0

    def shown(self) -> dict[str, Any]:
        """The batch as the API shows it."""
        failed = self.total - self.completed if self.output or self.failures else 0
        return {
            "id": self.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": CREATED,
            "input_file_id": self.file,
            "status": self.status,
            "errors": {"object": "list", "data": self.errors} if self.errors else None,
            "output_file_id": self.output,
            "error_file_id": self.failures,
            "metadata": self.metadata,
            "request_counts": {
                "total": self.total,
                "completed": self.completed,
                "failed": failed,
            },
        }


class Batches:
    """The files and batches of an endpoint; `ask` answers the requests in them."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._files: dict[str, bytes] = {}
        self._batches: dict[str, Batch] = {}
        self._made = 0

    def answer(self, request: HttpRequest, options: Options) -> HttpResponse:
        """The response to a request about files or batches."""
        if not options.batches:
            raise ApiError(404, f"Unknown request URL: {request.path}.", "unknown_url")
        if options.batches_away:
            raise ApiError(503, "The server has too much to do.", "overloaded")
        match request.method, *request.path.removeprefix("/v1/").split("/"):
            case method, "files", *rest:
                return self._files_route(method, rest, request)
            case "POST", "batches":
                return self._create(json.loads(request.body), options)
            case "GET", "batches":
                shown = [batch.shown() for batch in reversed(self._batches.values())]
                return to_json({"object": "list", "data": shown, "has_more": False})
            case "GET", "batches", batch:
                return self._look(batch, options)
        raise ApiError(404, f"Unknown request URL: {request.path}.", "unknown_url")

    def _files_route(self, method: str, rest: list[str], request: HttpRequest) -> HttpResponse:
        match method, *rest:
            case ("POST",):
                return self._upload(request)
            case ("GET",):
                return to_json({"object": "list", "data": [{"id": id_} for id_ in self._files]})
            case "GET", file, "content":
                return HttpResponse(200, self._file(file), "application/octet-stream")
            case "DELETE", file:
                self._file(file)
                del self._files[file]
                return to_json({"id": file, "object": "file", "deleted": True})
        raise ApiError(404, f"Unknown request URL: {request.path}.", "unknown_url")

    def _new_id(self, kind: str) -> str:
        self._made += 1
        return f"{kind}-{self._made}"

    def _upload(self, request: HttpRequest) -> HttpResponse:
        head = f"content-type: {request.headers['content-type']}\r\n\r\n".encode("ascii")
        parts = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in BytesParser().parsebytes(head + request.body).walk()
            if not part.is_multipart()
        }
        if parts.get("purpose") != b"batch" or "file" not in parts:
            raise ApiError(400, "Give a file whose purpose is batch.", "invalid_body")
        return to_json(
            {"id": self._keep(bytes(parts["file"])), "object": "file", "purpose": "batch"}
        )

    def _keep(self, content: bytes) -> str:
        id_ = self._new_id("file")
        self._files[id_] = content
        return id_

    def _file(self, id_: str) -> bytes:
        if id_ not in self._files:
            raise ApiError(404, f"No such File object: {id_}", "not_found", "id")
        return self._files[id_]

    def _create(self, body: Mapping[str, Any], options: Options) -> HttpResponse:
        lines = self._lines(body["input_file_id"])
        batch = Batch(self._new_id("batch"), body["input_file_id"], body.get("metadata") or {})
        batch.errors = _errors(lines, options)
        batch.total = len(lines)
        if options.batch_room and self._waiting + batch.total > options.batch_room:
            batch.errors = [{"code": "token_limit_exceeded", "message": "Enqueued token limit."}]
        self._batches[batch.id] = batch
        return to_json(batch.shown())

    @property
    def _waiting(self) -> int:
        """The number of requests in batches that are not over."""
        open_ = [one for one in self._batches.values() if one.status in OPEN and not one.errors]
        return sum(one.total for one in open_)

    def _lines(self, file: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._file(file).splitlines()]

    def _look(self, id_: str, options: Options) -> HttpResponse:
        if id_ not in self._batches:
            raise ApiError(404, f"No batch found with id '{id_}'.", "not_found", "id")
        batch = self._batches[id_]
        batch.polls += 1
        if batch.status in OPEN:
            if batch.errors:
                batch.status = "failed"
            elif batch.polls >= options.batch_polls:
                self._work(batch, options)
            else:
                batch.status = "in_progress"
        return to_json(batch.shown())

    def _work(self, batch: Batch, options: Options) -> None:
        """Answers all requests of a batch but those that expire."""
        lines = self._lines(batch.file)
        dice(options.seed, batch.id).shuffle(lines)
        done: list[dict[str, Any]] = []
        failed: list[dict[str, Any]] = []
        for line in lines:
            chance = dice(options.seed, batch.id, line["custom_id"]).random()
            if chance < options.batch_lost:
                continue
            if chance < options.batch_lost + options.batch_expired:
                failed.append(_result(line, None, EXPIRED))
                continue
            answered = self._ask(json.dumps(line["body"]).encode())
            response = {
                "status_code": answered.status,
                "request_id": line["custom_id"],
                "body": json.loads(answered.body),
            }
            (done if answered.status == 200 else failed).append(_result(line, response, None))
        batch.completed = len(done)
        batch.status = "expired" if options.batch_expired else "completed"
        batch.output = self._keep(_jsonl(done)) if done else None
        batch.failures = self._keep(_jsonl(failed)) if failed else None


def _errors(lines: list[dict[str, Any]], options: Options) -> list[Mapping[str, Any]]:
    """Why a batch is refused as a whole, as OpenAI checks it."""
    if options.batch_refused:
        return [{"code": "token_limit_exceeded", "message": options.batch_refused}]
    ids = [line["custom_id"] for line in lines]
    models = {line["body"]["model"] for line in lines}
    urls = {(line["method"], line["url"]) for line in lines}
    if len(set(ids)) < len(ids):
        return [{"code": "duplicate_custom_id", "message": "The custom_id is not unique."}]
    if len(models) != 1 or urls != {("POST", "/v1/chat/completions")}:
        return [{"code": "mismatched_model", "message": "A batch is for one model and one URL."}]
    return []


def _result(line: Mapping[str, Any], response: object, error: object) -> dict[str, Any]:
    id_ = f"batch_req_{line['custom_id']}"
    return {"id": id_, "custom_id": line["custom_id"], "response": response, "error": error}


def _jsonl(rows: list[dict[str, Any]]) -> bytes:
    # Real files hold characters as they are, also U+2028, at which `str.splitlines` splits.
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode(
        "utf-8", "replace"
    )
