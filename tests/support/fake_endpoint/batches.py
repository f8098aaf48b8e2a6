"""Files and batches of requests, as OpenAI's Batch API has them.

A batch is answered when it was looked at `batch_polls` times. Its results come in another order
than its requests, those with an error in a file of their own.
"""

import json
from collections import Counter
from collections.abc import Callable
from email.parser import BytesParser
from typing import Any

from tests.support.fake_endpoint.forms import CREATED, ApiError
from tests.support.fake_endpoint.options import Options
from tests.support.fake_endpoint.server import HttpRequest, HttpResponse
from tests.support.fake_endpoint.words import dice

OPEN = ("validating", "in_progress")  # the states of a batch that is not over
EXPIRED = {"code": "batch_expired", "message": "This request could not be executed in time."}
URL = "/v1/chat/completions"


class Batches:
    """The files and batches of an endpoint; `ask` answers the body of a request in them."""

    def __init__(self, ask: Callable[[bytes], HttpResponse]) -> None:
        self._ask = ask
        self._files: dict[str, bytes] = {}
        self._batches: dict[str, dict[str, Any]] = {}
        self._polls = Counter[str]()
        self._made = 0

    def answer(self, request: HttpRequest, options: Options) -> Any:  # noqa: ANN401 - any JSON
        """The answer to a request about files or batches: JSON, or the content of a file."""
        try:
            match request.method, *request.path.removeprefix("/v1/").split("/"):
                case "POST", "files":
                    return {"id": self._upload(request), "object": "file", "purpose": "batch"}
                case "GET", "files", file, "content":
                    return self._files[file]
                case "DELETE", "files", file:
                    del self._files[file]
                    return {"id": file, "object": "file", "deleted": True}
                case "POST", "batches":
                    return self._create(json.loads(request.body), options)
                case "GET", "batches", batch:
                    return self._look(self._batches[batch], options)
                case "GET", kind:
                    known = self._batches.values() if kind == "batches" else self._files
                    shown = [one if isinstance(one, dict) else {"id": one} for one in known]
                    return {"object": "list", "data": shown[::-1], "has_more": False}
        except KeyError as error:
            raise ApiError(404, f"Nothing has this id: {error}", "not_found", "id") from None
        raise ApiError(404, f"Unknown request URL: {request.path}.", "unknown_url")

    def _new_id(self, kind: str) -> str:
        self._made += 1
        return f"{kind}-{self._made}"

    def _keep(self, content: bytes) -> str:
        id_ = self._new_id("file")
        self._files[id_] = content
        return id_

    def _upload(self, request: HttpRequest) -> str:
        """Keeps the file of a form, whose other field must say that it is for a batch."""
        head = f"content-type: {request.headers['content-type']}\r\n\r\n".encode("ascii")
        parts = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in BytesParser().parsebytes(head + request.body).walk()
            if not part.is_multipart()
        }
        if parts.get("purpose") != b"batch" or "file" not in parts:
            raise ApiError(400, "Give a file whose purpose is batch.", "invalid_body")
        return self._keep(bytes(parts["file"]))

    def _create(self, body: dict[str, Any], options: Options) -> dict[str, Any]:
        lines = [json.loads(line) for line in self._files[body["input_file_id"]].splitlines()]
        open_ = [one for one in self._batches.values() if one["status"] in OPEN]
        waiting = sum(one["request_counts"]["total"] for one in open_ if not one["errors"])
        errors = _errors(lines, options, waiting)
        batch = {
            "id": self._new_id("batch"),
            "object": "batch",
            "endpoint": URL,
            "completion_window": "24h",
            "created_at": CREATED,
            "input_file_id": body["input_file_id"],
            "status": OPEN[0],
            "errors": {"object": "list", "data": errors} if errors else None,
            "output_file_id": None,
            "error_file_id": None,
            "metadata": body.get("metadata") or {},
            "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
        }
        return self._batches.setdefault(batch["id"], batch)

    def _look(self, batch: dict[str, Any], options: Options) -> dict[str, Any]:
        if batch["status"] in OPEN:
            self._polls[batch["id"]] += 1
            if batch["errors"]:
                batch["status"] = "failed"
            elif self._polls[batch["id"]] < options.batch_polls:
                batch["status"] = OPEN[1]
            else:
                self._work(batch, options)
        return batch

    def _work(self, batch: dict[str, Any], options: Options) -> None:
        """Answers all requests of a batch but those that expire."""
        lines = [json.loads(line) for line in self._files[batch["input_file_id"]].splitlines()]
        dice(options.seed, batch["id"]).shuffle(lines)
        done: list[dict[str, Any]] = []
        failed: list[dict[str, Any]] = []
        for line in lines:
            id_ = line["custom_id"]
            row = {"id": f"batch_req_{id_}", "custom_id": id_, "response": None, "error": None}
            chance = dice(options.seed, batch["id"], id_).random() - options.batch_lost
            if chance < 0:
                continue
            if chance < options.batch_expired:
                failed.append(row | {"error": EXPIRED})
                continue
            answered = self._ask(json.dumps(line["body"]).encode())
            body = json.loads(answered.body)
            row["response"] = {"status_code": answered.status, "request_id": id_, "body": body}
            (done if answered.status == 200 else failed).append(row)
        counts = {"completed": len(done), "failed": len(lines) - len(done)}
        batch["request_counts"] |= counts
        batch["status"] = "expired" if options.batch_expired else "completed"
        for name, rows in (("output_file_id", done), ("error_file_id", failed)):
            # Real files hold characters as they are, also U+2028, at which `str.splitlines` splits.
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            batch[name] = self._keep(text.encode("utf-8", "replace")) if rows else None


def _errors(lines: list[dict[str, Any]], options: Options, waiting: int) -> list[dict[str, str]]:
    """Why a batch is refused as a whole, as OpenAI checks it."""
    full = options.batch_room and waiting + len(lines) > options.batch_room
    if options.batch_refused or full:
        message = options.batch_refused or "Enqueued token limit."
        return [{"code": "token_limit_exceeded", "message": message}]
    if len({line["custom_id"] for line in lines}) < len(lines):
        return [{"code": "duplicate_custom_id", "message": "The custom_id is not unique."}]
    if len({line["body"]["model"] for line in lines}) != 1:
        return [{"code": "mismatched_model", "message": "A batch is for one model."}]
    return []
