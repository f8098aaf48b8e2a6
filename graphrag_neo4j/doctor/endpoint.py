"""Checks the model endpoint: each model is asked as indexing and questions ask it.

A model must reply, stream, write JSON, and read a prompt as long as the longest ones whole. The
vectors of the embedding model must fit the index of Neo4j.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from graphrag_neo4j.doctor.check import Check, not_made, tried
from graphrag_neo4j.encoder import missing_packages
from graphrag_neo4j.errors import InputError, ModelError, ReplyError
from graphrag_neo4j.extractive.static_vectors import static_embedder
from graphrag_neo4j.llm import (
    Endpoint,
    LocalServer,
    find_local_servers,
    model_of,
    needed_window,
    try_window,
)
from graphrag_neo4j.model import Message, Request, Step
from graphrag_neo4j.protocols import Embed
from graphrag_neo4j.settings import LOCAL, MOST_DIMENSIONS, STATIC, Settings

__all__ = ["check_endpoint"]

STEPS: Sequence[Step] = ("extraction", "summary", "report", "answer", "rating", "judge")
JSON_STEPS: Final = frozenset({"report", "answer", "rating", "judge"})
RETRIES = 1  # few, so that the user soon sees the error
REPLY_TOKENS = 1000  # enough for a model that reasons before it replies with one word
WORD: Final = "Reply with one word: yes."
JSON_WORD: Final = 'Reply with this JSON object and nothing else: {"word": "yes"}'
SCHEMA: Final = {
    "title": "word",
    "type": "object",
    "properties": {"word": {"type": "string", "maxLength": 20}},
    "required": ["word"],
    "additionalProperties": False,
}
NO_MODEL = "No model is set: the index will be extractive, quoted from the documents."
SET_MODEL = (
    "To use a model, set OPENAI_API_KEY (or, for your own endpoint, OPENAI_BASE_URL and KG_MODEL) "
    "in the environment or in .env."
)
USE_LOCAL = "These lines, in a shell or in .env, use it:"
INSTALL = "Install graphrag-neo4j again."
CORRECT_MODEL = "Correct OPENAI_BASE_URL, OPENAI_API_KEY or KG_MODEL."
CORRECT_EMBEDDING = (
    "Set KG_EMBEDDING_MODEL to an embedding model of the endpoint, or to local or static, "
    "which need no endpoint, or set OPENAI_BASE_URL to an endpoint that has one."
)
STREAMS = "Answers are streamed: use a model or a server that can stream."
WRITES_JSON = "Reports and global answers need JSON: use a model that follows instructions better."
ABLE = "Use a model that follows instructions better."


async def check_endpoint(settings: Settings) -> list[Check]:
    """Makes a few short calls and one long call to each chat model, and one to the embedding model.

    The long call has as many tokens as the longest prompt for that model. Without a model, it
    looks for model servers on this machine instead.
    """
    if not settings.has_model:
        fix = "\n".join([SET_MODEL, *map(_how_to_use, await find_local_servers())])
        says = f"{_unasked(settings)}{NO_MODEL}"
        return [Check("Model", None, says, fix), await _check_without_endpoint(settings)]
    quick = settings.model_copy(update={"max_retries": min(settings.max_retries, RETRIES)})
    try:
        endpoint = Endpoint(quick)
    except InputError as error:
        return [
            Check("Model", False, str(error)),
            *not_made("no model can be called", "Embedding"),
        ]
    async with endpoint:
        checks = [
            check
            for steps in _steps(settings)
            for check in await _check_model(endpoint, settings, steps)
        ]
        if not any(check.ok for check in checks):
            return [*checks, *not_made("no model replies", "Embedding")]
        return [*checks, await _check_embedding(endpoint, settings)]


def _how_to_use(server: LocalServer) -> str:
    """Returns what to set to use a server of this machine, in several lines."""
    return "\n".join([f"{server.says} {USE_LOCAL}", *server.lines])


def _steps(settings: Settings) -> Sequence[frozenset[Step]]:
    """Returns the steps of each chat model that is set. Only an evaluation needs a judge."""
    of_model: dict[str, set[Step]] = {}
    for step in STEPS:
        if step == "judge" and not settings.judge_model:
            continue
        of_model.setdefault(model_of(settings, step), set()).add(step)
    return [frozenset(steps) for steps in of_model.values()]


async def _check_model(
    endpoint: Endpoint, settings: Settings, steps: frozenset[Step]
) -> list[Check]:
    """Checks the model of some steps in all ways in which these steps use it."""
    step = next(step for step in STEPS if step in steps)
    about = _at(settings, model_of(settings, step))
    replies = await tried("Model", _reply(endpoint, step), CORRECT_MODEL, about)
    if not replies.ok:
        return [replies]
    checks = [replies]
    if "answer" in steps:
        checks.append(await tried("Streaming", _stream(endpoint), STREAMS, about))
    if steps & JSON_STEPS:
        checks.append(await tried("JSON", _write_json(endpoint, step), WRITES_JSON, about))
    return [*checks, await _check_window(endpoint, settings, steps, about)]


async def _reply(endpoint: Endpoint, step: Step) -> str:
    await endpoint.ask(Request(step, (Message("user", WORD),), REPLY_TOKENS))
    return "it replies."


async def _stream(endpoint: Endpoint) -> str:
    request = Request("answer", (Message("user", WORD),), REPLY_TOKENS)
    if not "".join([piece async for piece in endpoint.stream(request)]).strip():
        raise ReplyError("its stream holds no text.")
    return "it streams."


async def _write_json(endpoint: Endpoint, step: Step) -> str:
    request = Request(step, (Message("user", JSON_WORD),), REPLY_TOKENS, schema=SCHEMA)
    reply = await endpoint.ask(request)
    found = re.search(r"\{.*\}", reply.text, re.DOTALL)
    with suppress(ValueError, TypeError, KeyError):
        json.loads(found[0] if found else "")["word"]
        if "json_schema" not in endpoint.known_of(step).refused:
            return "it writes JSON that follows a schema."
        return "it writes JSON. It refuses schemas, so some replies may be asked for twice."
    raise ReplyError("its reply is not the JSON that it was asked for.")


async def _check_window(
    endpoint: Endpoint, settings: Settings, steps: frozenset[Step], about: str
) -> Check:
    """Checks whether a prompt of the largest size of some steps is read whole."""
    step = next(step for step in STEPS if step in steps)
    size = needed_window(settings, steps)
    name = "Context window"
    try:
        test = await try_window(endpoint, settings, step, size)
    except (ModelError, ReplyError) as error:
        reason = str(error).rstrip(".")
        says = f"{about}a prompt of about {size:,} tokens was not answered: {reason}."
        return Check(name, False, says)
    match test.verdict:
        case "whole":
            return Check(name, True, f"{about}it reads a prompt of {test.sent:,} tokens whole.")
        case "unclear":
            says = f"{about}it did not find a word in a text, so its window is not known."
            return Check(name, None, says, ABLE)
    return Check(name, False, about + test.problem, test.fix)


async def _check_embedding(endpoint: Endpoint, settings: Settings) -> Check:
    if settings.embedding_model == STATIC:
        return await _check_static()
    if settings.embedding_model == LOCAL:
        return _check_encoder()
    about = _at(settings, settings.embedding_model)
    return await _check_vectors(endpoint.embed, about, CORRECT_EMBEDDING)


def _unasked(settings: Settings) -> str:
    if not settings.lacks_endpoint:
        return ""
    return f"KG_MODEL is {settings.model}, but neither a key nor an endpoint is set. "


async def _check_without_endpoint(settings: Settings) -> Check:
    """Checks what an extractive index embeds with."""
    encodes = settings.embedding_model != STATIC and not missing_packages()
    if encodes or settings.embedding_model == LOCAL:
        return _check_encoder()
    return await _check_static()


async def _check_static() -> Check:
    embedder = static_embedder()
    return await _check_vectors(embedder.embed, f"{embedder.model}: ", INSTALL)


def _check_encoder() -> Check:
    """Checks the packages of the sentence encoder, which may have to be downloaded yet."""
    if missing := missing_packages():
        return Check("Embedding", False, f"{missing}.", INSTALL)
    return Check("Embedding", True, "The packages of the sentence encoder are installed.")


async def _check_vectors(embed: Embed, about: str, fix: str) -> Check:
    async def measured() -> str:
        [vector] = await embed(["Neo4j"])
        found = f"its vectors have {len(vector)} dimensions"
        if not 0 < len(vector) <= MOST_DIMENSIONS:
            raise ReplyError(f"{found}, but Neo4j can index 1 to {MOST_DIMENSIONS}.")
        return f"{found}."

    return await tried("Embedding", measured(), fix, about)


def _at(settings: Settings, model: str) -> str:
    """Returns the model and the host of the endpoint. Other parts of a URL may hold secrets."""
    address = (settings.openai_base_url or "OpenAI").rpartition("://")[2]
    host = re.split("[/?#]", address)[0].rpartition("@")[2]
    return f"{model} at {host}: "
