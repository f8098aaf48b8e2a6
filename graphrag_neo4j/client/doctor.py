"""Checks the requirements of indexing and queries. Each is really tried, and leaves no traces.

Neo4j must be new enough, writable, have Leiden (in a Graph Data Science of its own or of KG_GDS)
and both kinds of index. Each chat model must reply, stream, write JSON and read the longest prompt
whole, as far as its steps need it. The vectors of the embedding model must fit Neo4j's index.
"""

import json
import re
import sys
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypedDict
from uuid import uuid4

import anyio
from anyio.to_thread import run_sync

from graphrag_neo4j import llm
from graphrag_neo4j.client.async_client import AsyncGraphRAG
from graphrag_neo4j.errors import GraphError, GraphRAGError, ModelError, ReplyError
from graphrag_neo4j.extractive.encoder import missing_packages
from graphrag_neo4j.extractive.static_vectors import static_embedder
from graphrag_neo4j.graph import Graph, Transaction
from graphrag_neo4j.graph.schema import refuse_foreign, refuse_other_version, schema_version
from graphrag_neo4j.index.clustering.gds import leiden_in_gds, session_access
from graphrag_neo4j.index.clustering.tree import Leiden
from graphrag_neo4j.model import Message, Request, Step
from graphrag_neo4j.model.events import Listener, silent
from graphrag_neo4j.model.protocols import Embed
from graphrag_neo4j.settings import (
    AUTO,
    EMBEDDED,
    LOCAL,
    MOST_DIMENSIONS,
    SESSION,
    STATIC,
    Settings,
)
from graphrag_neo4j.text import tokens

__all__ = ["Check", "check_neo4j", "check_schema", "check_version", "check_writing", "examine"]

OF_DATABASE = (
    "Neo4j version",
    "Writing",
    "GDS",
    "Leiden",
    "Vector index",
    "Full-text index",
    "Schema",
)
ANALYZER = "standard-no-stop-words"  # Neo4j's default
WRITABLE: Final = "Set NEO4J_DATABASE to a database and NEO4J_USERNAME to a user that may write."
INDEXABLE: Final = "Use Neo4j 5.26 or newer, as a user who may create indexes."
GET_GDS: Final = 'Add the plugin "graph-data-science" to that server, or set KG_GDS=embedded.'
ALLOW_GDS: Final = (
    "Let neo4j.conf say dbms.security.procedures.unrestricted=gds.*, and start it again."
)
OTHER_GDS: Final = 'Set KG_GDS to auto, or to the address of a server with "graph-data-science".'
EDGES = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 1.0), ("x", "y", 1.0)]
STEPS: Sequence[Step] = ("extraction", "summary", "report", "answer", "rating", "judge")
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
SET_MODEL: Final = "To use a model, set OPENAI_API_KEY, or OPENAI_BASE_URL and KG_MODEL, in .env."
CORRECT_MODEL: Final = "Correct OPENAI_BASE_URL, OPENAI_API_KEY or KG_MODEL."
CORRECT_EMBEDDING: Final = (
    "Set KG_EMBEDDING_MODEL to a model of OPENAI_BASE_URL, or to local or static."
)
STREAMS: Final = "Answers are streamed: use a model or a server that can stream."
ABLE: Final = "Use a model that follows instructions better."
JSON_NEEDED: Final = f"Reports and global answers need JSON. {ABLE}"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check.

    `ok` is None if the check was not possible or not needed, which is not an error. `says` is the
    result in one sentence. `fix` says what to do, if `says` does not; it may have several lines.
    """

    name: str
    ok: bool | None
    says: str
    fix: str = ""


async def examine(settings: Settings, listen: Listener = silent) -> list[Check]:
    """Runs all checks in order. Starts the embedded server if NEO4J_URI is not set."""
    encoding = settings.encoding
    return [
        Check("Python", True, f"Python {sys.version_info[0]}.{sys.version_info[1]}."),
        *await check_neo4j(settings, listen),
        await _tried(
            "Tokenizer",
            run_sync(tokens.encoding, encoding),
            f"The data of the encoding {encoding} are available.",
        ),
        *await _check_models(settings),
    ]


async def _tried(
    name: str, work: Awaitable[object], says: str = "", fix: str = "", about: str = ""
) -> Check:
    """Makes a check from `work`: `says`, its result or its error is the sentence after `about`."""
    try:
        result = await work
    except GraphRAGError as error:  # the messages of Neo4j may have several lines
        return Check(name, False, about + " ".join(str(error).split()), fix)
    return Check(name, True, about + (says or str(result)))


def _not_made(reason: str, *names: str) -> list[Check]:
    """A result for each check that is impossible because an earlier check failed."""
    return [Check(name, None, f"Not checked, since {reason}.") for name in names]


class _ServerRow(TypedDict):
    """A component of the server: its versions, the newest first, and its edition."""

    versions: list[str]
    edition: str


class _GdsRow(TypedDict):
    """The version of Graph Data Science."""

    version: str


async def check_neo4j(settings: Settings, listen: Listener = silent) -> list[Check]:
    """Runs all checks of Neo4j. Starts the embedded server if NEO4J_URI is not set."""
    try:
        async with AsyncGraphRAG(settings, listen) as rag:
            graph = rag.graph
            # The kernel is the first component.
            kernel = (await graph.read("doctor/components", _ServerRow))[0]
            writing, *indexes = await check_writing(graph)
            return [
                Check("Neo4j", True, f"Neo4j answers at {graph.address}."),
                check_version(kernel["versions"][0], kernel["edition"]),
                writing,
                *await _check_communities(graph, settings, listen),
                *indexes,
            ]
    except GraphRAGError as error:
        fix = "Or set NEO4J_URI to a server of your own."
        if settings.neo4j_uri:
            fix = "Without NEO4J_URI the embedded server is used."
        unmade = _not_made("Neo4j can't be used", *OF_DATABASE)
        return [Check("Neo4j", False, str(error), fix), *unmade]


def check_version(version: str, edition: str) -> Check:
    """Checks whether the version of Neo4j is supported. Both editions are."""
    says = f"Neo4j {version}, {edition.capitalize()} Edition."
    if (found := re.match(r"(\d+)\.(\d+)", version)) is None:
        return Check("Neo4j version", None, f"{says[:-1]}: this version number is unknown.")
    ok = (int(found[1]), int(found[2])) >= (5, 26)
    fix = "" if ok else "Use Neo4j 5.26 (LTS) or a release of 2025 or later."
    return Check("Neo4j version", ok, says, fix)


class _Undone(Exception):  # noqa: N818 - not an error: the transaction has shown that it works
    """Rolls a transaction back."""


async def check_writing(
    graph: Graph, dimensions: int = MOST_DIMENSIONS, analyzer: str = ANALYZER
) -> list[Check]:
    """Checks what is written: nodes, both kinds of index, and the version of the graph's schema."""

    async def undone(statement: str, **parameters: object) -> None:
        async def work(tx: Transaction) -> None:
            await tx.run(statement, **parameters)
            raise _Undone

        with suppress(_Undone):
            await graph.transact(work)

    node = undone("doctor/write", id=str(uuid4()))
    writing = await _tried("Writing", node, "The database can be written.", WRITABLE)
    if not writing.ok:
        return [writing, *_not_made("nothing can be written", *OF_DATABASE[-3:])]
    vectors = undone("doctor/vector_index", dimensions=dimensions)
    indexed = f"Vectors of up to {dimensions} dimensions can be indexed."
    words = undone("doctor/fulltext_index", analyzer=analyzer)
    return [
        writing,
        await _tried("Vector index", vectors, indexed, INDEXABLE),
        await _tried("Full-text index", words, "Words can be indexed.", INDEXABLE),
        await check_schema(graph),
    ]


async def check_schema(graph: Graph) -> Check:
    """Checks whether this program knows the version of the graph's schema."""

    async def ask() -> str:
        version = await schema_version(graph)
        refuse_other_version(version)
        if version is not None:
            return f"The graph has schema version {version}."
        await refuse_foreign(graph)
        return "There is no graph yet."

    return await _tried("Schema", ask())


async def _check_communities(graph: Graph, settings: Settings, listen: Listener) -> list[Check]:
    """Checks the GDS of the database, or the other one that KG_GDS chooses."""
    try:
        rows = await graph.read("doctor/gds_version", _GdsRow)
        gds = Check("GDS", True, f"Graph Data Science {rows[0]['version']}.")
    except GraphError:
        missing = "Graph Data Science (GDS) is not installed in this Neo4j, or may not be called."
        gds = Check("GDS", False, missing, GET_GDS)
    place = "an embedded server, which is started for this step and stopped after it"
    if settings.gds == SESSION:
        place = "a session of Aura Graph Analytics"
    elif settings.gds not in {AUTO, EMBEDDED}:
        place = "the Neo4j at that address"
    elif not settings.neo4j_uri or (settings.gds == AUTO and (gds.ok or not settings.embedded)):
        if not gds.ok:
            return [gds, *_not_made("GDS can't be used", "Leiden")]
        says = "Leiden runs on a projected graph."
        return [gds, await _tried("Leiden", _run_leiden(graph), says, ALLOW_GDS)]
    says = f"Communities are computed by {place} (KG_GDS={settings.gds})."
    if not gds.ok and settings.gds == AUTO:
        says = f"{gds.says} {says}"

    def find() -> None:
        from graphrag_neo4j.index.clustering.hierarchy import Edges  # noqa: PLC0415 - numpy

        if settings.gds == SESSION:
            session_access(settings)
            return
        with leiden_in_gds(graph, Leiden(), settings, listen) as detect:
            detect(Edges.of(EDGES, "abcxy"), 1.0)

    found = await _tried("Leiden", run_sync(find), "Leiden runs there.", OTHER_GDS)
    if settings.gds == SESSION and found.ok:
        [found] = _not_made("a session costs money", "Leiden")
    return [Check("GDS", True, says), found]


async def _run_leiden(graph: Graph) -> None:
    """Projects a graph and runs Leiden on it."""
    # In a cluster, writing calls always go to the same server, and only this server has the
    # projection.
    name = f"kg_doctor_{uuid4()}"
    try:
        await graph.write("doctor/project", graph=name)
        await graph.write("doctor/leiden", graph=name)
    finally:
        with anyio.CancelScope(shield=True):
            await graph.write("doctor/drop", graph=name)


async def _check_models(settings: Settings) -> list[Check]:
    """Makes a few short calls and one long call to each chat model, and one to the embedding model.

    Without a model, it looks for model servers on this machine instead.
    """
    if not settings.has_model:
        says = "No model is set: the index will be extractive, quoted from the documents."
        if settings.lacks_endpoint:
            unasked = f"KG_MODEL is {settings.model}, but neither a key nor an endpoint is set."
            says = f"{unasked} {says}"
        fix = [SET_MODEL]
        for server in await llm.find_local_servers():
            fix += [f"{server.says} These lines, in a shell or in .env, use it:", *server.lines]
        return [Check("Model", None, says, "\n".join(fix)), await _check_embedding(settings, None)]
    # Few retries, so that the user soon sees the error.
    quick = settings.model_copy(update={"max_retries": min(settings.max_retries, 1)})
    try:
        endpoint = llm.Endpoint(quick)
    except GraphRAGError as error:
        unmade = _not_made("no model can be called", "Embedding")
        return [Check("Model", False, str(error)), *unmade]
    of_model: dict[str, set[Step]] = {}
    for step in STEPS:
        if step != "judge" or settings.judge_model:  # only an evaluation needs a judge
            of_model.setdefault(llm.model_of(settings, step), set()).add(step)
    checks: list[Check] = []
    async with endpoint:
        for model, steps in of_model.items():
            checks += await _check_model(endpoint, settings, model, frozenset(steps))
        if not any(check.ok for check in checks):
            return [*checks, *_not_made("no model replies", "Embedding")]
        return [*checks, await _check_embedding(settings, endpoint)]


async def _check_model(
    endpoint: llm.Endpoint, settings: Settings, model: str, steps: frozenset[Step]
) -> list[Check]:
    """Checks a model in all ways in which its steps use it."""
    step = next(step for step in STEPS if step in steps)
    about = f"{model} at {_host(settings)}: "

    async def stream() -> None:
        request = Request("answer", (Message("user", WORD),), REPLY_TOKENS)
        if not "".join([piece async for piece in endpoint.stream(request)]).strip():
            raise ReplyError("its stream holds no text.")

    async def write_json() -> str:
        request = Request(step, (Message("user", JSON_WORD),), REPLY_TOKENS, schema=SCHEMA)
        found = re.search(r"\{.*\}", (await endpoint.ask(request)).text, re.DOTALL)
        with suppress(ValueError, TypeError, KeyError):
            json.loads(found[0] if found else "")["word"]
            if "json_schema" not in endpoint.known_of(step).refused:
                return "it writes JSON that follows a schema."
            return "it writes JSON. It refuses schemas, so some replies may be asked for twice."
        raise ReplyError("its reply is not the JSON that it was asked for.")

    reply = endpoint.ask(Request(step, (Message("user", WORD),), REPLY_TOKENS))
    checks = [await _tried("Model", reply, "it replies.", CORRECT_MODEL, about)]
    if not checks[0].ok:
        return checks
    if "answer" in steps:
        checks.append(await _tried("Streaming", stream(), "it streams.", STREAMS, about))
    if steps - {"extraction", "summary"}:
        checks.append(await _tried("JSON", write_json(), "", JSON_NEEDED, about))
    return [*checks, await _check_window(endpoint, settings, steps, about)]


async def _check_window(
    endpoint: llm.Endpoint, settings: Settings, steps: frozenset[Step], about: str
) -> Check:
    """Checks whether the longest prompt of some steps is read whole."""
    step = next(step for step in STEPS if step in steps)
    size = llm.needed_window(settings, steps)
    try:
        test = await llm.try_window(endpoint, settings, step, size)
    except (ModelError, ReplyError) as error:
        says = f"{about}a prompt of about {size:,} tokens was not answered: {error}"
        return Check("Context window", False, f"{says.rstrip('.')}.")
    if test.verdict in {"cut", "refused"}:
        return Check("Context window", False, about + test.problem, test.fix)
    says = f"it reads a prompt of {test.sent:,} tokens whole."
    if test.verdict == "unclear":
        says = f"it did not find a word in a text, so its window is not known. {ABLE}"
    return Check("Context window", True if test.verdict == "whole" else None, about + says)


async def _check_embedding(settings: Settings, endpoint: llm.Endpoint | None) -> Check:
    """Checks what an index embeds with; it is extractive without an endpoint."""
    model, missing = settings.embedding_model, missing_packages()
    if model == LOCAL or (endpoint is None and model != STATIC and not missing):
        says = missing or "The packages of the sentence encoder are installed"
        return Check("Embedding", not missing, f"{says}.")
    if endpoint is None or model == STATIC:
        static = static_embedder()
        embed: Embed = static.embed
        about, fix = f"{static.model}: ", "Install graphrag-neo4j again."
    else:
        embed, about, fix = endpoint.embed, f"{model} at {_host(settings)}: ", CORRECT_EMBEDDING

    async def measured() -> str:
        [vector] = await embed(["Neo4j"])
        found = f"its vectors have {len(vector)} dimensions"
        if not 0 < len(vector) <= MOST_DIMENSIONS:
            raise ReplyError(f"{found}, but Neo4j can index 1 to {MOST_DIMENSIONS}.")
        return f"{found}."

    return await _tried("Embedding", measured(), "", fix, about)


def _host(settings: Settings) -> str:
    """The host of the endpoint. Other parts of its URL may hold secrets."""
    address = (settings.openai_base_url or "OpenAI").rpartition("://")[2]
    return re.split("[/?#]", address)[0].rpartition("@")[2]
