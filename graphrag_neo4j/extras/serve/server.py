"""Opens the address of the server, and serves a graph there until it is told to stop."""

import os
import re
import secrets
import socket
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

import anyio
import uvicorn
from pydantic import SecretStr

from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.concurrency import first_error
from graphrag_neo4j.errors import GraphRAGError, InputError
from graphrag_neo4j.extras.serve.access import MOST_CONNECTIONS, Access, Connection, Prefixed
from graphrag_neo4j.extras.serve.app import logged, make_app
from graphrag_neo4j.extras.serve.logs import log_format
from graphrag_neo4j.extras.serve.questions import Questions
from graphrag_neo4j.graph.lease import prepare_schema
from graphrag_neo4j.index.uploads import Uploads
from graphrag_neo4j.index.watch import DayMeter
from graphrag_neo4j.model.events import Listener, silent

__all__ = ["check_prefix", "check_token", "listen", "log_format", "serve"]

PREFIX: Final = re.compile(
    r"(?!/(?:api|v1|mcp|source|static)(?:/|$))(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)+"
)
TOKEN: Final = re.compile("[!-~]{20,}")  # what a header can hold, and nobody guesses


def check_token(given: SecretStr | None) -> str:
    """Returns the token that is given by the settings, or a random one if there is none.

    Raises InputError for one that could be guessed, or that a header can't hold. So it does for an
    empty variable, which the settings take for none: a container would have a random token.
    """
    if os.environ.get("KG_SERVE_TOKEN") == "":
        raise InputError(
            "KG_SERVE_TOKEN is empty: give it at least 20 characters, or unset it for a random one."
        )
    if given is None:
        return secrets.token_urlsafe(24)
    token = given.get_secret_value()
    if not TOKEN.fullmatch(token):
        raise InputError(
            "KG_SERVE_TOKEN must have at least 20 characters, so that nobody guesses it: ASCII "
            "letters, digits and signs without blanks. Change it, or leave it out for a random one."
        )
    return token


def check_prefix(prefix: str) -> str:
    """Returns the prefix of all paths without a slash at its end; "" for none.

    Raises InputError for one that paths can't begin with, or that is the beginning of one of ours.
    """
    prefix = prefix.rstrip("/")
    if prefix and not PREFIX.fullmatch(prefix):
        raise InputError(
            f"--path-prefix {prefix} can't be used: give one such as /kg, of letters and digits, "
            "that doesn't begin as an address of the server itself does (/api, /v1, /mcp)."
        )
    return prefix


def listen(host: str, port: int) -> socket.socket:
    """Opens a listening socket. Port 0 chooses a free port.

    Raises InputError if the address or the port can't be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or "no such address").partition(" (")[0]
        raise InputError(
            f"The server can't listen on {host}, port {port} ({reason}). Give another --host or "
            "--port."
        ) from error


async def serve(
    rag: AsyncGraphRAG,
    day: DayMeter,
    listening: socket.socket,
    token: str,
    allowed: Collection[str],
    *,
    write: bool,
    paths: Sequence[Path],
    prefix: str,
    log_questions: bool,
    listen: Listener,
) -> None:
    """Serves an open graph until SIGINT or SIGTERM. `allowed` are host names beside LOCAL_HOSTS.

    `rag` and all other clients count in `day`.

    The graph is kept up to date with the files in `paths`, and `listen` is told what this does.
    With `write`, people upload and delete documents. A proxy leads paths under `prefix` here. The
    log has what people ask only with `log_questions`.
    Raises the errors of `AsyncGraphRAG.watch`.
    """
    if write or paths:
        await prepare_schema(rag.graph, rag.settings.fulltext_analyzer, listen)
    questions = Questions(rag, day, paths, Uploads(rag.settings) if write else None)
    app = make_app(questions)
    hosts = {*allowed, str(listening.getsockname()[0])}
    guarded = Access(app, token, hosts, rag.settings.max_file_mb * 1_000_000)
    config = uvicorn.Config(
        Prefixed(logged(guarded, app, with_questions=log_questions), prefix),
        log_config=None,  # the default configuration would print to standard output
        access_log=False,
        ws="none",
        lifespan="on",
        http=Connection,
        limit_concurrency=MOST_CONNECTIONS + 1,  # the status 503 if none of them waits
        backlog=128,  # connections that are taken at once: each needs a descriptor before it closes
        server_header=False,
        timeout_graceful_shutdown=3,  # seconds for running requests
    )
    server, failed = uvicorn.Server(config), list[GraphRAGError]()

    async def follow() -> None:
        try:
            told = listen if paths else silent
            await questions.runs.follow(paths, questions.uploads, rag.settings, told, day)
        except GraphRAGError as error:
            failed.append(error)
            server.should_exit = True  # a server that is cancelled would log a traceback

    with first_error():
        async with anyio.create_task_group() as tasks:
            if paths or write:
                tasks.start_soon(follow)
            await server.serve(sockets=[listening])
            tasks.cancel_scope.cancel()
    if failed:
        raise failed[0]
