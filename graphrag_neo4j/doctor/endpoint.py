"""Checks the model endpoint: it must reply, and its vectors must fit the index of Neo4j."""

import re
from collections.abc import Sequence

from graphrag_neo4j.doctor.check import Check, not_made, tried
from graphrag_neo4j.errors import InputError, ReplyError
from graphrag_neo4j.extractive.static_vectors import static_embedder
from graphrag_neo4j.llm import Endpoint, model_of
from graphrag_neo4j.model import Message, Request, Step
from graphrag_neo4j.protocols import Embed
from graphrag_neo4j.settings import MOST_DIMENSIONS, Settings

__all__ = ["check_endpoint"]

STEPS: Sequence[Step] = ("extraction", "summary", "report", "answer", "rating")
RETRIES = 1  # few, so that the user soon sees the error
REPLY_TOKENS = 1000  # enough for a model that reasons before it replies with one word
NO_MODEL = "No model is set: the index will be extractive, quoted from the documents."
SET_MODEL = (
    "To use a model, set OPENAI_API_KEY (or, for your own endpoint, OPENAI_BASE_URL and KG_MODEL) "
    "in the environment or in .env."
)
INSTALL = "Install graphrag-neo4j again."
CORRECT_MODEL = "Correct OPENAI_BASE_URL, OPENAI_API_KEY or KG_MODEL."
CORRECT_EMBEDDING = (
    "Set KG_EMBEDDING_MODEL to an embedding model of the endpoint, or OPENAI_BASE_URL to an "
    "endpoint that has one."
)


async def check_endpoint(settings: Settings) -> list[Check]:
    """Makes one very short call to each chat model that is set, and one to the embedding model."""
    if not settings.has_model:
        embedder = static_embedder()
        own = _check_vectors(embedder.embed, f"{embedder.model}: ", INSTALL)
        return [Check("Model", None, NO_MODEL, SET_MODEL), await own]
    quick = settings.model_copy(update={"max_retries": min(settings.max_retries, RETRIES)})
    try:
        endpoint = Endpoint(quick)
    except InputError as error:
        return [
            Check("Model", False, str(error)),
            *not_made("no model can be called", "Embedding"),
        ]
    async with endpoint:
        checks = [await _check_chat(endpoint, settings, step) for step in _steps(settings)]
        if any(check.ok for check in checks):
            about = _at(settings, settings.embedding_model)
            return [*checks, await _check_vectors(endpoint.embed, about, CORRECT_EMBEDDING)]
    return [*checks, *not_made("no model replies", "Embedding")]


def _steps(settings: Settings) -> Sequence[Step]:
    """Returns one step for each chat model that is set."""
    first: dict[str, Step] = {}
    for step in STEPS:
        first.setdefault(model_of(settings, step), step)
    return list(first.values())


async def _check_chat(endpoint: Endpoint, settings: Settings, step: Step) -> Check:
    model = model_of(settings, step)
    request = Request(step, (Message("user", "Reply with one word: yes."),), REPLY_TOKENS)

    async def ask() -> str:
        await endpoint.ask(request)
        return "it replies."

    return await tried("Model", ask(), CORRECT_MODEL, _at(settings, model))


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
